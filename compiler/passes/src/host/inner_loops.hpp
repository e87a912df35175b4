// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/SmallVector.h>

#include "item_level.hpp"

namespace pianola::compiler::host {

/// Headers of innermost loops that wait for nobody but are better outside of the loop over the items: the
/// vectoriser only takes innermost loops. Where the trip count is the same for all items, that can be the
/// loop over the items.
///
/// It pays if the loop's values that differ between items are few (they move from registers into arrays),
/// and if the body computes something and could be vectorised at all: no calls, no atomics.
llvm::SmallVector<llvm::BasicBlock*, 4> inner_loops(
    llvm::Function& function, const item_level& level, const placeholders& names,
    llvm::function_ref<bool(const llvm::Instruction&)> splits);

}  // namespace pianola::compiler::host
