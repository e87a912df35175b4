// SPDX-License-Identifier: Apache-2.0
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "pianola/compiler/device_code.hpp"
#include "pianola/compiler/diagnose.hpp"
#include "steps.hpp"

namespace pianola::compiler::amdgpu {

std::optional<std::string> emit(llvm::Module& module, const architecture& target,
                                const options& chosen) {
  // Locations have served the messages; debuggers get none of device code.
  llvm::StripDebugInfo(module);
  const std::unique_ptr<llvm::TargetMachine> machine = make_target_machine(target, chosen);
  std::optional<std::string> object =
      compiler::emit(module, *machine, llvm::CodeGenFileType::ObjectFile);
  if (!object) report_error(module.getContext(), "this LLVM cannot write object files for AMDGPU");
  return object;
}

}  // namespace pianola::compiler::amdgpu
