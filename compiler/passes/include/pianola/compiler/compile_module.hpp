// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <llvm/IR/PassManager.h>

#include "kernel.hpp"

namespace pianola::compiler {

/// Everything that happens to a translation unit, in order: kernels are found, compiled for devices, lowered
/// for the host, and registered with the runtime. Runs before any optimisation of clang's.
class compile_module : public llvm::PassInfoMixin<compile_module> {
 public:
  /// `simplify` is LLVM's function simplification pipeline, for the functions that kernels become.
  compile_module(options chosen, std::shared_ptr<llvm::FunctionPassManager> simplify)
      : options_(std::move(chosen)), simplify_(std::move(simplify)) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }

 private:
  options options_;
  std::shared_ptr<llvm::FunctionPassManager> simplify_;
};

}  // namespace pianola::compiler
