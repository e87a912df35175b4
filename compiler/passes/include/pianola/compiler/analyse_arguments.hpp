// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <llvm/ADT/ArrayRef.h>

#include "pianola/compiler/argument_use.hpp"
#include "pianola/compiler/kernel.hpp"

namespace llvm {
class raw_ostream;
}

namespace pianola::compiler {

/// What each kernel does through the pointers of its function object, and how much it computes. The bodies are those of outline(): inlined
/// and simplified, intrinsics not yet resolved. Says nothing that is not proven: whatever cannot be followed is
/// PIANOLA_USE_UNKNOWN, or leaves the kernel without PIANOLA_KERNEL_USES_ONLY or USES_KNOWN. The exception are
/// accesses that SYCL forbids, such as reading a buffer through a pointer made of thin air.
std::vector<kernel_uses> analyse_arguments(llvm::ArrayRef<kernel> outlined);

/// For people and tests; one line per use.
void print(llvm::raw_ostream& out, const kernel_uses& uses);
/// The same; one line per access of each use that is listed.
void print_accesses(llvm::raw_ostream& out, const kernel_uses& uses);
/// The arithmetic; one line per entry.
void print_operations(llvm::raw_ostream& out, const kernel_uses& uses);

}  // namespace pianola::compiler
