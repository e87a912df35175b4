// SPDX-License-Identifier: Apache-2.0
#include "group_memory.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

namespace pianola::compiler::host {

namespace {

constexpr std::uint64_t most_stack_bytes = 64 * 1024;
constexpr std::uint64_t usual_items = 1024;

struct area {
  llvm::Instruction* owner;
  llvm::Value* count;
  std::uint64_t element_bytes;
};

llvm::FunctionCallee frame_function(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::FunctionCallee frame = module.getOrInsertFunction("pianola_work_group_frame_v1",
                                                          llvm::PointerType::getUnqual(context),
                                                          llvm::Type::getInt64Ty(context));
  auto* function = llvm::cast<llvm::Function>(frame.getCallee());
  function->addRetAttr(llvm::Attribute::NoAlias);
  function->addRetAttr(llvm::Attribute::NonNull);
  function->addRetAttr(llvm::Attribute::getWithAlignment(context, llvm::Align(64)));
  return frame;
}

// Addresses in areas that are computed in front of the last owner, in order.
std::vector<llvm::Instruction*> early_users(llvm::ArrayRef<area> areas) {
  llvm::SmallPtrSet<const llvm::Value*, 16> dependent;
  for (const area& a : areas) dependent.insert(a.owner);
  std::vector<llvm::Instruction*> early;
  const llvm::Instruction* last = areas.back().owner;
  for (llvm::Instruction& instruction : *areas.back().owner->getParent()) {
    if (&instruction == last) break;
    if (dependent.contains(&instruction)) continue;
    for (const llvm::Use& operand : instruction.operands())
      if (dependent.contains(operand.get())) {
        dependent.insert(&instruction);
        early.push_back(&instruction);
        break;
      }
  }
  return early;
}

}  // namespace

void place_group_memory(llvm::Function& function, llvm::Value* work_items,
                        const placeholders& names) {
  const llvm::DataLayout& layout = function.getDataLayout();
  std::vector<area> areas;
  std::uint64_t bytes_per_item = 0;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
        memory != nullptr && memory->hasMetadata(shared_memory)) {
      memory->setMetadata(shared_memory, nullptr);
      if (memory->isStaticAlloca()) continue;
      areas.push_back(
          {memory, memory->getArraySize(), layout.getTypeAllocSize(memory->getAllocatedType())});
    }
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        call != nullptr && call->getCalledFunction() == names.storage)
      areas.push_back({call, work_items,
                       llvm::cast<llvm::ConstantInt>(call->getArgOperand(0))->getZExtValue()});
  }
  for (const area& a : areas) bytes_per_item += a.element_bytes;
  const bool on_stack = bytes_per_item * usual_items <= most_stack_bytes;
  llvm::BasicBlock& entry = function.getEntryBlock();
  llvm::IRBuilder<> at(entry.getTerminator());
  llvm::Value* offset = at.getInt64(0);
  std::vector<llvm::Value*> places;
  for (const area& a : areas) {
    // In front of everything that uses it.
    at.SetInsertPoint(a.owner);
    if (on_stack) {
      auto* memory = llvm::dyn_cast<llvm::AllocaInst>(a.owner);
      if (memory == nullptr) {
        memory =
            at.CreateAlloca(at.getInt8Ty(), at.CreateMul(a.count, at.getInt64(a.element_bytes)));
        memory->setAlignment(llvm::Align(64));
        a.owner->replaceAllUsesWith(memory);
        a.owner->eraseFromParent();
      }
      continue;
    }
    places.push_back(offset);
    llvm::Value* end =
        at.CreateAdd(offset, at.CreateMul(a.count, at.getInt64(a.element_bytes), "", true, true),
                     "", true, true);
    offset = at.CreateAnd(at.CreateAdd(end, at.getInt64(63), "", true, true), at.getInt64(~63ULL));
  }
  if (on_stack || areas.empty()) return;
  // Sizes are known where the last owner stands.
  at.SetInsertPoint(areas.back().owner);
  if (llvm::DISubprogram* place = function.getSubprogram())
    at.SetCurrentDebugLocation(llvm::DILocation::get(function.getContext(), 0, 0, place));
  llvm::Value* frame = at.CreateCall(frame_function(*function.getParent()), offset, "frame");
  const std::vector<llvm::Instruction*> early = early_users(areas);
  for (std::size_t i = 0; i < areas.size(); ++i) {
    llvm::Value* place = at.CreateInBoundsGEP(at.getInt8Ty(), frame, places[i]);
    place->takeName(areas[i].owner);
    areas[i].owner->replaceAllUsesWith(place);
  }
  for (llvm::Instruction* user : early) user->moveBefore(areas.back().owner);
  for (const area& a : areas) a.owner->eraseFromParent();
}

}  // namespace pianola::compiler::host
