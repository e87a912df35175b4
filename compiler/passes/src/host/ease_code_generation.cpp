// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/ease_code_generation.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/CommandLine.h>

namespace pianola::compiler {

namespace {

// From here on a function takes seconds.
constexpr unsigned large_function = 4000;

bool is_large_work_group(const llvm::Function& function) {
  return function.getName().ends_with(".work_group") &&
         function.getInstructionCount() > large_function;
}

// Remarks of the code generator say where they are by it.
bool wants_remarks(llvm::LLVMContext& context) {
  if (context.getMainRemarkStreamer() != nullptr) return true;
  const llvm::DiagnosticHandler* const told = context.getDiagHandlerPtr();
  return told != nullptr &&
         llvm::any_of(llvm::ArrayRef<llvm::StringRef>({"regalloc", "prologepilog", "asm-printer",
                                                       "sdagisel", "machine-outliner",
                                                       "shrink-wrap", "stack-frame-layout"}),
                      [&](llvm::StringRef pass) {
                        return told->isMissedOptRemarkEnabled(pass) ||
                               told->isPassedOptRemarkEnabled(pass) ||
                               told->isAnalysisRemarkEnabled(pass);
                      });
}

bool wants_debug_information(llvm::Module& module) {
  return wants_remarks(module.getContext()) ||
         llvm::any_of(module.debug_compile_units(), [](const llvm::DICompileUnit* unit) {
           return unit->getEmissionKind() != llvm::DICompileUnit::NoDebug;
         });
}

void leave_out_strength_reduction() {
  const llvm::StringMap<llvm::cl::Option*>& all = llvm::cl::getRegisteredOptions();
  const auto found = all.find("disable-lsr");
  if (found != all.end() && found->second->getNumOccurrences() == 0)
    static_cast<llvm::cl::opt<bool>*>(found->second)->setValue(true);
}

}  // namespace

llvm::PreservedAnalyses ease_code_generation::run(llvm::Module& module,
                                                  llvm::ModuleAnalysisManager& /*analyses*/) {
  if (llvm::any_of(module, is_large_work_group)) leave_out_strength_reduction();
  const bool stripped = !wants_debug_information(module) && llvm::StripDebugInfo(module);
  return stripped ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace pianola::compiler
