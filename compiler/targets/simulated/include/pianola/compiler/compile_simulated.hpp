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

/// Compiles the device module to a shared object that runs on this processor under a driver
/// (pianola/abi/simulated.h): one image, whatever the architectures. Needs a linker: ld.lld or ld. Nothing: an error has been
/// reported to the module's context.
std::optional<std::vector<image>> compile_simulated(const llvm::Module& device,
                                                    llvm::ArrayRef<kernel> kernels,
                                                    llvm::ArrayRef<std::string> architectures,
                                                    const options& chosen);

}  // namespace pianola::compiler
