// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Module.h>

#include <pianola/compiler/kernel.hpp>

namespace pianola::compiler {

/// Compiles the kernels of an outlined device module for NVIDIA GPUs: one cubin for each architecture
/// ("sm_75", "sm_90a", sm_70 at least), and the PTX of the lowest one ("ptx:sm_75", ends with a null), which
/// drivers of other architectures compile themselves. Needs ptxas and libdevice of a CUDA toolkit.
/// `kernels` name functions of `device` by their bodies' names. Kernels that require sub-groups of another
/// size than 32 are left out with a warning.
/// Nothing: an error has been reported to the module's context.
std::optional<std::vector<image>> compile_ptx(const llvm::Module& device,
                                              llvm::ArrayRef<kernel> kernels,
                                              llvm::ArrayRef<std::string> architectures,
                                              const options& options);

/// The PTX text for one architecture. Needs no toolkit unless the kernels call math functions that
/// libdevice has. Nothing: an error has been reported to the module's context.
std::optional<std::string> emit_ptx(const llvm::Module& device, llvm::ArrayRef<kernel> kernels,
                                    const std::string& architecture, const options& options);

}  // namespace pianola::compiler
