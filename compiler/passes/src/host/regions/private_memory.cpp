// SPDX-License-Identifier: Apache-2.0
#include "host/regions/private_memory.hpp"

#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

#include "host/regions/value_storage.hpp"

namespace pianola::compiler::host {

namespace {

// Lifetimes are about the one alloca, which now is many.
void remove_lifetimes(llvm::AllocaInst* memory) {
  for (llvm::User* user : llvm::make_early_inc_range(memory->users()))
    if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(user);
        intrinsic != nullptr && intrinsic->isLifetimeStartOrEnd())
      intrinsic->eraseFromParent();
}

}  // namespace

void expand_private_memory(llvm::Function& function, const skeleton&, const item_level& level,
                           const placeholders& names) {
  llvm::BasicBlock& entry = function.getEntryBlock();
  llvm::SmallVector<llvm::AllocaInst*, 8> allocas;
  for (llvm::Instruction& instruction : entry)
    if (auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      if (!memory->hasMetadata(shared_memory) &&
          llvm::isa<llvm::ConstantInt>(memory->getArraySize()))
        allocas.push_back(memory);
  llvm::BasicBlock* first = entry.getSingleSuccessor();
  const llvm::DataLayout& layout = function.getDataLayout();
  for (llvm::AllocaInst* memory : allocas) {
    remove_lifetimes(memory);
    if (memory->use_empty()) {
      memory->eraseFromParent();
      continue;
    }
    const std::uint64_t bytes =
        layout.getTypeAllocSize(memory->getAllocatedType()) *
        llvm::cast<llvm::ConstantInt>(memory->getArraySize())->getZExtValue();
    const std::uint64_t stride = llvm::alignTo(bytes, memory->getAlign());
    llvm::IRBuilder<> at(&*first->getFirstInsertionPt());
    llvm::Type* copy = llvm::ArrayType::get(at.getInt8Ty(), stride);
    llvm::AllocaInst* array = make_item_array(function, level, copy, memory->getName() + ".items");
    array->setAlignment(std::max(array->getAlign(), memory->getAlign()));
    llvm::Value* own = at.CreateInBoundsGEP(copy, array, at.CreateCall(names.linear));
    own->takeName(memory);
    memory->replaceAllUsesWith(own);
    memory->eraseFromParent();
  }
}

}  // namespace pianola::compiler::host
