// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <llvm/ADT/ArrayRef.h>

#include "pianola/compiler/argument_use.hpp"
#include "pianola/compiler/device_variables.hpp"
#include "pianola/compiler/kernel.hpp"

namespace llvm {
class Module;
}

namespace pianola::compiler {

/// Gives the module the structs of abi/image.h, a constructor that registers them before the program's own
/// constructors run and a destructor that takes them back. Nothing for a module without kernels.
/// uses: one per kernel, in the same order; or none, when nothing is known of any. variables: whose pointers the images may
/// have, see device_variables.hpp.
void emit_registration(llvm::Module& module, llvm::ArrayRef<kernel> kernels,
                       llvm::ArrayRef<image> images, llvm::ArrayRef<kernel_uses> uses = {},
                       llvm::ArrayRef<device_variable> variables = {});

/// Likewise of those of the variables that the module defines.
void register_variables(llvm::Module& module, llvm::ArrayRef<device_variable> variables);

/// Likewise of one kernel whose code for devices is made when the program is linked, as it calls the function
/// `waits_for`. What is registered says so, until replace_waiting() of an object that is linked with the module
/// puts an empty set in its place.
void emit_waiting_registration(llvm::Module& module, const kernel& waiting,
                               const std::string& waits_for, const kernel_uses& uses);

/// See emit_waiting_registration().
void replace_waiting(llvm::Module& module, const kernel& waiting);

}  // namespace pianola::compiler
