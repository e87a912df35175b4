// SPDX-License-Identifier: Apache-2.0
#include "select_items.hpp"

#include <llvm/IR/PatternMatch.h>

namespace pianola::compiler::host {

namespace {

namespace match = llvm::PatternMatch;
using kind = value_storage::kind;

// x, or x widened without a sign.
bool is_x(llvm::Value* value, const placeholders& names) {
  llvm::Value* narrow = nullptr;
  if (llvm::PatternMatch::match(value, match::m_ZExt(match::m_Value(narrow)))) value = narrow;
  auto* call = llvm::dyn_cast<llvm::CallInst>(value);
  return call != nullptr && call->getCalledFunction() == names.x;
}

bool is_silent(const llvm::BasicBlock& block) {
  return llvm::none_of(block, [](const llvm::Instruction& instruction) {
    return !instruction.isTerminator() && instruction.mayHaveSideEffects();
  });
}

// Whether an item that goes this way leaves nothing behind.
bool leads_out(llvm::BasicBlock* block, const region& r) {
  for (int steps = 0; steps < 4; ++steps) {
    if (r.targets.contains(block)) return true;
    auto* jump = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (jump == nullptr || !jump->isUnconditional() || !is_silent(*block)) return false;
    block = jump->getSuccessor(0);
  }
  return false;
}

// Comparisons that all hold (or: one does not hold) where the branch goes one way.
void conjuncts(llvm::Value* value, llvm::SmallVectorImpl<llvm::ICmpInst*>& found) {
  llvm::Value *a = nullptr, *b = nullptr;
  if (auto* compare = llvm::dyn_cast<llvm::ICmpInst>(value)) {
    found.push_back(compare);
  } else if (llvm::PatternMatch::match(value,
                                       match::m_LogicalAnd(match::m_Value(a), match::m_Value(b)))) {
    conjuncts(a, found);
    conjuncts(b, found);
  }
}

// Whether `bound` can be a position as it is: sign does not matter.
bool is_supported(llvm::CmpInst::Predicate predicate, llvm::Value* bound) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(bound);
  const bool small = constant != nullptr && constant->getValue().ult(0x7fffffff);
  switch (predicate) {
    case llvm::CmpInst::ICMP_EQ:
    case llvm::CmpInst::ICMP_ULT:
    case llvm::CmpInst::ICMP_UGE:
      return true;
    case llvm::CmpInst::ICMP_SLT:
    case llvm::CmpInst::ICMP_SGE:
    case llvm::CmpInst::ICMP_ULE:
    case llvm::CmpInst::ICMP_UGT:
    case llvm::CmpInst::ICMP_SLE:
    case llvm::CmpInst::ICMP_SGT:
      return small;
    default:
      return false;
  }
}

}  // namespace

item_selection select_items(const region& r, const value_storage& storage,
                            const placeholders& names, const item_level& level,
                            llvm::function_ref<llvm::Value*(llvm::Value*)> early) {
  if (level.dimensions != 1 || level.most != 0 || !level.innermost || r.targets.size() != 1)
    return {};
  llvm::BasicBlock* target = r.targets[0];
  if (!target->phis().empty()) return {};
  for (llvm::Instruction* value : storage.live().values())
    if (r.blocks.contains(value->getParent()) && !names.is_id(value) && early(value) == nullptr &&
        storage.live().at_start(target, value) &&
        (storage.kind_of(value) != kind::remade || storage.decides(value)))
      return {};
  llvm::BasicBlock* block = r.entry;
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
  for (int steps = 0; steps < 4 && branch != nullptr && branch->isUnconditional(); ++steps) {
    if (!is_silent(*block) || !r.blocks.contains(branch->getSuccessor(0))) return {};
    block = branch->getSuccessor(0);
    branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
  }
  if (branch == nullptr || branch->isUnconditional() || !is_silent(*block)) return {};
  const bool out_on_false = leads_out(branch->getSuccessor(1), r);
  if (!out_on_false && !leads_out(branch->getSuccessor(0), r)) return {};
  llvm::SmallVector<llvm::ICmpInst*, 4> comparisons;
  if (out_on_false)
    conjuncts(branch->getCondition(), comparisons);
  else if (auto* compare = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition()))
    comparisons.push_back(compare);
  for (llvm::ICmpInst* compare : comparisons) {
    item_selection found;
    found.predicate = compare->getPredicate();
    llvm::Value* bound = nullptr;
    if (is_x(compare->getOperand(0), names)) {
      bound = compare->getOperand(1);
    } else if (is_x(compare->getOperand(1), names)) {
      bound = compare->getOperand(0);
      found.predicate = llvm::CmpInst::getSwappedPredicate(found.predicate);
    } else {
      continue;
    }
    if (!out_on_false) found.predicate = llvm::CmpInst::getInversePredicate(found.predicate);
    found.bound = early(bound);
    if (found.bound == nullptr || !is_supported(found.predicate, found.bound)) continue;
    found.condition = compare;
    found.value = out_on_false;
    return found;
  }
  return {};
}

std::vector<item_range> selected_items(llvm::IRBuilder<>& at, const item_selection& selection,
                                       const item_level& level) {
  llvm::Value* size = level.size[2];
  llvm::Type* type = selection.bound->getType();
  // The bound as a position from 0 to the size; constants plus one are still small.
  const auto position = [&](unsigned add) -> llvm::Value* {
    llvm::Value* bound = at.CreateAdd(selection.bound, llvm::ConstantInt::get(type, add));
    llvm::Value* end = at.CreateZExtOrTrunc(size, type);
    return at.CreateZExtOrTrunc(at.CreateBinaryIntrinsic(llvm::Intrinsic::umin, bound, end),
                                at.getInt32Ty());
  };
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(selection.bound);
  item_range range;
  range.is_short = true;
  switch (selection.predicate) {
    case llvm::CmpInst::ICMP_ULT:
    case llvm::CmpInst::ICMP_SLT:
    case llvm::CmpInst::ICMP_ULE:
    case llvm::CmpInst::ICMP_SLE: {
      const unsigned add = llvm::CmpInst::isNonStrictPredicate(selection.predicate) ? 1 : 0;
      if (constant != nullptr && constant->getValue().ult(0x7fffffff)) {
        // Most often the group has so many items: a constant number of them.
        llvm::Value* high = at.getInt32(static_cast<unsigned>(constant->getZExtValue()) + add);
        item_range full = range;
        full.high = high;
        full.guard = at.CreateAnd(at.CreateICmpUGE(size, high), at.CreateIsNotNull(high));
        range.guard = at.CreateICmpULT(size, high);
        return {full, range};
      }
      range.high = position(add);
      range.guard = at.CreateIsNotNull(range.high);
      return {range};
    }
    case llvm::CmpInst::ICMP_EQ: {
      range.guard = at.CreateICmpULT(selection.bound, at.CreateZExtOrTrunc(size, type));
      range.low = at.CreateZExtOrTrunc(selection.bound, at.getInt32Ty());
      range.high = at.CreateAdd(range.low, at.getInt32(1));
      return {range};
    }
    default: {
      const bool strict = selection.predicate == llvm::CmpInst::ICMP_UGT ||
                          selection.predicate == llvm::CmpInst::ICMP_SGT;
      range.low = position(strict ? 1 : 0);
      range.high = size;
      range.guard = at.CreateICmpULT(range.low, size);
      return {range};
    }
  }
}

}  // namespace pianola::compiler::host
