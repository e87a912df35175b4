// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <llvm/ADT/Twine.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>

namespace pianola::compiler {

/// A sentence for the person who compiles. Front ends print what they do not know by its print().
class sentence final : public llvm::DiagnosticInfo {
 public:
  sentence(const llvm::Twine& text, llvm::DiagnosticSeverity severity)
      : DiagnosticInfo(kind(), severity), text_(text.str()) {}
  void print(llvm::DiagnosticPrinter& out) const override { out << text_; }

 private:
  static int kind() {
    static const int value = llvm::getNextAvailablePluginDiagnosticKind();
    return value;
  }
  std::string text_;
};

/// Makes clang fail.
inline void report_error(llvm::LLVMContext& context, const llvm::Twine& text) {
  context.diagnose(sentence(text, llvm::DS_Error));
}

inline void report_warning(llvm::LLVMContext& context, const llvm::Twine& text) {
  context.diagnose(sentence(text, llvm::DS_Warning));
}

inline void report_note(llvm::LLVMContext& context, const llvm::Twine& text) {
  context.diagnose(sentence(text, llvm::DS_Note));
}

}  // namespace pianola::compiler
