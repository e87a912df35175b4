// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/PassManager.h>

namespace pianola::compiler {

/// Helps loops over work-items that divide whole numbers of at most 32 bits by what is the same for all items
/// and known only when the kernel runs: `i / width`, `i % width`. No processor divides vectors of whole numbers,
/// so such a loop would not be vectorised. But a double has room for the quotient and to spare: multiplied by
/// a little more than 1 / divisor, which is computed once in front of the loop, and cut off, every dividend
/// gives exactly the quotient (the proof is at the definition), in any rounding mode.
///
/// Only innermost loops whose iterations are declared to be independent, as those over work-items are.
/// Divisions by zero, which are undefined, no longer stop the program in them.
class uniform_divisors : public llvm::PassInfoMixin<uniform_divisors> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace pianola::compiler
