// SPDX-License-Identifier: Apache-2.0
// LLVM's AMDGPU target and the tools around it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <llvm/IR/DataLayout.h>

#include "architecture.hpp"
#include "pianola/compiler/kernel.hpp"

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace pianola::compiler::amdgpu {

inline constexpr const char* target_triple = "amdgcn-amd-amdhsa";

/// Never null: the LLVM this is built with has the target, and parse_architecture() knows its processors.
std::unique_ptr<llvm::TargetMachine> make_target_machine(const architecture& target,
                                                         const options& chosen);

llvm::DataLayout device_layout(const architecture& target);

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
std::optional<std::string> emit_object(llvm::Module& module, const architecture& target,
                                       const options& chosen);

/// The code object that lld makes of the object file. Reports what is wrong, also when there is no lld.
std::optional<std::string> link_code_object(const std::string& object, llvm::LLVMContext& context);

}  // namespace pianola::compiler::amdgpu
