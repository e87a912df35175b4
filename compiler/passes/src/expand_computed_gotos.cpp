// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/expand_computed_gotos.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "reachable_functions.hpp"

namespace pianola::compiler {

namespace {

void expand(llvm::Function& function) {
  llvm::SmallVector<llvm::IndirectBrInst*, 4> jumps;
  for (llvm::BasicBlock& block : function)
    if (auto* jump = llvm::dyn_cast<llvm::IndirectBrInst>(block.getTerminator()))
      jumps.push_back(jump);
  if (jumps.empty()) return;
  llvm::IntegerType* number = function.getDataLayout().getIntPtrType(function.getContext());
  // 0 stays null.
  llvm::DenseMap<llvm::BasicBlock*, llvm::ConstantInt*> numbers;
  for (llvm::BasicBlock& block : function) {
    if (!block.hasAddressTaken()) continue;
    auto* own = llvm::ConstantInt::get(number, numbers.size() + 1);
    numbers[&block] = own;
    llvm::BlockAddress* address = llvm::BlockAddress::get(&block);
    address->replaceAllUsesWith(llvm::ConstantExpr::getIntToPtr(own, address->getType()));
    address->destroyConstant();
  }
  for (llvm::IndirectBrInst* jump : jumps) {
    llvm::IRBuilder<> at(jump);
    llvm::SmallSetVector<llvm::BasicBlock*, 8> targets;
    for (unsigned i = 0; i < jump->getNumDestinations(); ++i)
      if (numbers.contains(jump->getDestination(i)) && !targets.insert(jump->getDestination(i)))
        jump->getDestination(i)->removePredecessor(jump->getParent(), true);
    if (targets.empty()) {
      at.CreateUnreachable();
    } else {
      auto* choice = at.CreateSwitch(at.CreatePtrToInt(jump->getAddress(), number), targets.front(),
                                     targets.size() - 1);
      for (llvm::BasicBlock* target : llvm::drop_begin(targets))
        choice->addCase(numbers.lookup(target), target);
    }
    for (unsigned i = 0; i < jump->getNumDestinations(); ++i)
      if (!numbers.contains(jump->getDestination(i)))
        jump->getDestination(i)->removePredecessor(jump->getParent(), true);
    jump->eraseFromParent();
  }
}

}  // namespace

void expand_computed_gotos(llvm::ArrayRef<kernel> kernels) {
  for (llvm::Function* function : reachable_functions(kernels)) expand(*function);
}

}  // namespace pianola::compiler
