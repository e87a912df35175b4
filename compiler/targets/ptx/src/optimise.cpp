// SPDX-License-Identifier: Apache-2.0
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>

#include "pianola/compiler/device_code.hpp"
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

}  // namespace

void optimise(llvm::Module& module, llvm::TargetMachine& machine, unsigned level) {
  pass_surroundings surroundings = surroundings_of(machine);
  llvm::ModulePassManager passes = surroundings.builder().buildPerModuleDefaultPipeline(
      level == 0 ? llvm::OptimizationLevel::O1 : llvm::OptimizationLevel::O3);
  surroundings.run(passes, module);
}

void infer_address_spaces(llvm::Module& module, llvm::TargetMachine& machine) {
  pass_surroundings surroundings = surroundings_of(machine);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::InferAddressSpacesPass()));
  surroundings.run(passes, module);
}

std::string generate(llvm::Module& module, llvm::TargetMachine& machine) {
  std::optional<std::string> text = emit(module, machine, llvm::CodeGenFileType::AssemblyFile);
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
