// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Module.h>

namespace pianola::compiler {

/// Gives subprograms the names that reports show; code that gets inlined has no other name.
void name_subprograms(llvm::Module& module);

}  // namespace pianola::compiler
