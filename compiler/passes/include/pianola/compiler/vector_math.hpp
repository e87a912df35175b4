// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include "pianola/compiler/kernel.hpp"

namespace pianola::compiler {

/// In kernels and what they call, on the host: mathematical functions of the C library do not set errno, and
/// where the C library (glibc's libmvec) or the runtime has forms of them for vectors that are as precise as SYCL 2020
/// asks, the vectoriser is told of those that the caller's instruction set can call.
///
/// A function that looks at errno itself is left alone.
void vectorise_math(llvm::Module& module, llvm::ArrayRef<kernel> kernels);

/// Before the vectoriser: loops with such calls take one vector at a time. Of several, all but one would be kept in memory
/// around each call, which costs more than the loop's own instructions that are saved.
class one_vector_beside_calls : public llvm::PassInfoMixin<one_vector_beside_calls> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace pianola::compiler
