// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/PassManager.h>

#include "pianola/compiler/kernel.hpp"

namespace pianola::compiler {

/// For tests with `opt`; the module's kernels are annotated. Names:
///   pianola-amdgpu-lower<gfx90a>      takes a device module; gives what optimisation starts from
///   pianola-amdgpu-optimise<gfx90a>   takes a device module; gives what instructions are selected from
///   pianola-amdgpu-image<gfx90a>      takes a translation unit, outlines it and goes the whole way; results
///                                     are the files in options.save_temps
/// False for other names.
bool parse_amdgpu_pass(llvm::StringRef name, llvm::ModulePassManager& passes,
                       const options& chosen);

}  // namespace pianola::compiler
