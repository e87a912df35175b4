// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/diagnose.hpp"
#include "steps.hpp"

namespace pianola::compiler::simulated {

static std::string linker() { return find_tool({"ld.lld-19", "ld.lld", "ld"}); }

std::unique_ptr<tool_run> link(const std::string& object, llvm::LLVMContext& context) {
  const std::string tool = linker();
  if (tool.empty()) {
    report_error(context,
                 "pianolacc: the target 'simulated' needs a linker, and neither ld.lld nor ld was "
                 "found: install lld-19");
    return nullptr;
  }
  const tool_run::files suffixes{"o", "so"};
  return std::make_unique<tool_run>(
      tool,
      llvm::ArrayRef<llvm::StringRef>{"-shared", "--hash-style=gnu", "-z", "relro",
                                      "--build-id=none"},
      suffixes, object);
}

void report_failure(const tool_run& run, llvm::LLVMContext& context) {
  report_error(context, "pianolacc: " + linker() +
                            " could not link an image for the target 'simulated': " + run.error());
}

}  // namespace pianola::compiler::simulated
