// SPDX-License-Identifier: Apache-2.0
#include "host/regions/skeleton.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>

#include "host/analysis/control_dependence.hpp"
#include "host/regions/select_items.hpp"

namespace pianola::compiler::host {

namespace {

llvm::BasicBlock* split(llvm::BasicBlock* block, llvm::BasicBlock::iterator at, const char* name) {
  return block->splitBasicBlock(at, name);
}

void unify_returns(llvm::Function& function, skeleton& result) {
  llvm::SmallVector<llvm::ReturnInst*, 4> returns;
  for (llvm::BasicBlock& block : function)
    if (auto* ret = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator())) returns.push_back(ret);
  if (returns.empty()) return;
  auto* end = llvm::BasicBlock::Create(function.getContext(), "end", &function);
  llvm::ReturnInst::Create(function.getContext(), end);
  for (llvm::ReturnInst* ret : returns) {
    llvm::BranchInst::Create(end, ret->getIterator());
    ret->eraseFromParent();
  }
  result.blocks.insert(end);
}

void isolate_splits(llvm::Function& function,
                    llvm::function_ref<bool(const llvm::Instruction&)> splits, skeleton& result) {
  llvm::SmallVector<llvm::Instruction*, 8> calls;
  for (llvm::BasicBlock& block : function)
    for (llvm::Instruction& instruction : block)
      if (splits(instruction)) calls.push_back(&instruction);
  for (llvm::Instruction* call : calls) {
    llvm::BasicBlock* block = split(call->getParent(), call->getIterator(), "barrier");
    split(block, std::next(call->getIterator()), "after_barrier");
    result.blocks.insert(block);
  }
}

// The phis of `block` stay, everything else goes into a block of the items behind them.
void isolate_head(llvm::BasicBlock* block, skeleton& result) {
  split(block, block->getFirstNonPHIOrDbg()->getIterator(), "body");
  result.blocks.insert(block);
}

void isolate_cuts(llvm::ArrayRef<cut> cuts, skeleton& result) {
  for (const cut& c : cuts) {
    // Nothing but the join of the cut before?
    const bool is_begun = llvm::any_of(cuts, [&](const cut& o) { return o.join == c.decision; }) &&
                          is_silent(*c.decision);
    if (!is_begun)
      isolate_head(split(c.decision, c.decision->getTerminator()->getIterator(), "cut"), result);
  }
  for (const cut& c : cuts) isolate_head(c.join, result);
}

// Entries of regions: the blocks of items that follow the skeleton.
llvm::SetVector<llvm::BasicBlock*> region_entries(const skeleton& s) {
  llvm::SetVector<llvm::BasicBlock*> entries;
  for (llvm::BasicBlock* block : s.blocks)
    for (llvm::BasicBlock* next : llvm::successors(block))
      if (!s.contains(next)) entries.insert(next);
  return entries;
}

// Blocks where regions meet that all of their items come by, each of other regions: what is behind one is behind none of
// the others.
llvm::SmallVector<llvm::BasicBlock*, 8> find_meetings(llvm::Function& function, const skeleton& s) {
  llvm::SmallVector<llvm::BasicBlock*, 8> meetings;
  const llvm::SetVector<llvm::BasicBlock*> entries = region_entries(s);
  llvm::DenseMap<llvm::BasicBlock*, llvm::SmallVector<llvm::BasicBlock*, 2>> owners;
  for (llvm::BasicBlock* entry : entries) {
    llvm::SetVector<llvm::BasicBlock*> reached;
    reached.insert(entry);
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (llvm::BasicBlock* next : llvm::successors(reached[i]))
        if (!s.contains(next)) reached.insert(next);
    for (llvm::BasicBlock* block : reached) owners[block].push_back(entry);
  }
  const control_dependence dependence(function, s.blocks);
  llvm::SmallPtrSet<llvm::BasicBlock*, 16> used;
  for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&function)) {
    const auto found = owners.find(block);
    if (found == owners.end() || block->isEHPad()) continue;
    const auto& regions = found->second;
    const auto is_used = [&](llvm::BasicBlock* entry) { return used.contains(entry); };
    if (regions.size() < 2 || llvm::any_of(regions, is_used)) continue;
    const auto elsewhere = [&](llvm::BasicBlock* previous) {
      const auto owner = owners.find(previous);
      return owner == owners.end() || owner->second != regions;
    };
    const bool head = entries.contains(block) || llvm::any_of(llvm::predecessors(block), elsewhere);
    if (!head) continue;
    if (!llvm::all_of(regions, [&](llvm::BasicBlock* entry) {
          return dependence.post_dominates(block, entry);
        }))
      continue;
    meetings.push_back(block);
    used.insert(regions.begin(), regions.end());
  }
  return meetings;
}

// After this, an edge from the skeleton leads into a block of items that has no other predecessor, or into
// a block of the skeleton without phis: every phi's value is handed over at the end of some region.
void split_entering_edges(skeleton& s) {
  for (std::size_t i = 0; i < s.blocks.size(); ++i) {
    llvm::BasicBlock* block = s.blocks[i];
    llvm::Instruction* end = block->getTerminator();
    llvm::SmallPtrSet<llvm::BasicBlock*, 4> done;
    for (unsigned k = 0; k < end->getNumSuccessors(); ++k) {
      llvm::BasicBlock* next = end->getSuccessor(k);
      const bool lonely =
          next->getSinglePredecessor() != nullptr && !llvm::isa<llvm::PHINode>(next->front());
      if (lonely || (s.contains(next) && !llvm::isa<llvm::PHINode>(next->front()))) continue;
      auto* between =
          llvm::BasicBlock::Create(block->getContext(), "edge", block->getParent(), next);
      auto* jump = llvm::BranchInst::Create(next, between);
      jump->setDebugLoc(end->getDebugLoc());
      end->setSuccessor(k, between);
      // The phis have one entry per edge.
      for (llvm::PHINode& phi : next->phis()) {
        const int index = phi.getBasicBlockIndex(block);
        phi.setIncomingBlock(static_cast<unsigned>(index), between);
      }
    }
  }
}

}  // namespace

skeleton make_skeleton(llvm::Function& function,
                       llvm::function_ref<bool(const llvm::Instruction&)> splits,
                       llvm::ArrayRef<llvm::BasicBlock*> extra, llvm::ArrayRef<cut> cuts) {
  skeleton result;
  result.blocks.insert(&function.getEntryBlock());
  for (llvm::BasicBlock* block : extra) isolate_head(block, result);
  isolate_cuts(cuts, result);
  isolate_splits(function, splits, result);
  const llvm::SetVector<llvm::BasicBlock*> seeds = result.blocks;
  unify_returns(function, result);
  for (llvm::BasicBlock* decider : control_dependence(function, seeds).deciders()) {
    if (result.contains(decider)) continue;
    llvm::BasicBlock* branch = split(decider, decider->getTerminator()->getIterator(), "decision");
    result.blocks.insert(branch);
  }
  for (;;) {
    const auto meetings = find_meetings(function, result);
    if (meetings.empty()) break;
    for (llvm::BasicBlock* meeting : meetings) isolate_head(meeting, result);
  }
  split_entering_edges(result);
  return result;
}

}  // namespace pianola::compiler::host
