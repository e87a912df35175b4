// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <llvm/ADT/SmallVector.h>

#include "host/regions/item_loops.hpp"
#include "host/regions/regions.hpp"
#include "host/regions/value_storage.hpp"

namespace pianola::compiler::host {

/// A comparison of an id with something that is the same for all items, as it holds for selected items:
/// id on the left.
struct item_limit {
  /// 0: z, 1: y, 2: x.
  unsigned dimension = 2;
  llvm::CmpInst::Predicate predicate = llvm::CmpInst::BAD_ICMP_PREDICATE;
  /// A value of the prologue.
  llvm::Value* bound = nullptr;
};

/// Items of a region that take one way through the branches with which it begins; all of them are within
/// the limits.
struct item_selection {
  struct decision {
    llvm::BasicBlock* block;
    /// Successor to which the selected items go.
    unsigned taken;
    /// All items within the limits go there. Otherwise, those that do not have nothing to do with this way.
    bool is_certain;
  };
  llvm::SmallVector<item_limit, 4> limits;
  llvm::SmallVector<decision, 4> decisions;
  /// Comparisons that have this value for all items within the limits.
  llvm::SmallVector<std::pair<llvm::ICmpInst*, bool>, 4> known;
};

/// Looks for `if (x < bound) ... else if (z == 3) ...` with nothing else in the region, so that the loops
/// need not visit the other items: the halving steps of a reduction, and the edges of a block, then cost
/// what they do. `early` gives the value of the prologue, or null. Empty: all items may do something.
/// Otherwise no item takes more than one of the ways, and one that takes none does nothing.
llvm::SmallVector<item_selection, 4> select_items(
    const region& r, const value_storage& storage, const placeholders& names,
    const item_level& level, llvm::function_ref<llvm::Value*(llvm::Value*)> early);

/// `is_alone`: there are no other ways.
std::vector<item_range> selected_items(llvm::IRBuilder<>& at, const item_selection& selection,
                                       const item_level& level, bool is_alone);

/// 0: z, 1: y, 2: x, of an id, also of one that was widened without a sign; nothing for all else.
std::optional<unsigned> id_dimension(llvm::Value* value, const placeholders& names);

/// Whether nothing in the block has an effect, but for its terminator.
bool is_silent(const llvm::BasicBlock& block);

}  // namespace pianola::compiler::host
