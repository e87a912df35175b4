// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "item_level.hpp"

namespace pianola::compiler::host {

/// Gives the arrays of a lowered function, and the storage that group algorithms asked for, their memory:
/// the stack, if a group of 1024 work-items needs no more than 64 KiB of it, or else the calling thread's
/// arena of the runtime (pianola_work_group_frame_v1).
void place_group_memory(llvm::Function& function, llvm::Value* work_items,
                        const placeholders& names);

}  // namespace pianola::compiler::host
