// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/IRBuilder.h>

#include "host/analysis/item_level.hpp"

namespace pianola::compiler::host {

/// The items that one nest of loops runs.
struct item_range {
  /// i1; null: always. Otherwise the nest is left out where it does not hold.
  llvm::Value* guard = nullptr;
  /// i32, slowest first: the first item's index, and that of the one behind the last one; null: 0, the
  /// level's size. Where `fixed`, which only z and y may be, is not null it is the only index: no loop.
  std::array<llvm::Value*, 3> low{};
  std::array<llvm::Value*, 3> high{};
  std::array<llvm::Value*, 2> fixed{};
  /// Not 0: as many whole strips of so many items in x as there are, each with y inside of it, so that what
  /// only depends on x is loaded once per strip.
  unsigned strip = 0;
  /// Its loops are short: one vector at a time.
  bool is_short = false;
};

/// Ranges that together are all items of a level, each in one of them. They make the trip count of the x loop
/// a constant where that is possible; what does not fit is in a range of its own.
std::vector<item_range> all_items(llvm::IRBuilder<>& at, const item_level& level);

/// A nest of loops over items, x innermost, each loop at least once.
struct item_loops {
  /// Start of one item: without terminator; `ids` (slowest first, i32) and `linear` (i64) hold here.
  llvm::BasicBlock* body = nullptr;
  /// To jump to at the end of one item.
  llvm::BasicBlock* latch = nullptr;
  /// Behind the nest: without terminator.
  llvm::BasicBlock* after = nullptr;
  std::array<llvm::Value*, 3> ids{};
  llvm::Value* linear = nullptr;
};

/// `before` gets its terminator.
item_loops make_item_loops(llvm::BasicBlock* before, const item_level& level,
                           const item_range& range);

/// Tells the vectoriser that the x loop's items touch each other's memory only across barriers, which are
/// outside of it. `blocks`: all of the loop. `where`: for remarks.
void mark_parallel(const item_loops& loops, llvm::ArrayRef<llvm::BasicBlock*> blocks, bool is_short,
                   const llvm::DebugLoc& where);

}  // namespace pianola::compiler::host
