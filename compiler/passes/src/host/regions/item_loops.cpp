// SPDX-License-Identifier: Apache-2.0
#include "host/regions/item_loops.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IntrinsicInst.h>

namespace pianola::compiler::host {

namespace {

// Strips of this many items fill the widest vectors there are with floats.
constexpr unsigned strip_width = 16;

struct one_loop {
  llvm::BasicBlock* header;
  llvm::PHINode* index;
  llvm::Value* high;
  unsigned step;
};

// for (index = low;;) { header ... latch: if ((index += step) >= high) break; }
one_loop begin_loop(llvm::BasicBlock* before, llvm::Value* low, llvm::Value* high, unsigned step,
                    const char* name) {
  llvm::Function* function = before->getParent();
  one_loop loop{llvm::BasicBlock::Create(function->getContext(), name, function), nullptr, high,
                step};
  llvm::IRBuilder<> builder(loop.header);
  loop.index = builder.CreatePHI(builder.getInt32Ty(), 2, llvm::Twine(name) + ".index");
  loop.index->addIncoming(low, before);
  return loop;
}

llvm::BasicBlock* end_loop(const one_loop& loop, llvm::BasicBlock* after) {
  auto* latch = llvm::BasicBlock::Create(after->getContext(), loop.header->getName() + ".latch",
                                         after->getParent());
  llvm::IRBuilder<> builder(latch);
  llvm::Value* next = builder.CreateAdd(loop.index, builder.getInt32(loop.step), "", true, true);
  loop.index->addIncoming(next, latch);
  builder.CreateCondBr(builder.CreateICmpULT(next, loop.high), loop.header, after);
  return latch;
}

}  // namespace

std::vector<item_range> all_items(llvm::IRBuilder<>& at, const item_level& level) {
  llvm::Value* size = level.size[2];
  if (level.most != 0) {
    // Lanes: all sub-groups but the last one are full.
    llvm::Value* most = at.getInt32(level.most);
    item_range full, part;
    full.guard = at.CreateICmpEQ(size, most);
    full.high[2] = most;
    part.guard = at.CreateICmpNE(size, most);
    full.is_short = part.is_short = true;
    return {full, part};
  }
  if (level.dimensions == 1 || !level.innermost) return {item_range{}};
  item_range strips, rest;
  llvm::Value* low = at.CreateAnd(size, at.getInt32(~(strip_width - 1)));
  strips.guard = at.CreateIsNotNull(low);
  strips.high[2] = low;
  strips.strip = strip_width;
  rest.guard = at.CreateICmpNE(low, size);
  rest.low[2] = low;
  strips.is_short = rest.is_short = true;
  return {strips, rest};
}

item_loops make_item_loops(llvm::BasicBlock* before, const item_level& level,
                           const item_range& range) {
  llvm::Function* function = before->getParent();
  llvm::LLVMContext& context = function->getContext();
  llvm::IRBuilder<> builder(before);
  llvm::Value* zero = builder.getInt32(0);
  llvm::Type* i64 = builder.getInt64Ty();
  const auto low = [&](unsigned d) { return range.low[d] != nullptr ? range.low[d] : zero; };
  const auto high = [&](unsigned d) {
    return range.high[d] != nullptr ? range.high[d] : level.size[d];
  };
  item_loops loops;
  loops.ids = {zero, zero, zero};
  loops.after = llvm::BasicBlock::Create(context, "items.end", function);

  std::vector<one_loop> made;
  llvm::BasicBlock* outside = before;
  const auto add = [&](llvm::Value* from, llvm::Value* to, unsigned step, const char* name) {
    made.push_back(begin_loop(outside, from, to, step, name));
    llvm::BasicBlock* header = made.back().header;
    if (outside != before)
      llvm::BranchInst::Create(header, outside);
    else if (range.guard != nullptr)
      llvm::BranchInst::Create(header, loops.after, range.guard, before);
    else
      llvm::BranchInst::Create(header, before);
    outside = header;
    return made.back().index;
  };
  const auto outer = [&](unsigned d, const char* name) {
    loops.ids[d] = range.fixed[d] != nullptr ? range.fixed[d] : add(low(d), high(d), 1, name);
  };
  if (level.dimensions > 2) outer(0, "item.z");
  llvm::Value* strip = nullptr;
  if (range.strip != 0) strip = add(low(2), high(2), range.strip, "item.strip");
  if (level.dimensions > 1) outer(1, "item.y");
  builder.SetInsertPoint(outside);
  // Linear number of the row's first item.
  llvm::Value* row = nullptr;
  for (unsigned d = 3 - level.dimensions; d < 2; ++d) {
    llvm::Value* index = builder.CreateZExt(loops.ids[d], i64);
    llvm::Value* size = builder.CreateZExt(level.size[d + 1], i64);
    row = builder.CreateMul(row == nullptr ? index : builder.CreateAdd(row, index, "", true, true),
                            size, "", true, true);
  }
  if (strip != nullptr) {
    auto* index = add(zero, builder.getInt32(range.strip), 1, "item.x");
    builder.SetInsertPoint(outside);
    loops.ids[2] = builder.CreateAdd(strip, index, "", true, true);
  } else {
    loops.ids[2] = add(low(2), high(2), 1, "item.x");
    builder.SetInsertPoint(outside);
  }
  loops.linear = builder.CreateZExt(loops.ids[2], i64);
  if (row != nullptr) loops.linear = builder.CreateAdd(row, loops.linear, "", true, true);
  loops.body = outside;
  llvm::BasicBlock* after = loops.after;
  for (const one_loop& loop : made) after = loops.latch = end_loop(loop, after);
  return loops;
}

namespace {

bool may_be_marked(const llvm::Instruction& instruction) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return load->isSimple();
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return store->isSimple();
  if (const auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction))
    return !memory->isVolatile();
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    return call->onlyAccessesInaccessibleMemory();
  return false;
}

}  // namespace

void mark_parallel(const item_loops& loops, llvm::ArrayRef<llvm::BasicBlock*> blocks, bool is_short,
                   const llvm::DebugLoc& where) {
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
  const auto number = [&](llvm::StringRef name) {
    return llvm::MDNode::get(
        context, {text(name), llvm::ConstantAsMetadata::get(
                                  llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), 1))});
  };
  // A vector loop that takes four vectors at a time would leave most items to its scalar remainder.
  if (is_short) facts.push_back(number("llvm.loop.interleave.count"));
  // A loop of few items must not be unrolled before the vectoriser has seen it; but then it may.
  facts.push_back(llvm::MDNode::get(context, text("llvm.loop.unroll.disable")));
  facts.push_back(llvm::MDNode::get(context, {text("llvm.loop.vectorize.followup_vectorized"),
                                              number("llvm.loop.isvectorized")}));
  llvm::MDNode* id = llvm::MDNode::getDistinct(context, facts);
  id->replaceOperandWith(0, id);
  loops.latch->getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, id);
}

}  // namespace pianola::compiler::host
