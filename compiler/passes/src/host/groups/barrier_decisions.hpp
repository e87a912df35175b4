// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Function.h>

#include "host/analysis/item_level.hpp"
#include "pianola/compiler/kernel.hpp"

namespace pianola::compiler::host {

/// Branches and switches that decide whether a call for which `waits` holds is reached, and of which it is not
/// proven that all work-items of the group go the same way. SYCL wants them to, and programs mostly keep to it.
/// `ballots`: it is the work-items of a sub-group that are to go the same way, see uniformity.
/// `last`: only those of which one way surely leads to such a call, so that who differs leaves others there alone.
std::vector<llvm::Instruction*> unproven_decisions(
    llvm::Function& function, const placeholders& names,
    llvm::function_ref<bool(const llvm::Instruction&)> waits, bool ballots = false,
    bool last = false);

/// The blocks with an instruction that `waits`.
llvm::SetVector<llvm::BasicBlock*> blocks_that_wait(
    llvm::Function& function, llvm::function_ref<bool(const llvm::Instruction&)> waits);

/// Warns of the first of them that asks for nothing but the place of the work-item in its group: work-items of a group
/// that is large enough do go different ways.
void warn_of_decision_by_place(const kernel& k, llvm::ArrayRef<llvm::Instruction*> decisions,
                               const placeholders& names);

}  // namespace pianola::compiler::host
