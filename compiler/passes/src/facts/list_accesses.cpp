// SPDX-License-Identifier: Apache-2.0
#include "facts/list_accesses.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include "facts/loop_counts.hpp"
#include "facts/sum_keys.hpp"
#include "pianola/compiler/kernel_atoms.hpp"

namespace pianola::compiler {

namespace {

// Of one access; each has a description of its own.
constexpr std::size_t max_choices = 16;
constexpr std::size_t max_accesses = 64;
constexpr unsigned max_steps = 64;

bool has_ids(const polynomial& p) {
  return std::any_of(p.begin(), p.end(), [](const auto& term) {
    return std::any_of(term.first.begin(), term.first.end(), [](atom a) {
      return kind_of(a) == PIANOLA_FACTOR_ID || kind_of(a) == PIANOLA_FACTOR_GROUP;
    });
  });
}

/// What belongs to rounds of loops, by the loop, without it. False if that is no multiple of the round.
bool split(const polynomial& whole, polynomial& start,
           std::map<std::uint32_t, polynomial>& strides) {
  for (const auto& [product, coefficient] : whole) {
    std::vector<atom> rest;
    std::optional<std::uint32_t> loop;
    for (const atom a : product) {
      if (!is_round(a)) {
        rest.push_back(a);
        continue;
      }
      if (loop) return false;
      loop = loop_of(a);
    }
    add(loop ? strides[*loop] : start, {{rest, coefficient}});
  }
  for (const auto& [loop, stride] : strides)
    if (has_ids(stride)) return false;
  return true;
}

// Everything but the constant part of the position and the length.
sum_key key_of(const argument_access& a) {
  sum_key key{a.flags, a.loops.size()};
  put_key(a.start, key, false);
  for (const access_loop& l : a.loops) put_key(l, key);
  put_key(a.conditions, key);
  return key;
}

// A number that is combined with another one is an access of its own.
bool may_grow(const argument_access& a) { return a.flags >> PIANOLA_ACCESS_REDUCTION_SHIFT == 0; }

// The empty product comes first.
std::int64_t constant_of(const argument_access& a) {
  if (a.start.empty() || kind_of(a.start[0].factors[0]) != PIANOLA_FACTOR_ONE) return 0;
  return a.start[0].coefficient;
}

void take(index_value& to, const index_value& from, std::int64_t scale) {
  add(to.value, from.value, scale);
  to.narrowed.insert(to.narrowed.end(), from.narrowed.begin(), from.narrowed.end());
  to.narrowed_unsigned.insert(to.narrowed_unsigned.end(), from.narrowed_unsigned.begin(),
                              from.narrowed_unsigned.end());
}

}  // namespace

bool access_lister::advance(index_value& offset, const llvm::Value& step, choices& which) const {
  const auto& gep = llvm::cast<llvm::GEPOperator>(step);
  llvm::MapVector<llvm::Value*, llvm::APInt> variable;
  llvm::APInt constant(64, 0);
  if (!gep.collectOffset(layout_, 64, variable, constant)) return false;
  pianola::compiler::add(offset.value, {{{}, 1}}, constant.getSExtValue());
  for (const auto& [index, scale] : variable) {
    const std::optional<index_value> number = reader_.read(*index, which);
    if (!number) {
      blocked_ = index;
      return false;
    }
    take(offset, *number, scale.getSExtValue());
  }
  return true;
}

std::optional<access_lister::position> access_lister::follow(const llvm::Value& pointer,
                                                             choices& which) const {
  index_value offset;
  const llvm::Value* at = &pointer;
  for (unsigned n = 0; n < max_steps; ++n) {
    blocked_ = at;
    if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(at)) {
      if (!advance(offset, *gep, which)) return std::nullopt;
      at = gep->getPointerOperand();
    } else if (llvm::isa<llvm::BitCastOperator, llvm::AddrSpaceCastOperator, llvm::FreezeInst>(
                   at)) {
      at = llvm::cast<llvm::User>(at)->getOperand(0);
    } else if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(at)) {
      const auto taken = which.taken.find(at);
      if (taken == which.taken.end()) {
        which.open = at;
        return std::nullopt;
      }
      at = taken->second ? select->getTrueValue() : select->getFalseValue();
    } else if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(at)) {
      if (phi->getNumIncomingValues() == 1) {
        at = phi->getIncomingValue(0);
        continue;
      }
      const auto grows = reader_.recurrence_of(*phi);
      if (!grows) return std::nullopt;
      const auto* next = llvm::dyn_cast<llvm::GEPOperator>(grows->next);
      index_value each;
      if (next == nullptr || next->getPointerOperand() != phi || !advance(each, *next, which) ||
          !reader_.is_fixed(each.value, grows->loop))
        return std::nullopt;
      each.value = multiply(each.value, {{{round_atom(grows->loop)}, 1}});
      take(offset, each, 1);
      at = grows->start;
    } else if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(at)) {
      const auto argument = object_.offset_of(*load->getPointerOperand());
      if (!argument) return std::nullopt;
      return position{*argument, std::move(offset)};
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

bool access_lister::are_same(const llvm::Value& a, const llvm::Value& b) const {
  if (&a == &b) return true;
  choices of_a{{}, nullptr}, of_b{{}, nullptr};
  const auto x = follow(a, of_a), y = follow(b, of_b);
  return x && y && x->argument == y->argument && x->offset.value == y->offset.value &&
         x->offset.narrowed == y->offset.narrowed &&
         x->offset.narrowed_unsigned == y->offset.narrowed_unsigned;
}

// A loop in which the position stays is of interest only if it may make no round at all.
bool access_lister::add_loops(const llvm::Instruction& instruction,
                              const std::map<std::uint32_t, polynomial>& strides,
                              argument_access& access) const {
  const llvm::BasicBlock& block = *instruction.getParent();
  for (const auto& [number, stride] : strides) {
    const llvm::Loop& loop = reader_.loop(number);
    if (!loop.contains(&block)) return false;
    if (stride.empty()) continue;
    const auto count = count_rounds(loop, block, reader_, evolution_, tree_);
    const auto terms = encode(stride);
    const auto sum = count ? encode(count->sum) : std::nullopt;
    if (!terms || !sum) return false;
    if (!count->exact) access.flags &= ~std::uint32_t{PIANOLA_ACCESS_CERTAIN};
    if (count->narrow) access.flags |= PIANOLA_ACCESS_NARROW;
    access.loops.push_back({*terms, *sum, count->least, count->plus, count->divisor, count->extra,
                            count->is_unsigned ? std::uint32_t{PIANOLA_LOOP_UNSIGNED} : 0});
  }
  if (access.loops.size() > PIANOLA_ACCESS_LOOPS) return false;
  for (const llvm::Loop* loop = loops_.getLoopFor(&block); loop != nullptr;
       loop = loop->getParentLoop()) {
    if (std::any_of(strides.begin(), strides.end(), [&](const auto& s) {
          return &reader_.loop(s.first) == loop && !s.second.empty();
        }))
      continue;
    llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
    loop->getExitingBlocks(exiting);
    for (const llvm::BasicBlock* at : exiting)
      if (at != &block && tree_.dominates(at, &block))
        access.flags &= ~std::uint32_t{PIANOLA_ACCESS_CERTAIN};
  }
  return true;
}

bool access_lister::describe(const llvm::Instruction& instruction, const position& at,
                             const choices& which, argument_access& access) {
  const index_value& offset = at.offset;
  polynomial start;
  std::map<std::uint32_t, polynomial> strides;
  reason_ = "an index that is computed with 32 bits, which may not be enough";
  if (!bounds_narrowed(offset.value, offset)) return false;
  reason_ = "a place that is no sum of products";
  if (!split(offset.value, start, strides)) return false;
  const auto terms = encode(start);
  if (!terms) return false;
  access.start = *terms;
  if (constant_of(access) > far || constant_of(access) < -far) return false;
  if (!offset.narrowed.empty() || !offset.narrowed_unsigned.empty())
    access.flags |= PIANOLA_ACCESS_NARROW;
  reason_ = "a loop of which nobody knows how often it goes round";
  if (!add_loops(instruction, strides, access)) return false;
  choices decided = which;
  condition_list conditions = conditions_.in_front_of(*instruction.getParent(), decided);
  for (const auto& [choice, first] : which.taken)
    conditions_.add_choice(*choice, first, decided, conditions);
  if (!conditions.complete) access.flags &= ~std::uint32_t{PIANOLA_ACCESS_CERTAIN};
  if (conditions.narrow) access.flags |= PIANOLA_ACCESS_NARROW;
  access.conditions = std::move(conditions.all);
  return true;
}

// The part of a number, or of a pointer, at which reading it ends.
std::string access_lister::blocker(const llvm::Value& value) const {
  const llvm::Value* at = &value;
  for (unsigned n = 0; n < max_steps; ++n) {
    const auto* i = llvm::dyn_cast<llvm::Instruction>(at);
    if (i == nullptr || llvm::isa<llvm::LoadInst>(i)) break;
    const auto unreadable = [&](const llvm::Use& u) {
      choices undecided{{}, nullptr};
      return u->getType()->isIntegerTy() && !u->getType()->isIntegerTy(1) &&
             !reader_.read(*u, undecided) && undecided.open == nullptr;
    };
    const auto* part = std::find_if(i->op_begin(), i->op_end(), unreadable);
    if (part == i->op_end() || *part == at) break;
    at = *part;
  }
  const auto* i = llvm::dyn_cast<llvm::Instruction>(at);
  if (i == nullptr) return "something that is not followed";
  if (llvm::isa<llvm::LoadInst>(i)) return "what is found in memory";
  if (llvm::isa<llvm::PHINode>(i)) return "what grows unevenly";
  return std::string("the result of ") + i->getOpcodeName();
}

bool access_lister::add(const llvm::Instruction& instruction, const llvm::Value& pointer,
                        std::uint64_t bytes, bool reads, bool writes, bool certain,
                        pianola_reduction by) {
  reason_ = "a block of a length that is not known";
  if (bytes > std::numeric_limits<std::uint32_t>::max()) return false;
  std::vector<found> made;
  std::vector<decisions> todo{{}};
  while (!todo.empty()) {
    choices which{std::move(todo.back()), nullptr};
    todo.pop_back();
    const std::optional<position> at = follow(pointer, which);
    if (!at) {
      reason_ = which.open == nullptr ? "a place that depends on " + blocker(*blocked_)
                                      : "a choice of too many places";
      if (which.open == nullptr || made.size() + todo.size() >= max_choices) return false;
      for (const bool first : {false, true}) {
        todo.push_back(which.taken);
        todo.back()[which.open] = first;
      }
      continue;
    }
    found one{at->argument, {}};
    one.access.bytes = static_cast<std::uint32_t>(bytes);
    one.access.flags = (reads ? std::uint32_t{PIANOLA_ACCESS_READ} : 0) |
                       (writes ? std::uint32_t{PIANOLA_ACCESS_WRITTEN} : 0) |
                       (certain ? std::uint32_t{PIANOLA_ACCESS_CERTAIN} : 0) |
                       static_cast<std::uint32_t>(by) << PIANOLA_ACCESS_REDUCTION_SHIFT;
    which.open = nullptr;
    if (!describe(instruction, *at, which, one.access)) return false;
    made.push_back(std::move(one));
  }
  for (found& one : made) all_[one.argument].push_back(std::move(one.access));
  return true;
}

std::optional<std::vector<argument_access>> access_lister::accesses(std::uint32_t argument) const {
  const auto at = all_.find(argument);
  if (at == all_.end()) return std::vector<argument_access>{};
  struct keyed {
    sum_key key;
    const argument_access* access;
  };
  std::vector<keyed> sorted;
  for (const argument_access& a : at->second) sorted.push_back({key_of(a), &a});
  std::sort(sorted.begin(), sorted.end(), [](const keyed& a, const keyed& b) {
    if (a.key != b.key) return a.key < b.key;
    return std::pair(constant_of(*a.access), a.access->bytes) <
           std::pair(constant_of(*b.access), b.access->bytes);
  });
  std::vector<argument_access> result;
  const sum_key* last = nullptr;
  for (const keyed& k : sorted) {
    if (last != nullptr && *last == k.key) {
      argument_access& before = result.back();
      const std::int64_t start = constant_of(before);
      const std::int64_t end = start + before.bytes;
      const std::int64_t next = constant_of(*k.access);
      const std::int64_t length = std::max(end, next + k.access->bytes) - start;
      const bool same = next == start && k.access->bytes == before.bytes;
      if ((same || may_grow(before)) && next <= end &&
          length <= std::int64_t{std::numeric_limits<std::uint32_t>::max()}) {
        before.bytes = static_cast<std::uint32_t>(length);
        continue;
      }
    }
    result.push_back(*k.access);
    last = &k.key;
  }
  if (result.size() > max_accesses) return std::nullopt;
  return result;
}

}  // namespace pianola::compiler
