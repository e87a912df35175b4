// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/PassManager.h>

namespace pianola::compiler {

/// Comes last over code of the host, and spares the code generator what takes most of its time and changes little:
///
/// - Debug information that nobody has asked for. pianolacc has clang keep it, for messages about kernels.
/// - Strength reduction of loops, where the code of a work-group is so large that it takes minutes. Such code is many
///   loops over work-items, each with up to 200 addresses that grow by their elements' size, as processors can
///   address; LLVM's pass tries all of them against each other, and has no limit for that. It can be left out for a
///   whole module only. `-mllvm -disable-lsr=false` keeps it.
class ease_code_generation : public llvm::PassInfoMixin<ease_code_generation> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace pianola::compiler
