// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <llvm/ADT/ArrayRef.h>

#include "pianola/compiler/kernel.hpp"

namespace llvm {
class Module;
}

namespace pianola::compiler {

/// Compiles the device module to a shared object that runs on this processor under a driver
/// (pianola/abi/simulated.h). Needs a linker: ld.lld or ld. Nothing: an error has been reported to the
/// module's context.
std::optional<image> compile_simulated(const llvm::Module& device, llvm::ArrayRef<kernel> kernels,
                                       const options& chosen);

/// The part of compile_simulated() before optimisation and code generation: makes of `device` a module whose
/// visible functions are the kernels' entry points, each one with everything it calls inlined and all
/// intrinsics resolved through its pianola_sim_item.
void lower_to_simulated(llvm::Module& device, llvm::ArrayRef<kernel> kernels);

}  // namespace pianola::compiler
