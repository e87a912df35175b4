// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <llvm/ADT/ArrayRef.h>

#include "pianola/compiler/kernel.hpp"

namespace llvm {
class Module;
}

namespace pianola::compiler {

/// Compiles the device module to an AMDGPU code object (version 4, which HIP 5.2 and later load) for each
/// architecture: "gfx90a", or with target features as in "gfx90a:xnack-". Nothing is left undefined in a code
/// object; each holds the kernels `<symbol>(function object by value, pianola_launch by value)`.
///
/// A kernel that requires another sub-group size than the architecture has is left out with a warning: the
/// runtime says kernel_not_supported where a program launches it. Everything else that cannot be done is
/// reported as an error to the module's context, and there is no result.
std::optional<std::vector<image>> compile_amdgpu(const llvm::Module& device,
                                                 llvm::ArrayRef<kernel> kernels,
                                                 llvm::ArrayRef<std::string> architectures,
                                                 const options& chosen);

}  // namespace pianola::compiler
