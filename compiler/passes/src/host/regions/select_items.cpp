// SPDX-License-Identifier: Apache-2.0
#include "host/regions/select_items.hpp"

#include <llvm/IR/PatternMatch.h>

namespace pianola::compiler::host {

namespace {

namespace match = llvm::PatternMatch;
using kind = value_storage::kind;

constexpr unsigned most_ways = 8;
constexpr unsigned most_steps = 8;

// Comparisons that all hold where the value is true.
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

bool is_small(llvm::Value* bound) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(bound);
  return constant != nullptr && constant->getValue().ult(0x7fffffff);
}

// Whether `bound` can be a position as it is: sign does not matter.
bool is_supported(llvm::CmpInst::Predicate predicate, llvm::Value* bound) {
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
      return is_small(bound);
    default:
      return false;
  }
}

// With a strict bound for "from here on", and one that is not for "up to here".
bool is_one_more(llvm::CmpInst::Predicate predicate) {
  return predicate == llvm::CmpInst::ICMP_ULE || predicate == llvm::CmpInst::ICMP_SLE ||
         predicate == llvm::CmpInst::ICMP_UGT || predicate == llvm::CmpInst::ICMP_SGT;
}

bool is_upper(llvm::CmpInst::Predicate predicate) {
  return predicate == llvm::CmpInst::ICMP_ULT || predicate == llvm::CmpInst::ICMP_SLT ||
         predicate == llvm::CmpInst::ICMP_ULE || predicate == llvm::CmpInst::ICMP_SLE;
}

/// Follows the branches at the start of a region, as long as they ask for ids and nothing else happens.
class way_finder {
 public:
  way_finder(const region& r, const placeholders& names,
             llvm::function_ref<llvm::Value*(llvm::Value*)> early)
      : region_(r), names_(names), early_(early) {}

  /// False: there are ways for which no limit is known.
  bool follow(llvm::BasicBlock* block, const item_selection& so_far, unsigned steps) {
    if (region_.targets.contains(block)) return true;
    llvm::Instruction* end = block->getTerminator();
    if (steps == most_steps || !is_silent(*block)) return add(so_far);
    if (auto* choice = llvm::dyn_cast<llvm::SwitchInst>(end))
      return follow_switch(*choice, so_far, steps);
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(end);
    if (branch == nullptr) return add(so_far);
    if (branch->isUnconditional()) return follow(branch->getSuccessor(0), so_far, steps + 1);
    llvm::SmallVector<llvm::ICmpInst*, 4> comparisons;
    conjuncts(branch->getCondition(), comparisons);
    const bool is_simple = llvm::isa<llvm::ICmpInst>(branch->getCondition());
    item_selection on_true = so_far, on_false = so_far;
    bool is_known_true = false;
    for (llvm::ICmpInst* compare : comparisons)
      is_known_true = add_limit(*compare, true, on_true) || is_known_true;
    const bool is_known_false = is_simple && add_limit(*comparisons[0], false, on_false);
    if (!is_known_true && !is_known_false) return add(so_far);
    on_true.decisions.push_back({block, 0, is_simple && is_known_true});
    on_false.decisions.push_back({block, 1, is_known_false});
    return follow(branch->getSuccessor(0), on_true, steps + 1) &&
           follow(branch->getSuccessor(1), on_false, steps + 1);
  }

  llvm::SmallVector<item_selection, 4> ways;

 private:
  bool add(const item_selection& way) {
    if (way.limits.empty() || ways.size() == most_ways) return false;
    ways.push_back(way);
    return true;
  }

  bool follow_switch(llvm::SwitchInst& choice, const item_selection& so_far, unsigned steps) {
    const auto dimension = id_dimension(choice.getCondition(), names_);
    if (!dimension) return add(so_far);
    for (const auto& one : choice.cases()) {
      item_selection way = so_far;
      way.limits.push_back({*dimension, llvm::CmpInst::ICMP_EQ, one.getCaseValue()});
      way.decisions.push_back({choice.getParent(), one.getSuccessorIndex(), true});
      if (!follow(one.getCaseSuccessor(), way, steps + 1)) return false;
    }
    item_selection rest = so_far;
    rest.decisions.push_back({choice.getParent(), 0, false});
    return follow(choice.getDefaultDest(), rest, steps + 1);
  }

  bool add_limit(llvm::ICmpInst& compare, bool value, item_selection& way) {
    llvm::CmpInst::Predicate predicate = compare.getPredicate();
    llvm::Value *id = compare.getOperand(0), *bound = compare.getOperand(1);
    if (!id_dimension(id, names_)) {
      std::swap(id, bound);
      predicate = llvm::CmpInst::getSwappedPredicate(predicate);
    }
    const auto dimension = id_dimension(id, names_);
    if (!dimension) return false;
    if (!value) predicate = llvm::CmpInst::getInversePredicate(predicate);
    llvm::Value* known = early_(bound);
    if (known == nullptr || !is_supported(predicate, known)) return false;
    way.limits.push_back({*dimension, predicate, known});
    way.known.emplace_back(&compare, value);
    return true;
  }

  const region& region_;
  const placeholders& names_;
  llvm::function_ref<llvm::Value*(llvm::Value*)> early_;
};

/// Makes a range out of limits.
class range_maker {
 public:
  range_maker(llvm::IRBuilder<>& at, const item_level& level) : at_(at), level_(level) {
    range_.is_short = true;
  }

  void add(const item_limit& limit, bool only_one) {
    const unsigned d = limit.dimension;
    if (limit.predicate == llvm::CmpInst::ICMP_EQ) {
      add_guard(at_.CreateICmpULT(limit.bound,
                                  at_.CreateZExtOrTrunc(level_.size[d], limit.bound->getType())));
      llvm::Value* index = at_.CreateZExtOrTrunc(limit.bound, at_.getInt32Ty());
      if (only_one && d < 2) {
        range_.fixed[d] = index;
        return;
      }
      raise(d, index);
      lower(d, at_.CreateAdd(index, at_.getInt32(1)));
    } else if (is_upper(limit.predicate)) {
      lower(d, position(limit));
    } else {
      raise(d, position(limit));
    }
  }

  item_range get() {
    for (unsigned d = 0; d < 3; ++d) {
      if (range_.low[d] == nullptr && range_.high[d] == nullptr) continue;
      llvm::Value* low = range_.low[d] != nullptr ? range_.low[d] : at_.getInt32(0);
      llvm::Value* high = range_.high[d] != nullptr ? range_.high[d] : level_.size[d];
      add_guard(at_.CreateICmpULT(low, high));
    }
    return range_;
  }

 private:
  void add_guard(llvm::Value* condition) {
    range_.guard = range_.guard == nullptr ? condition : at_.CreateAnd(range_.guard, condition);
  }
  // From 0 to the size; constants plus one are still small.
  llvm::Value* position(const item_limit& limit) {
    llvm::Type* type = limit.bound->getType();
    llvm::Value* bound = at_.CreateAdd(
        limit.bound, llvm::ConstantInt::get(type, is_one_more(limit.predicate) ? 1 : 0));
    llvm::Value* end = at_.CreateZExtOrTrunc(level_.size[limit.dimension], type);
    return at_.CreateZExtOrTrunc(at_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, bound, end),
                                 at_.getInt32Ty());
  }
  void raise(unsigned d, llvm::Value* to) {
    llvm::Value*& low = range_.low[d];
    low = low == nullptr ? to : at_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, low, to);
  }
  void lower(unsigned d, llvm::Value* to) {
    llvm::Value*& high = range_.high[d];
    high = high == nullptr ? to : at_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, high, to);
  }

  llvm::IRBuilder<>& at_;
  const item_level& level_;
  item_range range_;
};

}  // namespace

std::optional<unsigned> id_dimension(llvm::Value* value, const placeholders& names) {
  llvm::Value* narrow = nullptr;
  if (llvm::PatternMatch::match(value, match::m_ZExt(match::m_Value(narrow)))) value = narrow;
  auto* call = llvm::dyn_cast<llvm::CallInst>(value);
  if (call == nullptr) return std::nullopt;
  if (call->getCalledFunction() == names.z) return 0;
  if (call->getCalledFunction() == names.y) return 1;
  if (call->getCalledFunction() == names.x) return 2;
  return std::nullopt;
}

bool is_silent(const llvm::BasicBlock& block) {
  return llvm::none_of(block, [](const llvm::Instruction& instruction) {
    return !instruction.isTerminator() && instruction.mayHaveSideEffects();
  });
}

llvm::SmallVector<item_selection, 4> select_items(
    const region& r, const value_storage& storage, const placeholders& names,
    const item_level& level, llvm::function_ref<llvm::Value*(llvm::Value*)> early) {
  if (level.most != 0 || !level.innermost || r.targets.size() != 1) return {};
  llvm::BasicBlock* target = r.targets[0];
  if (!target->phis().empty()) return {};
  for (llvm::Instruction* value : storage.live().values())
    if (r.blocks.contains(value->getParent()) && !names.is_id(value) && early(value) == nullptr &&
        storage.live().at_start(target, value) &&
        (storage.kind_of(value) != kind::remade || storage.decides(value)))
      return {};
  way_finder finder(r, names, early);
  if (!finder.follow(r.entry, {}, 0)) return {};
  return finder.ways;
}

std::vector<item_range> selected_items(llvm::IRBuilder<>& at, const item_selection& selection,
                                       const item_level& level, bool is_alone) {
  const item_limit& first = selection.limits[0];
  if (is_alone && selection.limits.size() == 1 && level.dimensions == 1 &&
      is_upper(first.predicate) && is_small(first.bound)) {
    // Most often the group has so many items: a constant number of them.
    const std::uint64_t bound = llvm::cast<llvm::ConstantInt>(first.bound)->getZExtValue();
    llvm::Value* high =
        at.getInt32(static_cast<unsigned>(bound) + (is_one_more(first.predicate) ? 1U : 0U));
    item_range full, rest;
    full.is_short = rest.is_short = true;
    full.high[2] = high;
    full.guard = at.CreateAnd(at.CreateICmpUGE(level.size[2], high), at.CreateIsNotNull(high));
    rest.guard = at.CreateICmpULT(level.size[2], high);
    return {full, rest};
  }
  range_maker maker(at, level);
  bool has_x = false;
  for (const item_limit& limit : selection.limits) {
    const auto same = [&](const item_limit& l) { return l.dimension == limit.dimension; };
    maker.add(limit, llvm::count_if(selection.limits, same) == 1);
    has_x = has_x || limit.dimension == 2;
  }
  const item_range range = maker.get();
  if (has_x || !is_alone) return {range};
  std::vector<item_range> ranges = all_items(at, level);
  for (item_range& part : ranges) {
    part.guard = at.CreateAnd(part.guard, range.guard);
    for (unsigned d = 0; d < 2; ++d) {
      part.low[d] = range.low[d];
      part.high[d] = range.high[d];
      part.fixed[d] = range.fixed[d];
    }
  }
  return ranges;
}

}  // namespace pianola::compiler::host
