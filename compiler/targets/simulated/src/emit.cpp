// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/device_code.hpp"
#include "pianola/compiler/diagnose.hpp"
#include "steps.hpp"

namespace pianola::compiler::simulated {

std::optional<std::string> emit(llvm::Module& module, llvm::TargetMachine& machine) {
  std::optional<std::string> object =
      compiler::emit(module, machine, llvm::CodeGenFileType::ObjectFile);
  if (!object)
    report_error(module.getContext(), "pianolacc: this compiler cannot generate objects for " +
                                          module.getTargetTriple());
  return object;
}

}  // namespace pianola::compiler::simulated
