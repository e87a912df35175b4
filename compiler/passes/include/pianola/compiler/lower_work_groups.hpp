// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/PassManager.h>

#include "kernel.hpp"

namespace pianola::compiler {

/// Code of nd_range kernels for the host. For each, the function `<body>.work_group(function object,
/// pianola_launch, pianola_work_group)` is made, which runs all work-items of one work-group, and every
/// `__pianola_work_group(body, ...)` calls it.
///
/// The body of one work-item becomes regions between barriers, each in a loop over the work-items that the
/// vectoriser takes as it would take a loop of the user's; see host/lower_items.hpp for how. `simplify` is
/// LLVM's function simplification pipeline, also when the translation unit is compiled without
/// optimisation: it runs on the new functions only, before they are lowered. `checks_accesses`: they get what
/// check_accesses() puts into a body.
///
/// What cannot be lowered (a barrier inside of a recursive function, a sub-group size that is not 8 or 16)
/// is an error with the kernel's name.
void lower_work_groups(llvm::Module& module, llvm::ArrayRef<kernel> kernels,
                       llvm::FunctionAnalysisManager& analyses, llvm::FunctionPassManager& simplify,
                       bool checks_accesses);

/// Answers the intrinsics in all other functions of the module: `__pianola_is_device` is 0, and one that
/// only makes sense inside of a kernel becomes a call to the runtime that says so. To be called after the
/// bodies of kernels have been deleted.
void resolve_leftover_intrinsics(llvm::Module& module);

}  // namespace pianola::compiler
