// SPDX-License-Identifier: Apache-2.0
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include "diagnostics.hpp"
#include "steps.hpp"

namespace pianola::compiler::amdgpu {

std::optional<std::string> emit_object(llvm::Module& module, const architecture& target,
                                       const options& chosen) {
  // Locations have served the messages; debuggers get none of device code.
  llvm::StripDebugInfo(module);
  const std::unique_ptr<llvm::TargetMachine> machine = make_target_machine(target, chosen);
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile)) {
    report_error(module.getContext(), "this LLVM cannot write object files for AMDGPU");
    return std::nullopt;
  }
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace pianola::compiler::amdgpu
