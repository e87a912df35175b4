// SPDX-License-Identifier: Apache-2.0
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "pianola/compiler/pass_surroundings.hpp"
#include "steps.hpp"

namespace pianola::compiler::amdgpu {

namespace {

llvm::PipelineTuningOptions tuning() {
  llvm::PipelineTuningOptions options;
  options.LoopVectorization = true;
  options.SLPVectorization = true;
  return options;
}

pass_surroundings surroundings_of(const llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::TargetLibraryInfoImpl library{llvm::Triple(module.getTargetTriple())};
  // There is no C library to call.
  library.disableAllFunctions();
  return pass_surroundings(
      &machine, tuning(), [&](llvm::PassBuilder&, llvm::FunctionAnalysisManager& functions) {
        functions.registerPass([library] { return llvm::TargetLibraryAnalysis(library); });
      });
}

/// Bodies go into their kernels and stack objects into registers: what follows needs to see where pointers
/// come from.
void merge_bodies_into_kernels(llvm::Module& module, llvm::TargetMachine& machine) {
  pass_surroundings surroundings = surroundings_of(module, machine);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetime=*/false));
  llvm::FunctionPassManager each;
  each.addPass(llvm::InferAddressSpacesPass());
  each.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  each.addPass(llvm::EarlyCSEPass());
  each.addPass(llvm::InstCombinePass());
  each.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(each)));
  passes.addPass(llvm::GlobalDCEPass());
  surroundings.run(passes, module);
}

void run_default_pipeline(llvm::Module& module, llvm::TargetMachine& machine,
                          llvm::OptimizationLevel level) {
  pass_surroundings surroundings = surroundings_of(module, machine);
  // Right after promote_kernel_pointers(), before anything asks what aliases.
  surroundings.builder().registerPipelineStartEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::InferAddressSpacesPass()));
      });
  llvm::ModulePassManager passes = surroundings.builder().buildPerModuleDefaultPipeline(level);
  surroundings.run(passes, module);
}

void set_processor(llvm::Module& module, const architecture& target, const options& chosen) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    // Some of the device libraries' functions ask for features of their own.
    std::string features = target.features;
    if (const llvm::Attribute more = function.getFnAttribute("target-features"); more.isValid()) {
      if (!features.empty()) features += ",";
      features += more.getValueAsString();
    }
    function.addFnAttr("target-cpu", target.processor);
    if (!features.empty()) function.addFnAttr("target-features", features);
    if (chosen.fast_math) function.addFnAttr("amdgpu-unsafe-fp-atomics", "true");
  }
}

}  // namespace

bool optimise(llvm::Module& module, const std::string& libraries, const architecture& target,
              const options& chosen) {
  const std::unique_ptr<llvm::TargetMachine> machine = make_target_machine(target, chosen);
  if (!link_device_libraries(module, libraries, target, chosen)) return false;
  set_processor(module, target, chosen);
  merge_bodies_into_kernels(module, *machine);
  promote_kernel_pointers(module);
  run_default_pipeline(
      module, *machine,
      chosen.optimisation == 0 ? llvm::OptimizationLevel::O1 : llvm::OptimizationLevel::O3);
  // Optimisation makes one mathematical function of another: pow of exp2.
  if (resolve_library_calls(module, chosen.fast_math)) {
    if (!link_device_libraries(module, libraries, target, chosen)) return false;
    set_processor(module, target, chosen);
    run_default_pipeline(module, *machine, llvm::OptimizationLevel::O1);
  }
  return true;
}

}  // namespace pianola::compiler::amdgpu
