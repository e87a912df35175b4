// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/PassManager.h>

#include "host/analysis/item_level.hpp"
#include "pianola/compiler/kernel.hpp"

namespace pianola::compiler::host {

/// A copy of a kernel's body with the parameters (function object, launch, group), into which everything
/// that it calls has been inlined, simplified; null, with an error, if that cannot be done. Of the intrinsics,
/// is_device, sub_group_size, group_storage and group_object have been answered.
llvm::Function* prepare_body(const kernel& k, unsigned sub_group_size, const placeholders& names,
                             llvm::FunctionAnalysisManager& analyses,
                             llvm::FunctionPassManager& simplify);

/// Inlines every direct call of a function that is defined here. Those with intrinsics inside must be
/// inlined; returns false, with an error, where one cannot be. Others are left out where that is not useful:
/// recursion, large functions, functions for other instruction sets, functions the user marked noinline.
bool inline_callees(llvm::Function& function, const kernel& k);

/// An error of the user's program, "kernel 'NAME': REASON", with the place of `where` if there is one.
void report(const kernel& k, const llvm::Instruction* where, const llvm::Twine& reason);

/// Answers questions about group and launch with loads from the parameters; ids of work-items become those
/// of `names`. The level whose items are all work-items of the group.
item_level bind_group_values(llvm::Function& function, const kernel& k, const placeholders& names);

}  // namespace pianola::compiler::host
