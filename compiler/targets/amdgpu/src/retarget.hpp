// SPDX-License-Identifier: Apache-2.0
// From IR for the host to IR for AMDGPU. Every function works on the whole module; lower.cpp calls them in
// the order they stand here.
#pragma once

#include <llvm/ADT/ArrayRef.h>

#include "architecture.hpp"
#include "pianola/compiler/kernel.hpp"

namespace llvm {
class Module;
}

namespace pianola::compiler::amdgpu {

/// Takes away what speaks of the host: attributes, module flags, comdats, calling conventions. Functions
/// become internal.
void drop_host_traits(llvm::Module& module);

/// Makes address computations and stack objects independent of the data layout wherever the device's would
/// give other numbers (structures with 128-bit integers): function objects arrive laid out by the host.
/// False, with an error reported, where that cannot be done.
bool pin_layouts(llvm::Module& module, const llvm::DataLayout& device);

/// Parameters passed by the host's conventions (byval, sret, inalloca) become plain pointers; callers make
/// the copies.
void lower_parameters(llvm::Module& module);

/// Global variables go to global or constant memory, stack objects to private memory; all existing uses see
/// generic pointers. False, with an error reported, for objects that have no such place.
bool assign_address_spaces(llvm::Module& module);

/// Scopes of atomic accesses and fences get AMDGPU's names: "device" is "agent" there. Scopes that have none
/// become the system's.
void map_sync_scopes(llvm::Module& module);

/// Adds the kernels' entry points, which call the bodies: (function object, pianola_launch), both by value in
/// the kernarg segment. False, with an error reported, when one is too large.
bool add_entry_points(llvm::Module& module, llvm::ArrayRef<kernel> kernels);

/// Replaces every `__pianola_*` function. False, with an error reported, for an unknown one.
bool resolve_intrinsics(llvm::Module& module, const architecture& target);

/// Replaces functions of the C library and LLVM's mathematical intrinsics by functions of the device
/// libraries (declared only) or by instructions. Functions that are not known stay. True when something
/// changed.
bool resolve_library_calls(llvm::Module& module, bool fast_math);

/// Pointers that a kernel reads from its function object point to global memory: nothing else can be in it.
/// For kernels into which their bodies are inlined.
void promote_kernel_pointers(llvm::Module& module);

/// All of the above but the last.
bool lower(llvm::Module& module, llvm::ArrayRef<kernel> kernels, const architecture& target,
           const options& chosen);

}  // namespace pianola::compiler::amdgpu
