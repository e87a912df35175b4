// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/PassManager.h>

#include "kernel.hpp"

namespace llvm {
class PassBuilder;
}

namespace pianola::compiler {

/// Everything that happens to a translation unit, in order: kernels are found, compiled for devices, lowered
/// for the host, and registered with the runtime. Runs before any optimisation of clang's.
class compile_module : public llvm::PassInfoMixin<compile_module> {
 public:
  explicit compile_module(const options& chosen) : options_(chosen) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }

 private:
  options options_;
};

}  // namespace pianola::compiler
