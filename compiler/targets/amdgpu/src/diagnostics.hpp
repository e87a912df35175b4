// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>

#include "pianola/compiler/diagnose.hpp"

namespace pianola::compiler::amdgpu {

/// " at FILE:LINE:COLUMN" where the instruction has a location.
std::string location_of(const llvm::Instruction& instruction);

/// "kernel 'NAME'" for the first kernel that reaches the function; "device code" when none does.
std::string kernel_reaching(const llvm::Function& function);

/// Kernels are functions of the module that carry this attribute with their name for people.
inline constexpr llvm::StringLiteral kernel_name_attribute = "pianola-kernel-name";

}  // namespace pianola::compiler::amdgpu
