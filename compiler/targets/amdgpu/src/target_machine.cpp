// SPDX-License-Identifier: Apache-2.0
#include <mutex>

#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>

#include "steps.hpp"

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTarget();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmPrinter();
void LLVMInitializeAMDGPUAsmParser();
}

namespace pianola::compiler::amdgpu {

std::unique_ptr<llvm::TargetMachine> make_target_machine(const architecture& target,
                                                         const options& chosen) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
  });
  std::string error;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(target_triple, error);
  if (found == nullptr) llvm::report_fatal_error(llvm::StringRef(error));
  llvm::TargetOptions options;
  if (chosen.fast_math) options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(
      target_triple, target.processor, target.features, options, llvm::Reloc::PIC_, std::nullopt,
      chosen.optimisation == 0 ? llvm::CodeGenOptLevel::Default
                               : llvm::CodeGenOptLevel::Aggressive));
}

llvm::DataLayout device_layout(const architecture& target) {
  return make_target_machine(target, options())->createDataLayout();
}

}  // namespace pianola::compiler::amdgpu
