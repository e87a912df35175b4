// SPDX-License-Identifier: Apache-2.0
#include "help.hpp"

#include "configuration.hpp"

namespace pianola::driver {

std::string help_text(const std::string& clang) {
  return R"(OVERVIEW: pianolacc compiles and links C++ with SYCL kernels, ahead of time

USAGE: pianolacc [options] file...

It is clang, with a plugin that compiles kernels, Pianola's headers and its library. Every option of clang
has its usual meaning.

OPTIONS:
  --pianola-targets=LIST    devices to compile kernels for, besides the host; may be repeated. LIST is separated
                            by ';' or ',':
                              host          the processor, always compiled for
                              cuda:sm_NN    NVIDIA GPUs, for example cuda:sm_90; `cuda` is cuda:sm_75, whose
                                            PTX every later GPU runs too
                              hip:gfxNNN    one AMD GPU, for example hip:gfx90a
                              simulated     device code as a shared object for the processor, for tests
                            Default: the environment variable PIANOLA_TARGETS, else host
  --pianola-sub-group-size=N
                            sub-groups of 8, 16, 32 or 64 work-items on the processor, for kernels that require no
                            size; give it to all files of a program. Default: 8
  --pianola-device-pass=auto|on|off
                            kernels are parsed again with the macro __SYCL_DEVICE_ONLY__ defined: in files that ask
                            for it (auto, the default), in all, in none
  --pianola-check-accesses  kernels on the processor check what they touch: a subscript beyond an accessor's range, or
                            memory of a buffer that no accessor of the command group names, is an asynchronous
                            error (errc::accessor). For tests: it costs time
  --pianola-dry-run         print the command that would be run, and run nothing
  --pianola-save-temps=DIR  keep intermediate files of the kernels in DIR, which is made if it is missing
  --pianola-cuda-path=DIR   the CUDA toolkit; default: found in the usual places
  --pianola-rocm-path=DIR   ROCm with its device libraries; default: found in the usual places
  --pianola-unit=TEXT       what tells kernels of this command from those of others that have the same name;
                            default: made of the current folder and all arguments. Give a text of your own, one
                            per command, for objects that do not depend on the folder
  --pianola-no-headers      do not add Pianola's include folders
  --pianola-no-link         do not link Pianola's library
  --pianola-launch=CC       as a launcher before the compiler CC: takes its place
  -fsycl, -fsycl-targets=LIST, ...
                            options of DPC++, for build files that have them: targets that Pianola has code for are
                            followed, the others change nothing
  --version                 the version of pianolacc, then that of clang
  --help                    this text

ENVIRONMENT:
  PIANOLA_CLANG             the clang++ 19 to run
  PIANOLA_TARGETS           see --pianola-targets

All other options: )" +
         clang + " --help\n";
}

std::string version_line() { return std::string("pianolacc ") + version + "\n"; }

}  // namespace pianola::driver
