// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Function.h>

#include "host/analysis/item_level.hpp"
#include "host/regions/cuts.hpp"

namespace pianola::compiler::host {

/// The blocks that run once for all items: barriers, and the control flow between them. All other blocks
/// run in loops over the items, from one block of the skeleton to the next.
struct skeleton {
  llvm::SetVector<llvm::BasicBlock*> blocks;
  [[nodiscard]] bool contains(llvm::BasicBlock* block) const { return blocks.contains(block); }
};

/// Splits the blocks of `function` so that control between barriers happens in the skeleton:
///
/// - every call for which `splits` holds, alone with what belongs to it; entry; the one return;
/// - the terminator (alone) of every branch that decides whether such a block is reached. All items take
///   the same way there: SYCL demands that barriers are reached by all or none;
/// - blocks where regions meet, if all items that enter these regions come by. So the loop around a barrier
///   stays a loop, of the skeleton. Where they need not (a path that jump threading made), the blocks behind
///   stay in both regions.
///
/// - the branches of `cuts`, and the blocks behind them, in regions of their own.
///
/// `extra`: blocks of loops that shall be in the skeleton though they wait for nobody, because a loop over
/// the items is better inside of them; all items must reach them or none.
skeleton make_skeleton(llvm::Function& function,
                       llvm::function_ref<bool(const llvm::Instruction&)> splits,
                       llvm::ArrayRef<llvm::BasicBlock*> extra, llvm::ArrayRef<cut> cuts);

}  // namespace pianola::compiler::host
