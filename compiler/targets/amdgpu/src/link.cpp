// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/diagnose.hpp"
#include "steps.hpp"

namespace pianola::compiler::amdgpu {

static std::string linker() { return find_tool({"ld.lld-19", "ld.lld"}); }

std::unique_ptr<tool_run> link(const std::string& object, llvm::LLVMContext& context) {
  const std::string tool = linker();
  if (tool.empty()) {
    report_error(context, "targets hip:... need LLVM's linker ld.lld: install the package lld-19");
    return nullptr;
  }
  const tool_run::files suffixes{"o", "hsaco"};
  return std::make_unique<tool_run>(
      tool, llvm::ArrayRef<llvm::StringRef>{"-m", "elf64_amdgpu", "-shared", "--no-undefined"},
      suffixes, object);
}

void report_failure(const tool_run& run, llvm::LLVMContext& context) {
  report_error(context, linker() + " failed to link device code for AMDGPU: " + run.error());
}

}  // namespace pianola::compiler::amdgpu
