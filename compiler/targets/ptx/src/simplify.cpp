// SPDX-License-Identifier: Apache-2.0
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "pianola/compiler/pass_surroundings.hpp"
#include "steps.hpp"

namespace pianola::compiler::ptx {

void simplify(llvm::Module& module) {
  llvm::FunctionPassManager per_function;
  per_function.addPass(llvm::SimplifyCFGPass());
  per_function.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  per_function.addPass(llvm::EarlyCSEPass());
  per_function.addPass(llvm::InstCombinePass());
  per_function.addPass(llvm::SimplifyCFGPass());

  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass());
  passes.addPass(llvm::GlobalDCEPass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(per_function)));
  pass_surroundings().run(passes, module);
}

}  // namespace pianola::compiler::ptx
