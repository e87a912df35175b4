// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/analysis/item_level.hpp"
#include "pianola/compiler/kernel.hpp"

namespace pianola::compiler::host {

/// Barriers that not all work-items of a group come to. Where it is not proven that they agree about a branch that
/// decides about a barrier, they are asked. If they differ, their ways part for the rest of the kernel: each of them is
/// run from wait to wait by pianola_run_apart_v1, and who has left counts as arrived.
///
/// `function` runs one work-item, with its group values bound (`level`). Warns where the program surely differs.
/// `of_sub_groups`: more branches, to which all of the group come, where those of one sub-group are to agree.
void part_items(llvm::Function& function, const kernel& k, const item_level& level,
                unsigned sub_group_size, llvm::ArrayRef<llvm::Instruction*> of_sub_groups,
                const placeholders& names);

/// The same from the start, for kernels whose work-items nobody asks: each of them is run from wait to wait. False: that cannot be
/// done, and nothing has changed.
bool part_items_at_start(llvm::Function& function, const kernel& k, const item_level& level,
                         unsigned sub_group_size, const placeholders& names);

/// For work-items that go together: nobody asks who has come.
void forget_who_is_here(llvm::Function& function);

/// Answers what part_items asks of all work-items, once the loops over them have been made.
void answer_votes(llvm::Function& function);

}  // namespace pianola::compiler::host
