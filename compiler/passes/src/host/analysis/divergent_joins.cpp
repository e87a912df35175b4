// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/divergent_joins.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>

namespace pianola::compiler::host {

namespace {

class ways_from {
 public:
  ways_from(llvm::BasicBlock& branch, const llvm::CycleInfo& cycles)
      : branch_(branch), cycles_(cycles) {
    number();
    find_dominators();
  }

  divergent_joins joins() const {
    divergent_joins found;
    // 0 is the branch.
    for (unsigned i = 1; i < nodes_.size(); ++i) {
      const node& n = nodes_[i];
      if (n.block == nullptr || n.dominator != 0) continue;
      // Who comes round a loop has been here before.
      const auto ways =
          llvm::count_if(n.predecessors, [&](unsigned p) { return !is_behind(p, i); });
      if (ways < 2) continue;
      found.of_ways.push_back(n.block);
      for (const unsigned p : n.predecessors)
        if (const llvm::Cycle* left = nodes_[p].ends; left != nullptr && !left->contains(n.block))
          found.of_rounds.push_back({n.block, left});
    }
    // What is a round of a loop with several entries depends on how one looks at it.
    for (const llvm::Cycle* cycle = cycles_.getCycle(&branch_); cycle != nullptr;
         cycle = cycle->getParentCycle()) {
      if (cycle->isReducible()) continue;
      llvm::SmallVector<llvm::BasicBlock*, 4> exits;
      cycle->getExitBlocks(exits);
      for (llvm::BasicBlock* to : exits) found.of_rounds.push_back({to, cycle});
    }
    return found;
  }

 private:
  struct node {
    llvm::BasicBlock* block = nullptr;  // null: the branch once more
    const llvm::Cycle* ends = nullptr;  // the head of this loop, in which the branch is
    std::vector<unsigned> predecessors;
    unsigned dominator = unknown;
  };
  static constexpr unsigned unknown = ~0U;

  // The loop of which the branch is in a round that ends at this block. Null stands for coming back to the branch.
  const llvm::Cycle* loop_that_ends(llvm::BasicBlock* block) const {
    if (block == &branch_) return nullptr;
    llvm::BasicBlock* const head = block == nullptr ? &branch_ : block;
    const llvm::Cycle* cycle = cycles_.getCycle(head);
    if (cycle == nullptr || !cycle->isReducible() || cycle->getHeader() != head ||
        !cycle->contains(&branch_))
      return nullptr;
    return cycle;
  }

  llvm::SmallVector<llvm::BasicBlock*, 4> next(llvm::BasicBlock* block) const {
    llvm::SmallVector<llvm::BasicBlock*, 4> blocks;
    if (const llvm::Cycle* cycle = loop_that_ends(block))
      cycle->getExitBlocks(blocks);
    else if (block != nullptr)
      blocks.append(llvm::succ_begin(block), llvm::succ_end(block));
    std::replace(blocks.begin(), blocks.end(), &branch_, static_cast<llvm::BasicBlock*>(nullptr));
    return blocks;
  }

  // In the order in which all that leads to a block comes before it, but for loops.
  void number() {
    struct step {
      llvm::BasicBlock* block;
      llvm::SmallVector<llvm::BasicBlock*, 4> left;
    };
    std::vector<llvm::BasicBlock*> finished;
    std::vector<std::pair<llvm::BasicBlock*, llvm::BasicBlock*>> edges;
    llvm::DenseMap<llvm::BasicBlock*, unsigned> index;
    std::vector<step> stack;
    const auto enter = [&](llvm::BasicBlock* block) {
      if (!index.try_emplace(block, unknown).second) return;
      stack.push_back({block, next(block)});
      for (llvm::BasicBlock* to : stack.back().left) edges.emplace_back(block, to);
    };
    enter(&branch_);
    while (!stack.empty()) {
      if (stack.back().left.empty()) {
        finished.push_back(stack.back().block);
        stack.pop_back();
      } else {
        enter(stack.back().left.pop_back_val());
      }
    }
    std::reverse(finished.begin(), finished.end());
    nodes_.resize(finished.size());
    for (unsigned i = 0; i < nodes_.size(); ++i) {
      nodes_[i].block = finished[i];
      nodes_[i].ends = loop_that_ends(finished[i]);
      index[finished[i]] = i;
    }
    for (const auto& [from, to] : edges)
      nodes_[index.lookup(to)].predecessors.push_back(index.lookup(from));
  }

  // Cooper, Harvey and Kennedy's iteration.
  void find_dominators() {
    nodes_[0].dominator = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (unsigned i = 1; i < nodes_.size(); ++i) {
        unsigned dominator = unknown;
        for (const unsigned p : nodes_[i].predecessors)
          if (nodes_[p].dominator != unknown)
            dominator = dominator == unknown ? p : common(dominator, p);
        changed = changed || nodes_[i].dominator != dominator;
        nodes_[i].dominator = dominator;
      }
    }
  }
  // Whether one comes there by the block only.
  bool is_behind(unsigned at, unsigned block) const {
    while (at > block) at = nodes_[at].dominator;
    return at == block;
  }
  unsigned common(unsigned a, unsigned b) const {
    while (a != b) {
      while (a > b) a = nodes_[a].dominator;
      while (b > a) b = nodes_[b].dominator;
    }
    return a;
  }

  llvm::BasicBlock& branch_;
  const llvm::CycleInfo& cycles_;
  std::vector<node> nodes_;
};

}  // namespace

divergent_joins find_divergent_joins(llvm::BasicBlock& branch, const llvm::CycleInfo& cycles) {
  return ways_from(branch, cycles).joins();
}

}  // namespace pianola::compiler::host
