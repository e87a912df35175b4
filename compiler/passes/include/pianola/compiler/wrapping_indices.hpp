// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/PassManager.h>

namespace pianola::compiler {

/// Keeps LLVM 19's vectoriser from indices that wrap: `tile[(i * 5) & 63]`. It takes such an index for one that
/// grows by 5 in each iteration where a question in front of the loop says that it does not wrap, and that
/// question is always answered "no" for an unsigned one that begins with 0 (ScalarEvolution's expander looks
/// at the start alone, which holds for a step of 1 only). So the operand is frozen: its value is the same,
/// but where it comes from is not looked at. Indices that are known not to wrap stay as they are.
///
/// All innermost loops, those of host code, too: their results are just as wrong.
class wrapping_indices : public llvm::PassInfoMixin<wrapping_indices> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace pianola::compiler
