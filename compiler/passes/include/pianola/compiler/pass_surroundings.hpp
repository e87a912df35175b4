// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>

namespace pianola::compiler {

/// What LLVM's passes want around them, for one run of them on a device module.
class pass_surroundings {
 public:
  /// `machine`: null where no target is known yet. `before`: registers analyses that are not LLVM's own choice.
  explicit pass_surroundings(
      llvm::TargetMachine* machine = nullptr, const llvm::PipelineTuningOptions& tuning = {},
      const std::function<void(llvm::PassBuilder&, llvm::FunctionAnalysisManager&)>& before =
          nullptr)
      : builder_(machine, tuning) {
    if (before) before(builder_, functions_);
    builder_.registerModuleAnalyses(modules_);
    builder_.registerCGSCCAnalyses(components_);
    builder_.registerFunctionAnalyses(functions_);
    builder_.registerLoopAnalyses(loops_);
    builder_.crossRegisterProxies(loops_, functions_, components_, modules_);
  }

  // Its parts know each other's addresses.
  pass_surroundings(const pass_surroundings&) = delete;
  pass_surroundings& operator=(const pass_surroundings&) = delete;

  llvm::PassBuilder& builder() noexcept { return builder_; }
  void run(llvm::ModulePassManager& passes, llvm::Module& module) { passes.run(module, modules_); }

 private:
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager components_;
  llvm::ModuleAnalysisManager modules_;
  llvm::PassBuilder builder_;
};

}  // namespace pianola::compiler
