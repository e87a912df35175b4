// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/Twine.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>

namespace pianola::compiler::ptx {

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

}  // namespace pianola::compiler::ptx
