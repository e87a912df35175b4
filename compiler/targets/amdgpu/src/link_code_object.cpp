// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/diagnose.hpp"
#include "pianola/compiler/tool_run.hpp"
#include "steps.hpp"

namespace pianola::compiler::amdgpu {

std::optional<std::string> link_code_object(const std::string& object, llvm::LLVMContext& context) {
  const std::string linker = find_tool({"ld.lld-19", "ld.lld"});
  if (linker.empty()) {
    report_error(context, "targets hip:... need LLVM's linker ld.lld: install the package lld-19");
    return std::nullopt;
  }
  tool_run run(linker, {"-m", "elf64_amdgpu", "-shared", "--no-undefined"}, {"o", "hsaco"}, object);
  std::optional<std::string> code_object = run.result();
  if (!code_object)
    report_error(context, linker + " failed to link device code for AMDGPU: " + run.error());
  return code_object;
}

}  // namespace pianola::compiler::amdgpu
