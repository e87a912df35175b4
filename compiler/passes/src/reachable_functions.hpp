// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Function.h>

#include "pianola/compiler/kernel.hpp"

namespace pianola::compiler {

/// The kernels' bodies and every function that code in them names, transitively; those that are only declared as well.
llvm::SetVector<llvm::Function*> reachable_functions(llvm::ArrayRef<kernel> kernels);

}  // namespace pianola::compiler
