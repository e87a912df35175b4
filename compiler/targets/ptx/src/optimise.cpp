// SPDX-License-Identifier: Apache-2.0
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>

#include "pianola/compiler/pass_surroundings.hpp"
#include "steps.hpp"

namespace pianola::compiler::ptx {

namespace {

llvm::PipelineTuningOptions tuning() {
  llvm::PipelineTuningOptions options;
  // Threads are the vector lanes; pairs of half-precision numbers are left to SLP.
  options.LoopVectorization = false;
  options.LoopInterleaving = false;
  options.SLPVectorization = true;
  return options;
}

pass_surroundings surroundings_of(llvm::TargetMachine& machine) {
  // The machine's knowledge of address spaces.
  return pass_surroundings(
      &machine, tuning(), [](llvm::PassBuilder& builder, llvm::FunctionAnalysisManager& functions) {
        functions.registerPass([&builder] { return builder.buildDefaultAAPipeline(); });
      });
}

void run_default_pipeline(llvm::Module& module, llvm::TargetMachine& machine, unsigned level) {
  pass_surroundings surroundings = surroundings_of(machine);
  llvm::ModulePassManager passes = surroundings.builder().buildPerModuleDefaultPipeline(
      level == 0 ? llvm::OptimizationLevel::O1 : llvm::OptimizationLevel::O3);
  surroundings.run(passes, module);
}

/// Address spaces of pointers, as far as they can be told.
void infer_address_spaces(llvm::Module& module, llvm::TargetMachine& machine) {
  pass_surroundings surroundings = surroundings_of(machine);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::InferAddressSpacesPass()));
  surroundings.run(passes, module);
}

}  // namespace

bool optimise(llvm::Module& module, llvm::TargetMachine& machine, const options& options) {
  mark_parameters(module);
  infer_address_spaces(module, machine);
  run_default_pipeline(module, machine, options.optimisation);
  mark_parameters(module);
  infer_address_spaces(module, machine);
  return lower_atomics(module);
}

}  // namespace pianola::compiler::ptx
