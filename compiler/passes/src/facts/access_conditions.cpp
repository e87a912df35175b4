// SPDX-License-Identifier: Apache-2.0
#include "facts/access_conditions.hpp"

#include <optional>
#include <utility>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

namespace pianola::compiler {

namespace {

using llvm::CmpInst;

// More make nobody's kernel clearer.
constexpr std::size_t max_conditions = 24;

// That an id is below the range is true of every work-item that there is.
bool is_inside(const polynomial& id, const polynomial& range) {
  for (std::uint32_t d = 0; d < 3; ++d)
    if (id == polynomial{{{make_atom(PIANOLA_FACTOR_ID, d)}, 1}} &&
        range == polynomial{{{make_atom(PIANOLA_FACTOR_GLOBAL, d)}, 1}})
      return true;
  return false;
}

}  // namespace

// Whether the block asks if a loop goes on in which `next` is, which is what tells the number of its rounds.
bool condition_reader::leaves_loop(const llvm::BasicBlock& block,
                                   const llvm::BasicBlock& next) const {
  const llvm::Loop* loop = loops_.getLoopFor(&block);
  return loop != nullptr && loop->contains(&next) && loop->isLoopExiting(&block);
}

condition_list condition_reader::in_front_of(const llvm::BasicBlock& block, choices& which) const {
  condition_list result;
  const llvm::BasicBlock* at = &block;
  while (const auto* node = tree_.getNode(at)->getIDom()) {
    const llvm::BasicBlock* before = node->getBlock();
    if (!post_tree_.dominates(at, before) && !leaves_loop(*before, *at)) {
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(before->getTerminator());
      bool found = false;
      if (branch != nullptr && branch->isConditional() &&
          branch->getSuccessor(0) != branch->getSuccessor(1))
        for (const unsigned i : {0U, 1U}) {
          const llvm::BasicBlock* next = branch->getSuccessor(i);
          if (!tree_.dominates(llvm::BasicBlockEdge(before, next), at)) continue;
          add(*branch->getCondition(), i == 0, which, result);
          found = post_tree_.dominates(at, next);
        }
      if (!found) result.complete = false;
    }
    at = before;
  }
  if (result.all.size() > max_conditions) {
    result.all.resize(max_conditions);
    result.complete = false;
  }
  return result;
}

void condition_reader::add(const llvm::Value& value, bool truth, choices& which,
                           condition_list& to) const {
  using namespace llvm::PatternMatch;
  const llvm::Value *a = nullptr, *b = nullptr;
  if (match(&value, m_Not(m_Value(a)))) return add(*a, !truth, which, to);
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&value)) {
    if (constant->isOne() != truth) to.complete = false;
    return;
  }
  if (const auto* same = llvm::dyn_cast<llvm::FreezeInst>(&value))
    return add(*same->getOperand(0), truth, which, to);
  // Both hold, or neither.
  if (truth ? match(&value, m_LogicalAnd(m_Value(a), m_Value(b)))
            : match(&value, m_LogicalOr(m_Value(a), m_Value(b)))) {
    add(*a, truth, which, to);
    return add(*b, truth, which, to);
  }
  const auto* compared = llvm::dyn_cast<llvm::ICmpInst>(&value);
  if (compared == nullptr) {
    to.complete = false;
    return;
  }
  add_comparison(truth ? compared->getPredicate() : compared->getInversePredicate(),
                 *compared->getOperand(0), *compared->getOperand(1), which, to);
}

void condition_reader::add_choice(const llvm::Value& choice, bool first, choices& which,
                                  condition_list& to) const {
  if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(&choice))
    return add(*select->getCondition(), first, which, to);
  if (const auto* difference = llvm::dyn_cast<llvm::SaturatingInst>(&choice))
    return add_comparison(first ? CmpInst::ICMP_UGE : CmpInst::ICMP_ULT, *difference->getLHS(),
                          *difference->getRHS(), which, to);
  const auto& either = llvm::cast<llvm::MinMaxIntrinsic>(choice);
  const CmpInst::Predicate wins = CmpInst::getNonStrictPredicate(either.getPredicate());
  add_comparison(first ? wins : CmpInst::getInversePredicate(wins), *either.getLHS(),
                 *either.getRHS(), which, to);
}

void condition_reader::add_comparison(unsigned predicate, const llvm::Value& a,
                                      const llvm::Value& b, choices& which,
                                      condition_list& to) const {
  const auto read = [&](const llvm::Value& value) -> std::optional<index_value> {
    if (!value.getType()->isIntegerTy()) return std::nullopt;
    std::optional<index_value> v = reader_.read(value, which);
    if (!v || !bounds_narrowed(v->value, *v) || !encode(v->value)) return std::nullopt;
    return v;
  };
  const auto x = read(a), y = read(b);
  if (!x || !y) {
    // Whether it holds makes no difference to who is left out; who decides it later asks again.
    to.complete = false;
    return;
  }
  to.narrow = to.narrow || !x->narrowed.empty() || !x->narrowed_unsigned.empty() ||
              !y->narrowed.empty() || !y->narrowed_unsigned.empty();
  const auto put = [&](pianola_condition_kind kind, const index_value& first,
                       const index_value& second) {
    if (kind == PIANOLA_CONDITION_BELOW && is_inside(first.value, second.value)) return;
    to.all.push_back({kind, *encode(first.value), *encode(second.value)});
  };
  switch (static_cast<CmpInst::Predicate>(predicate)) {
    case CmpInst::ICMP_EQ:
      put(PIANOLA_CONDITION_AT_LEAST, *x, *y);
      return put(PIANOLA_CONDITION_AT_LEAST, *y, *x);
    case CmpInst::ICMP_NE:
      return put(PIANOLA_CONDITION_DIFFERENT, *x, *y);
    case CmpInst::ICMP_SGT:
      return put(PIANOLA_CONDITION_GREATER, *x, *y);
    case CmpInst::ICMP_SGE:
      return put(PIANOLA_CONDITION_AT_LEAST, *x, *y);
    case CmpInst::ICMP_SLT:
      return put(PIANOLA_CONDITION_GREATER, *y, *x);
    case CmpInst::ICMP_SLE:
      return put(PIANOLA_CONDITION_AT_LEAST, *y, *x);
    case CmpInst::ICMP_ULT:
      return put(PIANOLA_CONDITION_BELOW, *x, *y);
    case CmpInst::ICMP_UGT:
      return put(PIANOLA_CONDITION_BELOW, *y, *x);
    case CmpInst::ICMP_UGE:
      return put(PIANOLA_CONDITION_NOT_BELOW, *x, *y);
    case CmpInst::ICMP_ULE:
      return put(PIANOLA_CONDITION_NOT_BELOW, *y, *x);
    default:
      to.complete = false;
  }
}

}  // namespace pianola::compiler
