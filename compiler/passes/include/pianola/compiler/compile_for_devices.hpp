// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <llvm/ADT/ArrayRef.h>

#include "kernel.hpp"

namespace llvm {
class Module;
}

namespace pianola::compiler {

/// Whether one of the targets that were asked for wants the code of this kernel in images without the kernels of which it
/// does not, see register_target.
bool has_own_images(const kernel& of, const options& chosen);

/// Images of the kernels of an outlined device module for all targets that were asked for; none
/// where an error has been reported to the module's context.
std::vector<image> compile_for_devices(const llvm::Module& device, llvm::ArrayRef<kernel> kernels,
                                       const options& chosen);

}  // namespace pianola::compiler
