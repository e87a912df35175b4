// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/device_code.hpp"
#include "steps.hpp"

namespace pianola::compiler::ptx {

std::string emit(llvm::Module& module, llvm::TargetMachine& machine) {
  std::optional<std::string> text =
      compiler::emit(module, machine, llvm::CodeGenFileType::AssemblyFile);
  if (!text) llvm::report_fatal_error("LLVM's NVPTX code generator writes no assembly text");
  std::string& result = *text;
  // One module is made for all architectures, so this is known only here.
  constexpr unsigned first_with_dependent_launch = 90;
  llvm::StringRef cpu = machine.getTargetCPU();
  unsigned number = 0;
  if (!cpu.consume_front("sm_") || cpu.consumeInteger(10, number)) number = 0;
  if (number < first_with_dependent_launch)
    for (const llvm::StringRef instruction : {launch_dependents, wait_for_prerequisites})
      for (std::size_t at = 0; (at = result.find(instruction, at)) != std::string::npos;)
        result.erase(at, instruction.size());
  return std::move(result);
}

}  // namespace pianola::compiler::ptx
