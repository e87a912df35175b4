// SPDX-License-Identifier: Apache-2.0
#include <llvm/IRReader/IRReader.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/SourceMgr.h>

#include "pianola/compiler/diagnose.hpp"
#include "steps.hpp"
#include "toolkit.hpp"

namespace pianola::compiler::ptx {

namespace {

bool needs_libdevice(const llvm::Module& module) {
  for (const llvm::Function& function : module)
    if (function.isDeclaration() && function.getName().starts_with("__nv_") &&
        !function.use_empty())
      return true;
  return false;
}

}  // namespace

bool link_device_libraries(llvm::Module& module, const options& options) {
  if (!needs_libdevice(module)) return true;
  const toolkit tools = find_toolkit(options);
  if (tools.libdevice.empty()) {
    report_error(module.getContext(),
                 missing(tools, "libdevice.10.bc, the library of math functions,"));
    return false;
  }
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> library =
      llvm::getLazyIRFileModule(tools.libdevice, problem, module.getContext());
  if (library == nullptr) {
    report_error(module.getContext(), "cannot read '" + tools.libdevice +
                                          "': " + problem.getMessage() +
                                          "; is it of another CUDA toolkit than 12 or 13?");
    return false;
  }
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  const bool failed = llvm::Linker::linkModules(
      module, std::move(library), llvm::Linker::LinkOnlyNeeded,
      [](llvm::Module& linked, const llvm::StringSet<>& names) {
        for (const auto& name : names)
          if (llvm::GlobalValue* value = linked.getNamedValue(name.getKey());
              value != nullptr && !value->isDeclaration())
            value->setLinkage(llvm::GlobalValue::InternalLinkage);
      });
  return !failed;
}

}  // namespace pianola::compiler::ptx
