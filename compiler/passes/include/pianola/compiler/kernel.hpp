// SPDX-License-Identifier: Apache-2.0
// What the parts of the compiler tell each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <pianola/abi/launch.h>

namespace llvm {
class Function;
}

namespace pianola::compiler {

enum class kernel_kind : std::uint8_t { single_task, range, nd_range };

/// One kernel of a translation unit.
struct kernel {
  /// Runs one work-item: (function object by reference, pianola_launch by reference).
  llvm::Function* body = nullptr;
  /// Hash of the translation unit and the body's mangled name.
  std::uint64_t id = 0;
  /// Name of the kernel in images: "pianola_kernel_" and the id's 16 hexadecimal digits.
  std::string symbol;
  /// For people.
  std::string name;
  kernel_kind kind = kernel_kind::single_task;
  unsigned dimensions = 1;
  /// sizeof and alignof of the function object.
  std::uint64_t argument_bytes = 1;
  std::uint64_t argument_alignment = 1;
  /// 0: the kernel takes any.
  unsigned required_sub_group_size = 0;
  /// What it gets on the host and its like if it requires nothing; 0: ours to choose.
  unsigned chosen_sub_group_size = 0;
  /// Of the second parameter: a pianola_launch, or a pianola_part_launch.
  std::uint64_t launch_bytes = sizeof(pianola_launch);
  /// This is the second entry point of a kernel that comes before it, see add_part_entries.
  [[nodiscard]] bool runs_parts() const noexcept { return launch_bytes != sizeof(pianola_launch); }
};

struct target {
  enum class backend : std::uint8_t { cuda, hip, simulated };
  backend which = backend::simulated;
  /// "sm_90", "gfx90a", "pianola-sim".
  std::string architecture;
};

/// Code of all kernels for one architecture; the names of architectures are those of abi/image.h.
struct image {
  std::string architecture;
  std::string bytes;
};

struct options {
  std::vector<target> targets;
  /// Tells translation units apart whose files have the same name.
  std::string unit;
  /// Folder of the CUDA toolkit (holds bin/ptxas and nvvm/libdevice); empty: look in the usual places.
  std::string cuda_path;
  /// Folder of the ROCm device libraries' bitcode; empty: look in the usual places.
  std::string rocm_path;
  bool fast_math = false;
  /// 0 to 3. Device code is optimised whatever this says; 0 keeps it closer to the source.
  unsigned optimisation = 2;
  /// Folder that intermediate files are written to; empty: none are kept.
  std::string save_temps;
  /// Kernels on the host ask the runtime before they touch memory.
  bool check_accesses = false;
  /// Bitcode of the unit as it is where `__SYCL_DEVICE_ONLY__` is defined, see merge_device_pass; empty: the unit does not ask.
  std::string device_pass;
  /// Mangled names of the unit's variables that each device has one of, see device_variables.hpp.
  std::vector<std::string> device_variables;
  /// File that names what is linked, see link_devices(); empty: this is the compilation of a translation unit.
  std::string link_list;
  /// Of what is linked, for names of intermediate files.
  std::string link_name;
};

}  // namespace pianola::compiler
