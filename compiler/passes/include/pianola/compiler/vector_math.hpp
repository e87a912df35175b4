// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Module.h>

#include "pianola/compiler/kernel.hpp"

namespace pianola::compiler {

/// In kernels and what they call, on the host: mathematical functions of the C library do not set errno, and
/// where the C library has forms of them for vectors (glibc's libmvec) that are as precise as SYCL 2020 asks, the
/// vectoriser is told of those that the caller's instruction set can call.
///
/// A function that looks at errno itself is left alone.
void vectorise_math(llvm::Module& module, llvm::ArrayRef<kernel> kernels);

}  // namespace pianola::compiler
