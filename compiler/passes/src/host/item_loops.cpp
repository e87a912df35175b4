// SPDX-License-Identifier: Apache-2.0
#include "item_loops.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IntrinsicInst.h>

namespace pianola::compiler::host {

namespace {

struct one_loop {
  llvm::BasicBlock* header;
  llvm::PHINode* index;
  llvm::BasicBlock* latch;
};

// for (index = low;;) { header ... latch: if (++index >= high) break; }
one_loop begin_loop(llvm::BasicBlock* before, llvm::Value* low, const char* name) {
  llvm::Function* function = before->getParent();
  llvm::LLVMContext& context = function->getContext();
  one_loop loop{};
  loop.header = llvm::BasicBlock::Create(context, name, function);
  llvm::IRBuilder<> builder(loop.header);
  loop.index = builder.CreatePHI(builder.getInt32Ty(), 2, llvm::Twine(name) + ".index");
  loop.index->addIncoming(low, before);
  return loop;
}

void end_loop(one_loop& loop, llvm::BasicBlock* latch, llvm::Value* high, llvm::BasicBlock* after) {
  loop.latch = latch;
  llvm::IRBuilder<> builder(latch);
  llvm::Value* next = builder.CreateAdd(loop.index, builder.getInt32(1), "", true, true);
  loop.index->addIncoming(next, latch);
  builder.CreateCondBr(builder.CreateICmpULT(next, high), loop.header, after);
}

}  // namespace

item_loops make_item_loops(llvm::BasicBlock* before, const item_level& level, item_bounds bounds) {
  llvm::Function* function = before->getParent();
  llvm::LLVMContext& context = function->getContext();
  llvm::IRBuilder<> builder(before);
  llvm::Value* zero = builder.getInt32(0);
  llvm::Type* i64 = builder.getInt64Ty();
  item_loops loops;
  loops.ids = {zero, zero, zero};
  loops.after = llvm::BasicBlock::Create(context, "items.end", function);
  const char* names[] = {"item.z", "item.y", "item.x"};
  llvm::Value* low = bounds.low != nullptr ? bounds.low : zero;
  llvm::Value* high = bounds.high != nullptr ? bounds.high : level.size[2];

  std::array<one_loop, 3> made{};
  llvm::BasicBlock* outside = before;
  llvm::Value* row = nullptr;
  for (unsigned d = 3 - level.dimensions; d < 3; ++d) {
    made[d] = begin_loop(outside, d == 2 ? low : zero, names[d]);
    if (outside == before)
      loops.first = made[d].header;
    else
      llvm::BranchInst::Create(made[d].header, outside);
    builder.SetInsertPoint(made[d].header);
    loops.ids[d] = made[d].index;
    llvm::Value* index = builder.CreateZExt(made[d].index, i64);
    // Linear number of the row's first item, then of the item.
    if (row != nullptr)
      row = builder.CreateAdd(
          builder.CreateMul(row, builder.CreateZExt(level.size[d], i64), "", true, true), index, "",
          true, true);
    else
      row = index;
    outside = made[d].header;
  }
  loops.linear = row;
  loops.body = made[2].header;
  llvm::BasicBlock* after = loops.after;
  for (unsigned d = 3 - level.dimensions; d < 3; ++d) {
    auto* latch = llvm::BasicBlock::Create(context, llvm::Twine(names[d]) + ".latch", function);
    end_loop(made[d], latch, d == 2 ? high : level.size[d], after);
    after = latch;
    if (d == 2) loops.latch = latch;
  }
  builder.SetInsertPoint(before);
  if (bounds.low != nullptr || bounds.high != nullptr)
    builder.CreateCondBr(builder.CreateICmpULT(low, high), loops.first, loops.after);
  else
    builder.CreateBr(loops.first);
  return loops;
}

namespace {

bool may_be_marked(const llvm::Instruction& instruction) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return load->isSimple();
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return store->isSimple();
  if (const auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) return !memory->isVolatile();
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    return call->onlyAccessesInaccessibleMemory();
  return false;
}

}  // namespace

void mark_parallel(const item_loops& loops, llvm::ArrayRef<llvm::BasicBlock*> blocks,
                   const item_level& level, const llvm::DebugLoc& where) {
  llvm::LLVMContext& context = loops.latch->getContext();
  llvm::MDNode* group = llvm::MDNode::getDistinct(context, {});
  for (llvm::BasicBlock* block : blocks)
    for (llvm::Instruction& instruction : *block)
      if (instruction.mayReadOrWriteMemory() && may_be_marked(instruction))
        instruction.setMetadata(
            llvm::LLVMContext::MD_access_group,
            llvm::uniteAccessGroups(instruction.getMetadata(llvm::LLVMContext::MD_access_group),
                                    group));
  const auto text = [&](llvm::StringRef name) { return llvm::MDString::get(context, name); };
  llvm::SmallVector<llvm::Metadata*, 6> facts{nullptr};
  if (where) facts.push_back(where.get());
  facts.push_back(llvm::MDNode::get(context, text("llvm.loop.mustprogress")));
  facts.push_back(llvm::MDNode::get(context, {text("llvm.loop.parallel_accesses"), group}));
  // Rows of groups with several dimensions are short, as are sub-groups: a vector loop that takes four
  // vectors at a time would leave most items to its scalar remainder.
  if (level.dimensions > 1 || level.most != 0)
    facts.push_back(llvm::MDNode::get(
        context, {text("llvm.loop.interleave.count"),
                  llvm::ConstantAsMetadata::get(
                      llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), 1))}));
  llvm::MDNode* id = llvm::MDNode::getDistinct(context, facts);
  id->replaceOperandWith(0, id);
  loops.latch->getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, id);
}

}  // namespace pianola::compiler::host
