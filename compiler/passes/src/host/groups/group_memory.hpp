// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/analysis/item_level.hpp"

namespace pianola::compiler::host {

/// A request for storage of the group whose size per work-item is not a constant, or null. The function is a
/// prepared body: whatever could be computed has been.
const llvm::Instruction* storage_of_unknown_size(const llvm::Function& function,
                                                 const placeholders& names);
/// A request for an object of the group that does not say which, or null.
const llvm::Instruction* unknown_group_object(const llvm::Function& function);

/// Gives the arrays of a lowered function, and the storage that group algorithms asked for, their memory:
/// the stack, if a group of 1024 work-items needs no more than 64 KiB of it, or else the calling thread's
/// arena of the runtime (pianola_work_group_frame_v1, which may throw).
///
/// `work_items`: their number in the group, a value of the entry block that stands in front of all arrays.
/// Arrays have an element for every `items_per_element` of them (a sub-group's, or 1), storage one for each, or one
/// for all.
/// No storage is of unknown size.
///
/// Then answers __pianola_address_space, which has to know those objects.
void place_group_memory(llvm::Function& function, llvm::Instruction* work_items,
                        unsigned items_per_element, const placeholders& names);

}  // namespace pianola::compiler::host
