// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>

#include "host/analysis/item_level.hpp"

namespace pianola::compiler::host {

/// A branch that asks for ids, and the block where its ways meet again.
struct cut {
  llvm::BasicBlock* decision;
  llvm::BasicBlock* join;
};

/// Parts of the code between barriers that only some items run, as a block's edges are loaded: `if (z == 0)
/// ...; if (x == 31) ...`. With loops of their own, of just these items (select_items.hpp), they do not keep
/// the vectoriser from the rest. Found where
///
/// - all items come by, and what is before and behind does something, too;
/// - nothing between the barriers is atomic, volatile or a call, so nobody can tell the order of items;
/// - no value of an item that would need an array for it crosses the border.
///
/// `extra`: headers of loops that will be in the skeleton.
llvm::SmallVector<cut, 4> find_cuts(llvm::Function& function, const item_level& level,
                                    const placeholders& names,
                                    llvm::function_ref<bool(const llvm::Instruction&)> splits,
                                    llvm::ArrayRef<llvm::BasicBlock*> extra);

}  // namespace pianola::compiler::host
