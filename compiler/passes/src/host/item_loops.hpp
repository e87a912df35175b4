// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/IRBuilder.h>

#include "item_level.hpp"

namespace pianola::compiler::host {

/// A nest of loops over the items of a level, x innermost, each at least once.
struct item_loops {
  /// Where the nest is entered, from a block that jumps to it.
  llvm::BasicBlock* first = nullptr;
  /// Start of one item: without terminator; `ids` (slowest first, i32) and `linear` (i64) hold here.
  llvm::BasicBlock* body = nullptr;
  /// To jump to at the end of one item.
  llvm::BasicBlock* latch = nullptr;
  /// Behind the nest: without terminator.
  llvm::BasicBlock* after = nullptr;
  std::array<llvm::Value*, 3> ids{};
  llvm::Value* linear = nullptr;
};

/// Items with an x outside of [low, high) are left out; null: none.
struct item_bounds {
  llvm::Value* low = nullptr;
  llvm::Value* high = nullptr;
};

/// `before` gets its terminator. `bounds` are values of `before`.
item_loops make_item_loops(llvm::BasicBlock* before, const item_level& level, item_bounds bounds);

/// Tells the vectoriser that the x loop's items touch each other's memory only across barriers, which are
/// outside of it. `blocks`: all of the loop. `where`: for remarks.
void mark_parallel(const item_loops& loops, llvm::ArrayRef<llvm::BasicBlock*> blocks,
                   const item_level& level, const llvm::DebugLoc& where);

}  // namespace pianola::compiler::host
