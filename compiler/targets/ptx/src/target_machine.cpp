// SPDX-License-Identifier: Apache-2.0
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/MC/TargetRegistry.h>

#include "pianola/compiler/diagnose.hpp"
#include "steps.hpp"

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace pianola::compiler::ptx {

namespace {

constexpr llvm::StringLiteral triple = "nvptx64-nvidia-cuda";
// What every architecture and PTX before version 8.1 take.
constexpr std::uint64_t small_parameter_bytes = 4096;

}  // namespace

bool needs_late_ptx(const kernel& of) { return parameter_bytes(of) > small_parameter_bytes; }

std::unique_ptr<llvm::TargetMachine> make_target_machine(const architecture& for_architecture,
                                                         bool late_ptx, const options& options,
                                                         llvm::LLVMContext& context) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  std::string problem;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple.str(), problem);
  if (target == nullptr) {
    report_error(context, "this LLVM generates no code for CUDA devices: " + problem);
    return nullptr;
  }
  llvm::TargetOptions how;
  how.UnsafeFPMath = options.fast_math;
  how.AllowFPOpFusion = options.fast_math ? llvm::FPOpFusion::Fast : llvm::FPOpFusion::Standard;
  // The oldest version that has what is generated, for the sake of old drivers: parameters read in place
  // (7.7), sm_90 (7.8), many parameters (8.1).
  const char* version = late_ptx ? "+ptx81" : "+ptx78";
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, for_architecture.code_generation, version, how, llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
}

}  // namespace pianola::compiler::ptx
