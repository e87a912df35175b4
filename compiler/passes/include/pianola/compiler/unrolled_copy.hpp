// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/Passes/PassBuilder.h>

namespace pianola::compiler {

/// Copies of functions without the loops that have a small constant number of rounds, such as those over the
/// dimensions of an index.
class unroller {
 public:
  unroller();

  /// Null for a function without loops: there is nothing to gain. The copy is in the same module, and the caller's
  /// to erase.
  [[nodiscard]] llvm::Function* copy(llvm::Function& function);
  void erase(llvm::Function* copy);

  /// Of copies, and of functions that have none; those to be forgotten before they change.
  [[nodiscard]] llvm::FunctionAnalysisManager& analyses() { return functions_; }
  void forget(llvm::Function& function);

 private:
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager components_;
  llvm::ModuleAnalysisManager modules_;
  llvm::FunctionPassManager passes_;
};

}  // namespace pianola::compiler
