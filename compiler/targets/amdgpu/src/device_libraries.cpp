// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <vector>

#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Transforms/IPO/Internalize.h>

#include "diagnostics.hpp"
#include "steps.hpp"

namespace pianola::compiler::amdgpu {

namespace {

bool holds_libraries(const std::string& folder) {
  return llvm::sys::fs::exists(folder + "/ocml.bc");
}

/// Only what the module lacks is read.
bool link_library(llvm::Module& module, const std::string& file) {
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> library =
      llvm::getLazyIRFileModule(file, problem, module.getContext());
  if (library == nullptr) {
    report_error(module.getContext(), "cannot read the ROCm device library " + file + ": " +
                                          problem.getMessage() +
                                          "; reinstall the package rocm-device-libs");
    return false;
  }
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  return !llvm::Linker::linkModules(module, std::move(library), llvm::Linker::LinkOnlyNeeded);
}

bool needs_libraries(const llvm::Module& module) {
  for (const llvm::Function& function : module)
    if (function.isDeclaration() &&
        (function.getName().starts_with("__ocml_") || function.getName().starts_with("__ockl_")))
      return true;
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
  if (!needs_libraries(module)) return true;

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
    if (!link_library(module, folder + "/" + library)) return false;

  // Nobody outside the code object calls them.
  llvm::internalizeModule(module, [](const llvm::GlobalValue& value) {
    const auto* function = llvm::dyn_cast<llvm::Function>(&value);
    return value.isDeclaration() ||
           (function != nullptr && function->getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL);
  });
  return true;
}

}  // namespace pianola::compiler::amdgpu
