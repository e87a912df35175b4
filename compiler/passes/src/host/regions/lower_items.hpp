// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>

#include "host/analysis/item_level.hpp"

namespace pianola::compiler::host {

/// Turns a function that runs one item into one that runs all items of a level.
///
/// Calls for which `splits` holds end the code before and begin the code behind: all items have done the
/// one before any does the other. They stay, once for all items. In short:
///
/// 1. what is the same for all items and can be known at the start moves into the entry block;
/// 2. barriers and the branches that decide about them become a skeleton of scalar control flow
///    (skeleton.hpp), so that a loop around a barrier stays a loop; a barrier-free loop with the same
///    trip count for all items joins it where the loop over the items is better inside (inner_loops.hpp),
///    and what only items at an edge do is cut out of what all do (cuts.hpp);
/// 3. the rest falls into regions with one entry (regions.hpp); each becomes a loop nest over the items
///    (emit_region.hpp), with what is the same for all items in front of it;
/// 4. values that cross from one region to another stay scalars, are computed again, or, if need be, live
///    in an array with one element per item (value_storage.hpp);
/// 5. private memory that is left becomes an array, too (private_memory.hpp).
///
/// The sub-groups of a kernel that uses them are lowered first: items are lanes, and barriers of the whole
/// group stay in the skeleton. The result is a function whose items are sub-groups.
///
/// On entry the ids are calls of `names`; entry block: nothing but allocas, ids, and values for all items.
void lower_items(llvm::Function& function, const item_level& level, const placeholders& names,
                 llvm::function_ref<bool(const llvm::Instruction&)> splits);

/// Moves what only depends on arguments, constants and the like into the entry block.
void hoist_to_entry(llvm::Function& function, const placeholders& names);

}  // namespace pianola::compiler::host
