// SPDX-License-Identifier: Apache-2.0
// The steps from a device module to PTX and cubins, in the order of their use, and the machine that they are for. Every step
// works on the whole module.
#pragma once

#include <memory>
#include <string>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <pianola/compiler/kernel.hpp>

#include "architecture.hpp"
#include "pianola/compiler/tool_run.hpp"

namespace pianola::compiler::ptx {

// NVPTX's numbers of address spaces.
inline constexpr unsigned global_space = 1;
inline constexpr unsigned shared_space = 3;

/// Of the kernels' parameters, more than every architecture and PTX before version 8.1 take.
bool needs_late_ptx(const kernel& of);

/// Null, with an error reported, where this LLVM generates no code for CUDA devices.
std::unique_ptr<llvm::TargetMachine> make_target_machine(const architecture& target, bool late_ptx,
                                                         const options& options,
                                                         llvm::LLVMContext& context);

/// Removes what only the host's code generator and runtime understand (target attributes, exception tables,
/// constructors of globals), keeps line numbers of debug information at most, and marks every function as one
/// that work-items must not enter divergently where they did not before.
void drop_host_traits(llvm::Module& module);

/// Gives each kernel an entry point that takes function object and launch by value and calls the body;
/// everything else becomes internal. False: a kernel's arguments are too large (reported).
bool add_entry_points(llvm::Module& module, llvm::ArrayRef<kernel> kernels);

/// The number of bytes that the kernel's parameters take.
std::uint64_t parameter_bytes(const kernel& of);

/// PTX of sm_90 and later; emit() drops them for others, where kernels do not overlap.
inline constexpr const char launch_dependents[] = "griddepcontrol.launch_dependents;";
inline constexpr const char wait_for_prerequisites[] = "griddepcontrol.wait;";

/// Replaces the __pianola_* functions.
void resolve_intrinsics(llvm::Module& module);

/// Inlines the bodies and simplifies while calls still mean functions of the host's C library, so that
/// pow(x, 2) becomes a product.
void simplify(llvm::Module& module);

/// printf, assertions and functions of <cstring> in terms of what a GPU has.
void resolve_library_calls(llvm::Module& module);
bool is_library_function(llvm::StringRef name);

/// Math functions of C and LLVM's math intrinsics become instructions or calls of libdevice's functions.
/// `approximate`: the fast variants of libdevice.
void map_math(llvm::Module& module, bool approximate);
bool is_math_function(llvm::StringRef name);

/// Tells the optimiser what the parameters are: read-only memory that nothing else points into, and pointers
/// in it point to global memory.
void mark_parameters(llvm::Module& module);

/// Target triple and data layout of the machine; attributes for the treatment of floating-point numbers.
void retarget(llvm::Module& module, const llvm::TargetMachine& machine, bool fast_math);

/// Links the functions of libdevice that the module calls. False: it is needed and not there, or unreadable
/// (reported).
bool link_device_libraries(llvm::Module& module, const options& options);

/// From drop_host_traits() to retarget().
bool lower(llvm::Module& module, llvm::ArrayRef<kernel> kernels, const llvm::TargetMachine& machine,
           const options& options);

/// Atomic accesses and fences of every order and scope in PTX's terms; LLVM 19 drops orders and scopes.
/// False: an access has more bits than a GPU can access at once (reported).
bool lower_atomics(llvm::Module& module);

/// All optimisation of the lowered module, from mark_parameters() to lower_atomics().
bool optimise(llvm::Module& module, llvm::TargetMachine& machine, const options& options);

/// False: a function is called that device code does not have (reported).
bool check_is_complete(const llvm::Module& module);

/// PTX text. The module is used up.
std::string emit(llvm::Module& module, llvm::TargetMachine& machine);

/// Starts ptxas, which makes a cubin of the text.
std::unique_ptr<tool_run> link(const std::string& ptxas, llvm::StringRef text,
                               const architecture& target);

}  // namespace pianola::compiler::ptx
