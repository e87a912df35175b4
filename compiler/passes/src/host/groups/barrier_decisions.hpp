// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Function.h>

#include "host/analysis/item_level.hpp"
#include "pianola/compiler/kernel.hpp"

namespace pianola::compiler::host {

/// Branches and switches that decide whether a call for which `waits` holds is reached, and of which it is not
/// proven that all work-items of the group go the same way. SYCL wants them to, and programs mostly keep to it.
/// `ballots`: it is the work-items of a sub-group that are to go the same way, see uniformity.
std::vector<llvm::Instruction*> unproven_decisions(
    llvm::Function& function, const placeholders& names,
    llvm::function_ref<bool(const llvm::Instruction&)> waits, bool ballots = false);

/// Whether one of them has two ways on each of which work-items wait before the ways come together again. It need not be
/// that they all go the same way: `if (lane < 10) for (k < n) load(); for (k < n) exchange();` becomes such a one when the
/// optimiser lets what knows `n` jump past the second test, and work-items of both ways meet in the exchange.
bool waits_on_two_ways(llvm::Function& function, const placeholders& names,
                       llvm::function_ref<bool(const llvm::Instruction&)> waits,
                       bool ballots = false);

/// Warns of the first of them that asks for nothing but the place of the work-item in its group: work-items of a group
/// that is large enough do go different ways.
void warn_of_decision_by_place(const kernel& k, llvm::ArrayRef<llvm::Instruction*> decisions,
                               const placeholders& names);

}  // namespace pianola::compiler::host
