// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/divergent_joins.hpp"

#include <algorithm>
#include <functional>

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>

namespace pianola::compiler::host {

namespace {

bool is_tangle(const llvm::Cycle* cycle) {
  for (; cycle != nullptr; cycle = cycle->getParentCycle())
    if (!cycle->isReducible()) return true;
  return false;
}

}  // namespace

divergent_join_finder::divergent_join_finder(llvm::Function& function,
                                             const llvm::CycleInfo& cycles)
    : cycles_(cycles) {
  arrange(nullptr, &function.getEntryBlock());
  // One more, for who comes back to a branch other than by the head of a loop.
  places_.resize(number_.size() + end_.size() + 1);
}

// Loops inside count as one block each.
void divergent_join_finder::arrange(const llvm::Cycle* cycle, llvm::BasicBlock* first) {
  struct unit {
    llvm::BasicBlock* block;
    const llvm::Cycle* loop;  // null: the block alone
  };
  const auto unit_of = [&](llvm::BasicBlock* block) {
    const llvm::Cycle* loop = cycles_.getCycle(block);
    if (loop == cycle) return unit{block, nullptr};
    while (loop->getParentCycle() != cycle) loop = loop->getParentCycle();
    return unit{loop->getHeader(), loop};
  };
  struct step {
    unit at;
    llvm::SmallVector<llvm::BasicBlock*, 4> left;
  };
  std::vector<step> stack;
  std::vector<unit> finished;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 32> seen;
  const auto enter = [&](llvm::BasicBlock* block) {
    if (cycle != nullptr && !cycle->contains(block)) return;
    // The head of this loop is also that of no loop inside.
    const unit u = unit_of(block);
    if (!seen.insert(u.block).second) return;
    step s{u, {}};
    if (u.loop != nullptr)
      u.loop->getExitBlocks(s.left);
    else
      s.left.append(llvm::succ_begin(u.block), llvm::succ_end(u.block));
    stack.push_back(std::move(s));
  };
  enter(first);
  while (!stack.empty()) {
    if (stack.back().left.empty()) {
      finished.push_back(stack.back().at);
      stack.pop_back();
    } else {
      enter(stack.back().left.pop_back_val());
    }
  }
  const auto next = [&] { return static_cast<unsigned>(number_.size() + end_.size()); };
  for (const unit& u : llvm::reverse(finished)) {
    if (u.loop != nullptr)
      arrange(u.loop, u.block);
    else
      number_.try_emplace(u.block, next());
  }
  if (cycle != nullptr) end_.try_emplace(cycle, next());
}

// Who comes to the head of a loop that the branch is in has ended a round.
unsigned divergent_join_finder::place_of(llvm::BasicBlock* block, llvm::BasicBlock& branch) const {
  const llvm::Cycle* cycle = cycles_.getCycle(block);
  if (cycle != nullptr && cycle->isReducible() && cycle->getHeader() == block &&
      cycle->contains(&branch))
    return end_.lookup(cycle);
  return block == &branch ? static_cast<unsigned>(places_.size() - 1) : number_.lookup(block);
}

void divergent_join_finder::come_to(unsigned to, unsigned label, llvm::BasicBlock* block,
                                    llvm::BasicBlock& branch, const llvm::Cycle* round) {
  place& p = places_[to];
  const bool first = p.block == nullptr;
  if (first) {
    touched_.push_back(to);
    p.block = block;
    p.label = label;
    if (const llvm::Cycle* cycle = cycles_.getCycle(block);
        cycle != nullptr && cycle->contains(&branch) && to == end_.lookup(cycle))
      p.ends = cycle;
  }
  if (round != nullptr) p.rounds.push_back(round);
  const bool meet = !first && label != p.label && !p.join;
  if (meet) p.join = true;
  const bool changed = first || (meet && p.label != to);
  if (meet) p.label = to;
  if (!changed || p.waiting) return;
  p.waiting = true;
  waiting_.push_back(to);
  std::push_heap(waiting_.begin(), waiting_.end(), std::greater<>());
}

void divergent_join_finder::go_on(unsigned from, llvm::BasicBlock& branch) {
  const place& here = places_[from];
  const unsigned label = here.label;
  const llvm::Cycle* const round = here.ends;
  llvm::SmallVector<llvm::BasicBlock*, 4> next;
  if (round != nullptr)
    round->getExitBlocks(next);
  else if (from + 1 != places_.size())
    next.append(llvm::succ_begin(here.block), llvm::succ_end(here.block));
  for (llvm::BasicBlock* to : next) come_to(place_of(to, branch), label, to, branch, round);
}

bool divergent_join_finder::is_in_tangle(const place& p) const {
  return is_tangle(cycles_.getCycle(p.block));
}

divergent_joins divergent_join_finder::of(llvm::BasicBlock& branch) {
  for (const unsigned i : touched_) places_[i] = place();
  touched_.clear();
  waiting_.clear();
  for (llvm::BasicBlock* to : llvm::successors(&branch)) {
    const unsigned at = place_of(to, branch);
    come_to(at, at, to, branch, nullptr);
  }
  while (!waiting_.empty()) {
    std::pop_heap(waiting_.begin(), waiting_.end(), std::greater<>());
    const unsigned at = waiting_.back();
    waiting_.pop_back();
    places_[at].waiting = false;
    // All ways lead here, and what is behind is behind this place. A loop with several entries may lead back.
    if (waiting_.empty() && !is_in_tangle(places_[at])) break;
    go_on(at, branch);
  }

  divergent_joins found;
  std::sort(touched_.begin(), touched_.end());
  for (const unsigned i : touched_) {
    const place& p = places_[i];
    if (!p.join) continue;
    found.of_ways.push_back(p.block);
    for (const llvm::Cycle* left : p.rounds)
      if (!left->contains(p.block)) found.of_rounds.push_back({p.block, left});
  }
  // What is a round of a loop with several entries depends on how one looks at it.
  for (const llvm::Cycle* cycle = cycles_.getCycle(&branch); cycle != nullptr;
       cycle = cycle->getParentCycle()) {
    if (cycle->isReducible()) continue;
    llvm::SmallVector<llvm::BasicBlock*, 4> exits;
    cycle->getExitBlocks(exits);
    for (llvm::BasicBlock* to : exits) found.of_rounds.push_back({to, cycle});
  }
  return found;
}

}  // namespace pianola::compiler::host
