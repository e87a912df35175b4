// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/PassManager.h>

#include "pianola/compiler/kernel.hpp"

namespace pianola::compiler {

/// For tests with `opt`; the module is a device module whose kernels are annotated. Names:
///   pianola-amdgpu-lower<gfx90a>   what the code generator's optimiser starts from
///   pianola-amdgpu-optimise<gfx90a>   what instructions are selected from
///   pianola-amdgpu-image<gfx90a>   the whole way; results are the files of options.save_temps
/// False for other names.
bool parse_amdgpu_pass(llvm::StringRef name, llvm::ModulePassManager& passes, const options& chosen);

}  // namespace pianola::compiler
