// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/liveness.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>

namespace pianola::compiler::host {

namespace {

struct block_sets {
  llvm::BitVector used, defined, handed_on;
};

}  // namespace

liveness::liveness(llvm::Function& function, more_uses also_uses) {
  llvm::BasicBlock* entry = &function.getEntryBlock();
  const auto with_parts = [&](llvm::Value* operand,
                              llvm::function_ref<void(llvm::Instruction*)> f) {
    auto* value = llvm::dyn_cast<llvm::Instruction>(operand);
    if (value == nullptr) return;
    f(value);
    also_uses(value, f);
  };
  // Where a value is needed: phis need it at the end of the block it comes from.
  const auto each_use =
      [&](llvm::function_ref<void(llvm::BasicBlock*, bool, llvm::Instruction*)> f) {
        for (llvm::BasicBlock& block : function)
          for (llvm::Instruction& user : block) {
            if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&user)) {
              for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
                with_parts(phi->getIncomingValue(i), [&](llvm::Instruction* value) {
                  f(phi->getIncomingBlock(i), true, value);
                });
            } else {
              for (llvm::Value* operand : user.operands())
                with_parts(operand, [&](llvm::Instruction* value) { f(&block, false, value); });
            }
          }
      };
  each_use([&](llvm::BasicBlock* block, bool at_end, llvm::Instruction* value) {
    if (value->getParent() == entry || (value->getParent() == block && !at_end)) return;
    if (index_.try_emplace(value, values_.size()).second) values_.push_back(value);
  });
  const auto count = static_cast<unsigned>(values_.size());
  llvm::DenseMap<const llvm::BasicBlock*, block_sets> sets;
  for (llvm::BasicBlock& block : function) {
    sets[&block] = {llvm::BitVector(count), llvm::BitVector(count), llvm::BitVector(count)};
    start_[&block].resize(count);
  }
  for (unsigned i = 0; i < count; ++i) sets[values_[i]->getParent()].defined.set(i);
  each_use([&](llvm::BasicBlock* block, bool at_end, llvm::Instruction* value) {
    const auto found = index_.find(value);
    if (found == index_.end()) return;
    if (at_end)
      sets[block].handed_on.set(found->second);
    else if (value->getParent() != block)
      sets[block].used.set(found->second);
  });
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::BasicBlock* block : llvm::post_order(&function)) {
      const block_sets& s = sets[block];
      llvm::BitVector live = s.handed_on;
      for (llvm::BasicBlock* next : llvm::successors(block)) live |= start_[next];
      live.reset(s.defined);
      live |= s.used;
      llvm::BitVector& old = start_[block];
      if (live != old) {
        old = std::move(live);
        changed = true;
      }
    }
  }
}

bool liveness::at_start(const llvm::BasicBlock* block, llvm::Instruction* value) const {
  const auto index = index_.find(value);
  if (index == index_.end()) return false;
  const auto found = start_.find(block);
  return found != start_.end() && found->second.test(index->second);
}

}  // namespace pianola::compiler::host
