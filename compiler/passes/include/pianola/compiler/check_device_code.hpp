// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

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
/// Refused are: exceptions thrown, recursion, functions that are not defined in the translation unit (but for those
/// declared SYCL_EXTERNAL, the C math library, memory copies, printf and the compiler's own), calls through pointers, virtual calls,
/// addresses of functions, new and delete, malloc and free, long double, variable arguments, inline assembly,
/// instructions of the host, variables that are not constants, thread_local variables, static local variables
/// initialised when first reached, stack memory of a size unknown at compile time, run-time type information.
///
/// `waits_for`: one per kernel, what it calls that is declared SYCL_EXTERNAL and not defined in the module, for people; empty
/// if there is no such function. One of several.
bool check_device_code(llvm::Module& device, llvm::ArrayRef<kernel> kernels,
                       std::vector<std::string>& waits_for);

/// Likewise, of the code of a whole program: functions that are declared SYCL_EXTERNAL and not defined are refused as well.
bool check_linked_device_code(llvm::Module& device, llvm::ArrayRef<kernel> kernels);

}  // namespace pianola::compiler
