// SPDX-License-Identifier: Apache-2.0
// What messages say of a place in device code.
#pragma once

#include <string>

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>

namespace pianola::compiler {

/// Functions of the module that are kernels carry this attribute with their name for people.
inline constexpr llvm::StringLiteral kernel_name_attribute = "pianola-kernel-name";

/// " at FILE:LINE:COLUMN" where the instruction has a location.
std::string location_of(const llvm::Instruction& instruction);

/// "kernel 'NAME'" for the first kernel that reaches the function; "device code" when none does.
std::string kernel_reaching(const llvm::Function& function);

/// A way from a kernel to a value.
struct kernel_use {
  /// Null: no kernel reaches it.
  const llvm::Function* kernel = nullptr;
  /// The last step of the way; null where only constants use the value.
  const llvm::Instruction* at = nullptr;
};

kernel_use find_kernel_use(const llvm::GlobalValue& value);

}  // namespace pianola::compiler
