// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <llvm/ADT/Twine.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/LLVMContext.h>

namespace pianola::compiler::amdgpu {

/// A sentence for the person who compiles; an error makes clang fail.
class message : public llvm::DiagnosticInfo {
 public:
  message(const llvm::Twine& text, llvm::DiagnosticSeverity severity)
      : DiagnosticInfo(kind(), severity), text_(text.str()) {}
  void print(llvm::DiagnosticPrinter& out) const override { out << text_; }

 private:
  static int kind() {
    static const int value = llvm::getNextAvailablePluginDiagnosticKind();
    return value;
  }
  std::string text_;
};

inline void report_error(llvm::LLVMContext& context, const llvm::Twine& text) {
  context.diagnose(message(text, llvm::DS_Error));
}

inline void report_warning(llvm::LLVMContext& context, const llvm::Twine& text) {
  context.diagnose(message(text, llvm::DS_Warning));
}

/// " at FILE:LINE:COLUMN" where the instruction has a location.
std::string location_of(const llvm::Instruction& instruction);

/// "kernel 'NAME'" for the first kernel that reaches the function; "device code" when none does.
std::string kernel_reaching(const llvm::Function& function);

/// Kernels are functions of the module that carry this attribute with their name for people.
inline constexpr llvm::StringLiteral kernel_name_attribute = "pianola-kernel-name";

}  // namespace pianola::compiler::amdgpu
