// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <cstdlib>

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>

namespace pianola::compiler {

namespace {

llvm::cl::list<std::string> targets(
    "pianola-targets", llvm::cl::CommaSeparated,
    llvm::cl::desc("device targets: cuda:sm_90, hip:gfx90a, simulated"));
llvm::cl::opt<std::string> unit(
    "pianola-unit", llvm::cl::desc("text that tells this translation unit from all others"));
llvm::cl::opt<std::string> cuda_path("pianola-cuda-path",
                                     llvm::cl::desc("folder of the CUDA toolkit"));
llvm::cl::opt<std::string> rocm_path(
    "pianola-rocm-path", llvm::cl::desc("folder of the ROCm device libraries' bitcode"));
llvm::cl::opt<bool> fast_math("pianola-fast-math", llvm::cl::desc("approximate math on devices"));
llvm::cl::opt<std::string> save_temps("pianola-save-temps",
                                      llvm::cl::desc("folder for intermediate files"));

llvm::cl::opt<bool> check_accesses("pianola-check-accesses",
                                   llvm::cl::desc("kernels on the host check what they touch"));

llvm::cl::opt<device_pass_choice> device_pass(
    "pianola-device-pass", llvm::cl::init(device_pass_choice::where_asked),
    llvm::cl::desc("parse units again with __SYCL_DEVICE_ONLY__"),
    llvm::cl::values(clEnumValN(device_pass_choice::where_asked, "auto", "units that ask for it"),
                     clEnumValN(device_pass_choice::on, "on", "all units"),
                     clEnumValN(device_pass_choice::off, "off", "none")));
llvm::cl::opt<std::string> link_list("pianola-link",
                                     llvm::cl::desc("file that names the objects of a program"));
llvm::cl::opt<std::string> link_name("pianola-link-name", llvm::cl::desc("the program's name"));

target parse_target(llvm::StringRef text) {
  const auto [name, architecture] = text.split(':');
  target t;
  if (name == "cuda")
    t.which = target::backend::cuda;
  else if (name == "hip")
    t.which = target::backend::hip;
  else if (name == "simulated")
    t.which = target::backend::simulated;
  else {
    llvm::errs() << "pianolacc: unknown target '" << text
                 << "': use host, cuda:sm_NN, hip:gfxNNN or simulated\n";
    std::exit(2);
  }
  t.architecture = t.which == target::backend::simulated ? "pianola-sim" : architecture.str();
  return t;
}

}  // namespace

device_pass_choice chosen_device_pass() { return device_pass; }

std::string& device_pass_bitcode() {
  static std::string bitcode;
  return bitcode;
}

std::vector<std::string>& device_variable_names() {
  static std::vector<std::string> names;
  return names;
}

options command_line_options() {
  options o;
  for (const std::string& text : targets)
    if (text != "host") o.targets.push_back(parse_target(text));
  o.unit = unit;
  o.cuda_path = cuda_path;
  o.rocm_path = rocm_path;
  o.fast_math = fast_math;
  o.save_temps = save_temps;
  o.check_accesses = check_accesses;
  o.device_pass = device_pass_bitcode();
  o.device_variables = device_variable_names();
  o.link_list = link_list;
  o.link_name = link_name;
  return o;
}

}  // namespace pianola::compiler
