// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/ArrayRef.h>

#include "kernel.hpp"

namespace pianola::compiler {

/// Makes a switch of each computed `goto` in functions that kernels reach, and numbers of the labels' addresses, wherever
/// they are kept. A copy of a function could not jump to labels in a table, which are the original's; and edges of
/// a computed goto cannot be split.
void expand_computed_gotos(llvm::ArrayRef<kernel> kernels);

}  // namespace pianola::compiler
