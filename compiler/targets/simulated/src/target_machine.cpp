// SPDX-License-Identifier: Apache-2.0
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetOptions.h>

#include "pianola/compiler/diagnose.hpp"
#include "steps.hpp"

namespace pianola::compiler::simulated {

std::unique_ptr<llvm::TargetMachine> make_target_machine(const llvm::Module& module,
                                                         const options& chosen) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  const std::string& triple = module.getTargetTriple();
  std::string problem;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!target) {
    report_error(module.getContext(),
                 "pianolacc: the target 'simulated' does not run on " + triple + ": " + problem);
    return nullptr;
  }
  const auto level = llvm::CodeGenOpt::getLevel(static_cast<int>(chosen.optimisation));
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, "", "", llvm::TargetOptions(), llvm::Reloc::PIC_,
                                  std::nullopt, level.value_or(llvm::CodeGenOptLevel::Default)));
}

}  // namespace pianola::compiler::simulated
