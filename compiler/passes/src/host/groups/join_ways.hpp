// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Function.h>

#include "host/analysis/item_level.hpp"

namespace pianola::compiler::host {

/// Optimisers let what knows the answer jump past a question: `if (lane < 10) for (k < n) load(); for (k < n) exchange();`
/// goes from the first loop right into the second, and work-items come to the exchange on two ways, of which one of them can
/// only tell its own. Lets the ways of decisions that are not proven to be the same for all come together in front of what
/// they meet in, where all go the same way again. False: some still meet in a place that `waits`. Ballots: as of `uniformity`.
bool join_ways(llvm::Function& function, const placeholders& names,
               llvm::function_ref<bool(const llvm::Instruction&)> waits, bool ballots);

}  // namespace pianola::compiler::host
