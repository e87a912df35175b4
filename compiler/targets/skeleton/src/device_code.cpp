// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/device_code.hpp"

#include <llvm/ADT/SmallString.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/IPO/Internalize.h>

#include "pianola/compiler/device_variables.hpp"

namespace pianola::compiler {

std::optional<std::string> emit(llvm::Module& module, llvm::TargetMachine& machine,
                                llvm::CodeGenFileType type) {
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type)) return std::nullopt;
  passes.run(module);
  return bytes.str().str();
}

std::string link_library(llvm::Module& module, const std::string& file) {
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> library =
      llvm::getLazyIRFileModule(file, problem, module.getContext());
  if (library == nullptr) return "cannot read '" + file + "': " + problem.getMessage().str();
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  if (llvm::Linker::linkModules(module, std::move(library), llvm::Linker::LinkOnlyNeeded))
    return "cannot link '" + file + "'";
  return {};
}

bool needs_library(const llvm::Module& module, llvm::ArrayRef<llvm::StringRef> prefixes) {
  return llvm::any_of(module, [&](const llvm::Function& function) {
    return function.isDeclaration() && !function.use_empty() &&
           llvm::any_of(prefixes, [&](llvm::StringRef prefix) {
             return function.getName().starts_with(prefix);
           });
  });
}

void keep_only_kernels_visible(llvm::Module& module) {
  llvm::internalizeModule(module, [](const llvm::GlobalValue& value) {
    const auto* function = llvm::dyn_cast<llvm::Function>(&value);
    const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&value);
    return value.isDeclaration() || (variable != nullptr && is_device_pointer(*variable)) ||
           (function != nullptr &&
            (function->getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL ||
             function->getCallingConv() == llvm::CallingConv::PTX_Kernel));
  });
}

}  // namespace pianola::compiler
