// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <vector>

#include <llvm/IR/Module.h>
#include <llvm/Support/FileSystem.h>

#include "pianola/compiler/device_code.hpp"
#include "pianola/compiler/diagnose.hpp"
#include "steps.hpp"

namespace pianola::compiler::amdgpu {

namespace {

bool holds_libraries(const std::string& folder) {
  return llvm::sys::fs::exists(folder + "/ocml.bc");
}

bool link_one(llvm::Module& module, const std::string& file) {
  const std::string problem = link_library(module, file);
  if (problem.empty()) return true;
  report_error(module.getContext(),
               "a ROCm device library: " + problem + "; reinstall the package rocm-device-libs");
  return false;
}

}  // namespace

std::optional<std::string> find_device_libraries(const options& chosen,
                                                 llvm::LLVMContext& context) {
  std::vector<std::string> folders;
  if (!chosen.rocm_path.empty()) {
    folders = {chosen.rocm_path, chosen.rocm_path + "/amdgcn/bitcode"};
  } else {
    if (const char* path = std::getenv("ROCM_PATH"))
      folders.push_back(path + std::string("/amdgcn/bitcode"));
    folders.push_back("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode");
    folders.push_back("/usr/lib/amdgcn/bitcode");
    folders.push_back("/opt/rocm/amdgcn/bitcode");
  }
  for (std::string& folder : folders)
    if (holds_libraries(folder)) return folder;
  report_error(context,
               "targets hip:... need the ROCm device libraries, and there is no ocml.bc in " +
                   folders.front() +
                   (folders.size() > 1 ? " or " + folders.back() : std::string()) +
                   ": install the package rocm-device-libs, or say where they are with "
                   "--pianola-rocm-path=FOLDER");
  return std::nullopt;
}

bool link_device_libraries(llvm::Module& module, const std::string& folder,
                           const architecture& target, const options& chosen) {
  if (!needs_library(module, {"__ocml_", "__ockl_"})) return true;

  const auto choice = [](const char* name, bool on) {
    return std::string("oclc_") + name + (on ? "_on.bc" : "_off.bc");
  };
  for (const std::string& library :
       {std::string("ocml.bc"), std::string("ockl.bc"), isa_library(target.processor),
        std::string("oclc_abi_version_400.bc"), choice("wavefrontsize64", target.wavefront == 64),
        // Subnormal numbers are as fast as others from gfx900 on.
        choice("daz_opt", false), choice("finite_only", chosen.fast_math),
        choice("unsafe_math", chosen.fast_math),
        choice("correctly_rounded_sqrt", !chosen.fast_math)})
    if (!link_one(module, folder + "/" + library)) return false;

  keep_only_kernels_visible(module);
  return true;
}

}  // namespace pianola::compiler::amdgpu
