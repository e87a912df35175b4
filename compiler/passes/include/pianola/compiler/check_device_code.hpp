// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/ArrayRef.h>

#include "kernel.hpp"

namespace llvm {
class Module;
}

namespace pianola::compiler {

/// Reports what `kernels`, whose bodies are in the device module of outline(), do and a device cannot do: an
/// error with source location per kernel and reason, notes with the calls that lead there. True if there was
/// nothing to report; code of a module that was refused must not be generated.
///
/// Refused are: exceptions thrown, recursion, functions that are not defined in the translation unit (but for
/// the C math library, memory copies, printf and the compiler's own), calls through pointers, virtual calls,
/// addresses of functions, new and delete, malloc and free, long double, variable arguments, inline assembly,
/// instructions of the host, variables that are not constants, thread_local variables, static local variables
/// initialised when first reached, stack memory of a size unknown at compile time, run-time type information.
bool check_device_code(llvm::Module& device, llvm::ArrayRef<kernel> kernels);

}  // namespace pianola::compiler
