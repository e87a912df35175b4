// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "item_loops.hpp"
#include "regions.hpp"
#include "value_storage.hpp"

namespace pianola::compiler::host {

/// What a region's first branch says about the items that do anything: those for which `condition`, a
/// comparison of x with something that is the same for all items, has this value.
struct item_selection {
  /// Null: all items may do something.
  llvm::ICmpInst* condition = nullptr;
  bool value = true;
  /// The comparison as it holds for those items, x on the left; `bound` is a value of the prologue.
  llvm::CmpInst::Predicate predicate = llvm::CmpInst::BAD_ICMP_PREDICATE;
  llvm::Value* bound = nullptr;
};

/// Looks for `if (x < bound) ...` with nothing else in the region, so that the loops need not visit the
/// other items: the halving steps of a reduction then cost what they do. `early` gives the value of the
/// prologue, or null. Only levels with one loop.
item_selection select_items(const region& r, const value_storage& storage,
                            const placeholders& names, const item_level& level,
                            llvm::function_ref<llvm::Value*(llvm::Value*)> early);

std::vector<item_range> selected_items(llvm::IRBuilder<>& at, const item_selection& selection,
                                       const item_level& level);

}  // namespace pianola::compiler::host
