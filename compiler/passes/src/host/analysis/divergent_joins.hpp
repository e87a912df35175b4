// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/CycleInfo.h>
#include <llvm/IR/Function.h>

namespace pianola::compiler::host {

/// Where work-items that took different ways at a branch meet again, each with what it brings.
struct divergent_joins {
  struct exit {
    llvm::BasicBlock* to;
    const llvm::Cycle* from;
  };
  llvm::SmallVector<llvm::BasicBlock*, 8> of_ways;
  /// Where they leave a loop in different rounds of it.
  llvm::SmallVector<exit, 4> of_rounds;
};

/// A block is a join of `branch` if nothing but the branch is on all ways there. Ways end where they come back to the head of
/// a loop that the branch is in: from there the loop's exits are reached, in another round. LLVM 19's uniformity analysis stops
/// looking too early, where a way has a run of blocks to itself, and takes what meets behind for the same for all.
divergent_joins find_divergent_joins(llvm::BasicBlock& branch, const llvm::CycleInfo& cycles);

}  // namespace pianola::compiler::host
