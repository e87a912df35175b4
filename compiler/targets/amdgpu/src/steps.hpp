// SPDX-License-Identifier: Apache-2.0
// The steps from a device module to a code object, in the order of their use, and the machine that they are for. Every step
// works on the whole module.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/DataLayout.h>

#include "architecture.hpp"
#include "pianola/compiler/kernel.hpp"
#include "pianola/compiler/tool_run.hpp"

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
}  // namespace llvm

namespace pianola::compiler::amdgpu {

inline constexpr const char* target_triple = "amdgcn-amd-amdhsa";

/// Never null: the LLVM this is built with has the target, and parse_architecture() knows its processors.
std::unique_ptr<llvm::TargetMachine> make_target_machine(const architecture& target,
                                                         const options& chosen);

llvm::DataLayout device_layout(const architecture& target);

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

/// From drop_host_traits() to resolve_library_calls().
bool lower(llvm::Module& module, llvm::ArrayRef<kernel> kernels, const architecture& target,
           const options& chosen);

/// The folder that holds ocml.bc: `chosen.rocm_path`, or where distributions and ROCm put it. Nothing when
/// there is none; reports that.
std::optional<std::string> find_device_libraries(const options& chosen, llvm::LLVMContext& context);

/// Adds the functions of the device libraries that the module declares, and what these need. False, with an
/// error reported, for a library that cannot be read.
bool link_device_libraries(llvm::Module& module, const std::string& folder,
                           const architecture& target, const options& chosen);

/// All optimisation of the lowered module, the device libraries' functions linked in.
bool optimise(llvm::Module& module, const std::string& libraries, const architecture& target,
              const options& chosen);

/// Whether everything in the module can be compiled; reports what cannot.
bool check_is_complete(const llvm::Module& module);

/// The object file of the module; nothing, with an error reported, when LLVM cannot make one.
std::optional<std::string> emit(llvm::Module& module, const architecture& target,
                                const options& chosen);

/// Starts lld, which makes a code object of the object file. Null, with an error reported, when there is none.
std::unique_ptr<tool_run> link(const std::string& object, llvm::LLVMContext& context);
void report_failure(const tool_run& run, llvm::LLVMContext& context);

}  // namespace pianola::compiler::amdgpu
