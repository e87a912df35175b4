// SPDX-License-Identifier: Apache-2.0
// The steps from a device module to a shared object for this processor, in the order of their use. Every step works on the
// whole module.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "pianola/compiler/kernel.hpp"
#include "pianola/compiler/tool_run.hpp"

namespace pianola::compiler::simulated {

/// Null, with an error reported, where this LLVM has no code generator for the module's processor.
std::unique_ptr<llvm::TargetMachine> make_target_machine(const llvm::Module& module,
                                                         const options& chosen);

/// Makes of the module one whose visible functions are the kernels' entry points, each one with everything it calls inlined
/// and all intrinsics resolved through its pianola_sim_item.
void lower(llvm::Module& module, llvm::ArrayRef<kernel> kernels);

/// LLVM's pipeline of the level that the options ask for.
void optimise(llvm::Module& module, llvm::TargetMachine& machine, const options& chosen);

/// The object file of the module; nothing, with an error reported, when LLVM cannot make one.
std::optional<std::string> emit(llvm::Module& module, llvm::TargetMachine& machine);

/// Starts the linker, which makes a shared object of the object file. Null, with an error reported, when there is none.
std::unique_ptr<tool_run> link(const std::string& object, llvm::LLVMContext& context);
void report_failure(const tool_run& run, llvm::LLVMContext& context);

}  // namespace pianola::compiler::simulated
