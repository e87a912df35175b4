// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/control_dependence.hpp"

#include <algorithm>

#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>

namespace pianola::compiler::host {

control_dependence::control_dependence(llvm::Function& function,
                                       const llvm::SetVector<llvm::BasicBlock*>& seeds)
    : seeds_(seeds) {
  number(function);
  find_parents();
  find_controllers();
}

void control_dependence::number(llvm::Function& function) {
  // Relevant: what reaches a return or a seed.
  llvm::SetVector<llvm::BasicBlock*> returning, relevant;
  const auto close = [](llvm::SetVector<llvm::BasicBlock*>& set) {
    for (std::size_t i = 0; i < set.size(); ++i)
      for (llvm::BasicBlock* previous : llvm::predecessors(set[i])) set.insert(previous);
  };
  for (llvm::BasicBlock& block : function)
    if (llvm::isa<llvm::ReturnInst>(block.getTerminator())) returning.insert(&block);
  relevant = returning;
  relevant.insert(seeds_.begin(), seeds_.end());
  close(returning);
  close(relevant);
  for (llvm::BasicBlock& block : function)
    if (relevant.contains(&block)) {
      index_[&block] = static_cast<unsigned>(blocks_.size());
      blocks_.push_back(&block);
    }
  nodes_.resize(blocks_.size() + 1);
  const auto end = static_cast<unsigned>(blocks_.size());
  const auto connect = [&](unsigned from, unsigned to) {
    nodes_[from].successors.push_back(to);
    nodes_[to].predecessors.push_back(from);
  };
  for (unsigned i = 0; i < blocks_.size(); ++i) {
    for (const bool exceptions : {false, true}) {
      if (!nodes_[i].successors.empty()) break;
      for (llvm::BasicBlock* next : llvm::successors(blocks_[i]))
        if (const auto found = index_.find(next);
            found != index_.end() && next->isEHPad() == exceptions &&
            !llvm::is_contained(nodes_[i].successors, found->second))
          connect(i, found->second);
    }
    // Seeds in an endless loop end at themselves.
    const bool last = nodes_[i].successors.empty();
    if (last || (seeds_.contains(blocks_[i]) && !returning.contains(blocks_[i]))) connect(i, end);
  }
}

unsigned control_dependence::common(unsigned a, unsigned b) const {
  while (a != b) {
    while (nodes_[a].order > nodes_[b].order) a = nodes_[a].parent;
    while (nodes_[b].order > nodes_[a].order) b = nodes_[b].parent;
  }
  return a;
}

// Cooper, Harvey and Kennedy's iteration on the reversed graph.
void control_dependence::find_parents() {
  const auto end = static_cast<unsigned>(blocks_.size());
  std::vector<unsigned> finished;
  std::vector<std::pair<unsigned, std::size_t>> stack{{end, 0}};
  std::vector<bool> seen(nodes_.size());
  seen[end] = true;
  while (!stack.empty()) {
    auto& [at, next] = stack.back();
    if (next < nodes_[at].predecessors.size()) {
      const unsigned previous = nodes_[at].predecessors[next++];
      if (!seen[previous]) {
        seen[previous] = true;
        stack.emplace_back(previous, 0);
      }
    } else {
      finished.push_back(at);
      stack.pop_back();
    }
  }
  std::reverse(finished.begin(), finished.end());
  for (unsigned i = 0; i < finished.size(); ++i) nodes_[finished[i]].order = i;
  nodes_[end].parent = end;
  for (bool changed = true; changed;) {
    changed = false;
    for (const unsigned at : finished) {
      if (at == end) continue;
      unsigned parent = none;
      for (const unsigned next : nodes_[at].successors)
        if (nodes_[next].parent != none) parent = parent == none ? next : common(parent, next);
      if (nodes_[at].parent != parent) {
        nodes_[at].parent = parent;
        changed = true;
      }
    }
  }
}

void control_dependence::find_controllers() {
  for (unsigned i = 0; i < blocks_.size(); ++i) {
    if (nodes_[i].parent == none) continue;
    for (const unsigned next : nodes_[i].successors)
      for (unsigned at = next; at != none && at != nodes_[i].parent && at != blocks_.size();
           at = nodes_[at].parent)
        if (!llvm::is_contained(nodes_[at].controllers, i)) nodes_[at].controllers.push_back(i);
  }
}

bool control_dependence::post_dominates(llvm::BasicBlock* block, llvm::BasicBlock* from) const {
  const auto wanted = index_.find(block), start = index_.find(from);
  if (wanted == index_.end() || start == index_.end()) return false;
  unsigned at = start->second;
  while (at != wanted->second) {
    if (at == blocks_.size() || nodes_[at].parent == none) return false;
    at = nodes_[at].parent;
  }
  return true;
}

llvm::SetVector<llvm::BasicBlock*> control_dependence::deciders() const {
  llvm::SetVector<unsigned> set;
  std::vector<unsigned> work;
  for (llvm::BasicBlock* seed : seeds_) work.push_back(index_.lookup(seed));
  std::vector<bool> seen(nodes_.size());
  while (!work.empty()) {
    const unsigned at = work.back();
    work.pop_back();
    for (const unsigned controller : nodes_[at].controllers)
      if (set.insert(controller)) work.push_back(controller);
  }
  llvm::SetVector<llvm::BasicBlock*> result;
  for (const unsigned i : set) result.insert(blocks_[i]);
  return result;
}

llvm::SetVector<llvm::BasicBlock*> control_dependence::last_deciders() const {
  llvm::SetVector<llvm::BasicBlock*> result;
  for (llvm::BasicBlock* seed : seeds_)
    for (const unsigned controller : nodes_[index_.lookup(seed)].controllers)
      result.insert(blocks_[controller]);
  return result;
}

}  // namespace pianola::compiler::host
