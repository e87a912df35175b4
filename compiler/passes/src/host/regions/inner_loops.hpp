// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/SmallVector.h>

#include "host/analysis/item_level.hpp"

namespace pianola::compiler::host {

/// Headers of loops that wait for nobody but are better outside of the loop over the items, which the
/// vectoriser takes only if it is the innermost one: `for (k...) sum += a[row][k] * b[k][x];`. They are
///
/// - innermost loops that all items enter together and leave together,
/// - without calls, atomic or volatile accesses,
/// - all of whose accesses touch neighbouring addresses in neighbouring items, or the same one, and at
///   least one the former: rows that each item walks along for itself are better walked along,
/// - in which few values differ between items, for these move from registers into arrays.
llvm::SmallVector<llvm::BasicBlock*, 4> inner_loops(
    llvm::Function& function, const item_level& level, const placeholders& names,
    llvm::function_ref<bool(const llvm::Instruction&)> splits);

}  // namespace pianola::compiler::host
