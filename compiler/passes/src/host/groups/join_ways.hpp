// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Function.h>

#include "host/analysis/item_level.hpp"

namespace pianola::compiler::host {

/// Of work-items that are to come together to what `waits`, one is asked for all where they go. That is right only where all who do
/// not come go one way, and all who come another. Two things stand against it, and are mended at decisions that are not proven to
/// be the same for all, by a block in front of which their ways come together, and which asks once more:
///
/// - Optimisers let what knows the answer jump past a question: `if (lane < 10) for (k < n) load(); for (k < n) exchange();` goes
///   from the first loop right into the second, so they come on two ways.
/// - `if (lane < n) { load(); if (flag) exchange(); }`: where none of them comes, they still go two ways.
///
/// False: some still meet in a place that waits, or part where nobody comes to one. Ballots: as of `uniformity`.
bool join_ways(llvm::Function& function, const placeholders& names,
               llvm::function_ref<bool(const llvm::Instruction&)> waits, bool ballots);

}  // namespace pianola::compiler::host
