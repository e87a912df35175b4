// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/ArrayRef.h>

#include "pianola/compiler/argument_use.hpp"
#include "pianola/compiler/kernel.hpp"

namespace llvm {
class Module;
}

namespace pianola::compiler {

/// Gives the module the structs of abi/image.h, a constructor that registers them before the program's own
/// constructors run and a destructor that takes them back. Nothing for a module without kernels.
/// uses: one per kernel, in the same order; or none, when nothing is known of any.
void emit_registration(llvm::Module& module, llvm::ArrayRef<kernel> kernels,
                       llvm::ArrayRef<image> images, llvm::ArrayRef<kernel_uses> uses = {});

}  // namespace pianola::compiler
