// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace pianola::compiler::host {

/// Values that are still needed at the start of a block; those of the entry block are always there and are
/// not counted.
class liveness {
 public:
  /// `also_uses` adds to a use of a value those values that it will be made of.
  using more_uses =
      llvm::function_ref<void(llvm::Instruction*, llvm::function_ref<void(llvm::Instruction*)>)>;
  liveness(llvm::Function& function, more_uses also_uses);

  /// Before the block's phis; values that only a phi takes on the way in are not in it.
  [[nodiscard]] bool at_start(const llvm::BasicBlock* block, llvm::Instruction* value) const;

  [[nodiscard]] bool is_counted(const llvm::Instruction* value) const {
    return index_.contains(value);
  }

  /// Every value that is needed in another block than its own, in the order of the function.
  [[nodiscard]] const std::vector<llvm::Instruction*>& values() const { return values_; }

 private:
  std::vector<llvm::Instruction*> values_;
  llvm::DenseMap<const llvm::Instruction*, unsigned> index_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BitVector> start_;
};

}  // namespace pianola::compiler::host
