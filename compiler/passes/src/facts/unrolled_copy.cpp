// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/unrolled_copy.hpp"

#include <utility>

#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/Function.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace pianola::compiler {

unroller::unroller() {
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules_);
  builder.registerCGSCCAnalyses(components_);
  builder.registerFunctionAnalyses(functions_);
  builder.registerLoopAnalyses(loops_);
  builder.crossRegisterProxies(loops_, functions_, components_, modules_);

  const auto clean_up = [this] {
    passes_.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes_.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
    passes_.addPass(llvm::InstCombinePass());
    passes_.addPass(llvm::SimplifyCFGPass());
  };
  llvm::LoopPassManager each_loop;
  each_loop.addPass(llvm::LoopRotatePass());
  each_loop.addPass(llvm::IndVarSimplifyPass());
  each_loop.addPass(llvm::LoopFullUnrollPass(/*OptLevel=*/2));
  passes_.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(each_loop)));
  clean_up();
}

llvm::Function* unroller::copy(llvm::Function& function) {
  llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>> back_edges;
  llvm::FindFunctionBackedges(function, back_edges);
  if (back_edges.empty()) return nullptr;
  llvm::ValueToValueMapTy map;
  llvm::Function* copy = llvm::CloneFunction(&function, map);
  copy->setLinkage(llvm::GlobalValue::InternalLinkage);
  functions_.invalidate(*copy, passes_.run(*copy, functions_));
  return copy;
}

void unroller::forget(llvm::Function& function) { functions_.clear(function, function.getName()); }

void unroller::erase(llvm::Function* copy) {
  functions_.clear(*copy, copy->getName());
  copy->eraseFromParent();
}

}  // namespace pianola::compiler
