// SPDX-License-Identifier: Apache-2.0
#include "facts/count_operations.hpp"

#include <algorithm>
#include <utility>

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

#include "facts/loop_counts.hpp"
#include "facts/sum_keys.hpp"
#include "pianola/compiler/tally_operations.hpp"

namespace pianola::compiler {

namespace {

// Of one kernel; more make no planning better.
constexpr std::size_t max_entries = 32;
constexpr std::size_t max_loops = 8;

std::vector<std::uint64_t> key_of(const counted_operations& o) {
  std::vector<std::uint64_t> key{o.flags, o.loops.size()};
  for (const access_loop& l : o.loops) put_key(l, key);
  put_key(o.conditions, key);
  return key;
}

}  // namespace

bool operation_counter::describe(const llvm::BasicBlock& block, counted_operations& out) const {
  choices undecided{{}, nullptr};
  condition_list conditions = conditions_.in_front_of(block, undecided);
  if (!conditions.complete) return false;
  if (conditions.narrow) out.flags |= PIANOLA_OPERATIONS_NARROW;
  out.conditions = std::move(conditions.all);
  for (const llvm::Loop* loop = loops_.getLoopFor(&block); loop != nullptr;
       loop = loop->getParentLoop()) {
    const auto count = count_rounds(*loop, block, reader_, evolution_, tree_);
    const auto sum = count && count->exact ? encode(count->sum) : std::nullopt;
    if (!sum || out.loops.size() == max_loops) return false;
    if (count->narrow) out.flags |= PIANOLA_OPERATIONS_NARROW;
    out.loops.push_back({{},
                         *sum,
                         count->least,
                         count->plus,
                         count->divisor,
                         count->extra,
                         count->is_unsigned ? std::uint32_t{PIANOLA_LOOP_UNSIGNED} : 0});
  }
  return true;
}

std::optional<std::vector<counted_operations>> operation_counter::count() const {
  const auto tallies = tally_operations(body_);
  if (!tallies) return std::nullopt;
  const llvm::ReversePostOrderTraversal<const llvm::Function*> order(&body_);
  // Its rounds are nobody's.
  if (llvm::containsIrreducibleCFG<const llvm::BasicBlock*>(order, loops_)) return std::nullopt;
  std::vector<std::pair<std::vector<std::uint64_t>, counted_operations>> all;
  for (const auto& [block, tally] : *tallies) {
    if (!tree_.isReachableFromEntry(block)) continue;
    counted_operations one;
    if (!describe(*block, one)) return std::nullopt;
    std::vector<std::uint64_t> key = key_of(one);
    const auto same =
        std::find_if(all.begin(), all.end(), [&](const auto& a) { return a.first == key; });
    counted_operations& to =
        same != all.end() ? same->second : all.emplace_back(std::move(key), std::move(one)).second;
    to.each.simple += tally.simple;
    to.each.divisions += tally.divisions;
    to.each.functions += tally.functions;
  }
  if (all.size() > max_entries) return std::nullopt;
  std::vector<counted_operations> result;
  for (auto& [key, one] : all) result.push_back(std::move(one));
  return result;
}

}  // namespace pianola::compiler
