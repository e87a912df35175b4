// SPDX-License-Identifier: Apache-2.0
// Registration only: what clang and opt find when they load the plugin.
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

#include "options.hpp"
#include "pianola/compiler/amdgpu_passes.hpp"
#include "pianola/compiler/compile_module.hpp"
#include "pianola/compiler/ease_code_generation.hpp"
#include "pianola/compiler/linear_strips.hpp"
#include "pianola/compiler/ptx_passes.hpp"
#include "pianola/compiler/uniform_divisors.hpp"
#include "pianola/compiler/vector_math.hpp"
#include "pianola/compiler/wrapping_indices.hpp"

namespace {

using namespace pianola::compiler;

std::shared_ptr<llvm::FunctionPassManager> simplification(llvm::PassBuilder& builder) {
  return std::make_shared<llvm::FunctionPassManager>(builder.buildFunctionSimplificationPipeline(
      llvm::OptimizationLevel::O2, llvm::ThinOrFullLTOPhase::None));
}

void register_passes(llvm::PassBuilder& builder) {
  // Also without optimisation.
  builder.registerPipelineStartEPCallback(
      [&builder](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        options chosen = command_line_options();
        chosen.optimisation = level.getSpeedupLevel();
        passes.addPass(compile_module(chosen, simplification(builder)));
      });
  builder.registerVectorizerStartEPCallback(
      [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() < 2) return;
        passes.addPass(linear_strips());
        // What is left of the divisions that strips do without.
        passes.addPass(uniform_divisors());
        passes.addPass(wrapping_indices());
        passes.addPass(one_vector_beside_calls());
      });
  builder.registerOptimizerLastEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        if (level.getSpeedupLevel() > 0) passes.addPass(ease_code_generation());
      });
  // For tests of one pass: opt -passes=...
  builder.registerPipelineParsingCallback(
      [&builder](llvm::StringRef name, llvm::ModulePassManager& passes,
                 llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
        if (name == "pianola-compile") {
          passes.addPass(compile_module(command_line_options(), simplification(builder)));
          return true;
        }
        return parse_ptx_pass(name, passes, command_line_options()) ||
               parse_amdgpu_pass(name, passes, command_line_options());
      });
}

}  // namespace

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "pianola", "1", register_passes};
}
