// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include "kernel.hpp"

namespace pianola::compiler {

/// In every function that kernels reach: a call of `pianola_check_access_v1` before each access to memory that may be a
/// buffer's, and one of `pianola_note_place_v1` before each subscript of an accessor. Both may throw, so
/// functions on the way are no longer taken for ones that do not; a cleanup that clang left out for that reason is not made up for.
/// Where `simplify` is not null, the kernels' entry points (annotated "pianola.entry") first get by inlining what they call,
/// and are simplified: what is left there are few accesses.
/// To be run when work-groups have become functions, before the optimiser. name_subprograms() was run before both.
void check_accesses(llvm::Module& module, llvm::ArrayRef<kernel> kernels,
                    llvm::FunctionAnalysisManager& analyses, llvm::FunctionPassManager* simplify);

/// The same in the body of one work-item, into which everything was inlined, and simplified: variables whose addresses were
/// given away would be no constants where that is asked for. Parameters are the kernel's own.
void check_accesses(llvm::Function& item_body);

}  // namespace pianola::compiler
