// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Target/TargetMachine.h>

namespace pianola::compiler {

/// Object file or assembly text of the module, which is used up. Nothing: LLVM has no such thing for the machine.
std::optional<std::string> emit(llvm::Module& module, llvm::TargetMachine& machine,
                                llvm::CodeGenFileType type);

/// Adds the functions of this file of bitcode that the module declares, and what these need: only that is read. The
/// text of the error where it cannot be; else empty.
std::string link_library(llvm::Module& module, const std::string& file);

/// Whether the module calls a function that it does not have and whose name begins with one of these.
bool needs_library(const llvm::Module& module, llvm::ArrayRef<llvm::StringRef> prefixes);

/// Nobody outside of device code calls what is in it: everything but kernels becomes internal.
void keep_only_kernels_visible(llvm::Module& module);

}  // namespace pianola::compiler
