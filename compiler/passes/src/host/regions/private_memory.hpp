// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/analysis/item_level.hpp"
#include "host/regions/skeleton.hpp"

namespace pianola::compiler::host {

/// Gives every item its own copy of the allocas that registers could not replace: they become an array in
/// memory that all items share, and the address of one's own copy is computed from the item's number.
void expand_private_memory(llvm::Function& function, const skeleton& s, const item_level& level,
                           const placeholders& names);

}  // namespace pianola::compiler::host
