// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/PassManager.h>

namespace pianola::compiler {

/// Helps the vectoriser with loops over work-items that calculate with the bits of an index: the partner
/// `2 * i - (i & (distance - 1))` of a sorting network, `i ^ distance` of a butterfly, row and column
/// `i / width`, `i % width` of a flat index. For the vectoriser such an address may be anywhere, so it gathers
/// and scatters. But if the lowest bits of `distance - 1` are all set, or `width` is a multiple of 16, then
/// each aligned strip of 16 neighbouring items touches neighbouring addresses.
///
/// So where the operand is the same for all iterations, the loop gets versions for strips of 16, 8 and 4 items,
/// in which that arithmetic is done once per strip; one question in front of the loop chooses. The loop as it
/// was does what is left. Only loops whose iterations are declared to be independent, as those over
/// work-items are, and in which such an index leads to an address.
class linear_strips : public llvm::PassInfoMixin<linear_strips> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace pianola::compiler
