// SPDX-License-Identifier: Apache-2.0
#include <llvm/Passes/PassBuilder.h>

#include "pianola/compiler/pass_surroundings.hpp"
#include "steps.hpp"

namespace pianola::compiler::simulated {

void optimise(llvm::Module& module, llvm::TargetMachine& machine, const options& chosen) {
  module.setDataLayout(machine.createDataLayout());
  module.setPICLevel(llvm::PICLevel::BigPIC);
  pass_surroundings surroundings(&machine);
  llvm::OptimizationLevel level = llvm::OptimizationLevel::O2;
  if (chosen.optimisation == 1) level = llvm::OptimizationLevel::O1;
  if (chosen.optimisation == 3) level = llvm::OptimizationLevel::O3;
  llvm::ModulePassManager passes =
      chosen.optimisation == 0
          ? surroundings.builder().buildO0DefaultPipeline(llvm::OptimizationLevel::O0)
          : surroundings.builder().buildPerModuleDefaultPipeline(level);
  surroundings.run(passes, module);
}

}  // namespace pianola::compiler::simulated
