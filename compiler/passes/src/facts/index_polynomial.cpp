// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/index_polynomial.hpp"

#include <algorithm>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <pianola/abi/launch.h>

#include "pianola/compiler/kernel_atoms.hpp"

namespace pianola::compiler {

namespace {

constexpr unsigned max_depth = 48;
// Larger ones describe no index that anybody wrote by hand.
constexpr std::size_t max_terms = 32;

std::int64_t wrapping(std::uint64_t value) { return static_cast<std::int64_t>(value); }

std::optional<index_value> combine(const index_value& a, const index_value& b, polynomial value) {
  if (value.size() > max_terms) return std::nullopt;
  index_value r{std::move(value), a.narrowed, a.narrowed_unsigned};
  r.narrowed.insert(r.narrowed.end(), b.narrowed.begin(), b.narrowed.end());
  r.narrowed_unsigned.insert(r.narrowed_unsigned.end(), b.narrowed_unsigned.begin(),
                             b.narrowed_unsigned.end());
  return r;
}

polynomial of_atom(atom a) { return {{{a}, 1}}; }

// Dimension that the last letter of an intrinsic's name says; x is the fastest, the last of three.
unsigned dimension_of(llvm::StringRef name) {
  return name.back() == 'x' ? 2 : name.back() == 'y' ? 1 : 0;
}

std::optional<polynomial> read_intrinsic(llvm::StringRef name) {
  if (!name.consume_front("__pianola_")) return std::nullopt;
  const unsigned d = dimension_of(name);
  const llvm::StringRef what = name.drop_back(2);
  const atom group = make_atom(PIANOLA_FACTOR_GROUP, d);
  const atom local_size = make_atom(PIANOLA_FACTOR_LOCAL_SIZE, d);
  // Ids are those of the whole launch, whichever part of it a work-item belongs to.
  if (what == "part_first") return polynomial{};
  if (what == "part_end") return of_atom(make_atom(PIANOLA_FACTOR_GLOBAL, d));
  if (what == "group_id") return of_atom(group);
  if (what == "local_size") return of_atom(local_size);
  if (what == "local_id") {
    // id = group * size + local.
    polynomial p = of_atom(make_atom(PIANOLA_FACTOR_ID, d));
    add(p, multiply(of_atom(group), of_atom(local_size)), -1);
    return p;
  }
  return std::nullopt;
}

std::uint64_t magnitude(std::int64_t n) {
  return n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
}

}  // namespace

void add(polynomial& to, const polynomial& from, std::int64_t factor) {
  for (const auto& [product, coefficient] : from) {
    std::int64_t& sum = to[product];
    sum = wrapping(static_cast<std::uint64_t>(sum) +
                   static_cast<std::uint64_t>(coefficient) * static_cast<std::uint64_t>(factor));
    if (sum == 0) to.erase(product);
  }
}

polynomial multiply(const polynomial& a, const polynomial& b) {
  polynomial result;
  for (const auto& [product, coefficient] : a)
    for (const auto& [other, factor] : b) {
      std::vector<atom> both = product;
      both.insert(both.end(), other.begin(), other.end());
      std::sort(both.begin(), both.end());
      add(result, {{both, coefficient}}, factor);
    }
  return result;
}

bool bounds(const polynomial& whole, const polynomial& part) {
  return std::all_of(part.begin(), part.end(), [&](const auto& term) {
    const auto same = whole.find(term.first);
    return same != whole.end() && magnitude(same->second) >= magnitude(term.second);
  });
}

bool bounds_narrowed(const polynomial& whole, const index_value& value) {
  return std::all_of(value.narrowed.begin(), value.narrowed.end(),
                     [&](const polynomial& p) { return bounds(whole, p); }) &&
         std::all_of(value.narrowed_unsigned.begin(), value.narrowed_unsigned.end(),
                     [&](const polynomial& p) {
                       return bounds(whole, p) &&
                              std::all_of(p.begin(), p.end(),
                                          [](const auto& term) { return term.second >= 0; });
                     });
}

std::optional<std::vector<pianola_index_term>> encode(const polynomial& p) {
  std::vector<pianola_index_term> terms;
  for (const auto& [product, coefficient] : p) {
    if (product.size() > PIANOLA_TERM_FACTORS) return std::nullopt;
    pianola_index_term term{coefficient, {}};
    std::fill(std::begin(term.factors), std::end(term.factors), make_atom(PIANOLA_FACTOR_ONE));
    int ids = 0;
    for (std::size_t i = 0; i < product.size(); ++i) {
      const std::uint32_t kind = kind_of(product[i]);
      if (kind > PIANOLA_FACTOR_GROUPS) return std::nullopt;
      if (kind == PIANOLA_FACTOR_ID || kind == PIANOLA_FACTOR_GROUP) ++ids;
      term.factors[i] = product[i];
    }
    if (ids > 1) return std::nullopt;
    terms.push_back(term);
  }
  return terms;
}

index_reader::index_reader(const llvm::Function& body, const function_object& object,
                           const llvm::LoopInfo& loops)
    : body_(body), object_(object) {
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) loops_.push_back(loop);
}

std::optional<index_reader::recurrence> index_reader::recurrence_of(
    const llvm::PHINode& value) const {
  for (std::uint32_t i = 0; i < loops_.size(); ++i) {
    const llvm::Loop& loop = *loops_[i];
    if (loop.getHeader() != value.getParent()) continue;
    const llvm::BasicBlock* before = loop.getLoopPredecessor();
    const llvm::BasicBlock* latch = loop.getLoopLatch();
    if (before == nullptr || latch == nullptr) return std::nullopt;
    return recurrence{value.getIncomingValueForBlock(before), value.getIncomingValueForBlock(latch),
                      i};
  }
  return std::nullopt;
}

std::optional<polynomial> index_reader::read_unsigned(const llvm::Value& value) const {
  return value.getType()->isIntegerTy(32) ? read_leaf(value, false) : std::nullopt;
}

bool index_reader::is_fixed(const polynomial& value, std::uint32_t loop) const {
  for (const auto& [product, coefficient] : value)
    for (const atom a : product)
      if (is_round(a) && loops_[loop]->contains(loops_[loop_of(a)])) return false;
  return true;
}

std::optional<polynomial> index_reader::read_leaf(const llvm::Value& value, bool is_signed) const {
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&value)) {
    if (number->getBitWidth() > 64) return std::nullopt;
    const std::int64_t n = is_signed ? number->getSExtValue() : wrapping(number->getZExtValue());
    return n == 0 ? polynomial{} : polynomial{{{}, n}};
  }
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&value)) {
    const llvm::Function* callee = call->getCalledFunction();
    return callee != nullptr ? read_intrinsic(callee->getName()) : std::nullopt;
  }
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&value);
  if (load == nullptr || !load->isSimple()) return std::nullopt;
  const unsigned bits = load->getType()->getIntegerBitWidth();
  if (const auto at = object_.offset_of(*load->getPointerOperand()))
    return of_atom(make_atom(bits == 64  ? PIANOLA_FACTOR_U64
                             : is_signed ? PIANOLA_FACTOR_S32
                                         : PIANOLA_FACTOR_U32,
                             *at));
  const llvm::DataLayout& layout = body_.getParent()->getDataLayout();
  llvm::APInt offset(64, 0);
  const llvm::Value* base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(
      layout, offset, /*AllowNonInbounds=*/true);
  const std::uint64_t at = offset.getZExtValue();
  if (base == body_.getArg(1) && bits == 64 && at % 8 == 0 && at < sizeof(pianola_launch)) {
    const auto number = static_cast<std::uint32_t>(at / 8);
    return of_atom(
        make_atom(number < 3 ? PIANOLA_FACTOR_GLOBAL : PIANOLA_FACTOR_OFFSET, number % 3));
  }
  return std::nullopt;
}

std::optional<index_value> index_reader::read(const llvm::Value& value) const {
  if (!value.getType()->isIntegerTy(64) && !value.getType()->isIntegerTy(32)) return std::nullopt;
  if (value.getType()->isIntegerTy(32)) {
    if (std::optional<polynomial> leaf = read_leaf(value, true))
      return index_value{std::move(*leaf), {}, {}};
    return extend(read(value, 32, 0), true);
  }
  return read(value, 64, 0);
}

std::optional<index_value> index_reader::read(const llvm::Value& value, choices& which) const {
  which.open = nullptr;
  choices_ = &which;
  std::optional<index_value> result = read(value);
  choices_ = nullptr;
  return result;
}

std::optional<index_value> index_reader::extend(std::optional<index_value> value,
                                                bool is_signed) const {
  if (!value) return value;
  (is_signed ? value->narrowed : value->narrowed_unsigned).push_back(value->value);
  return value;
}

// With 32 bits: a polynomial that has the value's lower 32 bits.
std::optional<index_value> index_reader::read(const llvm::Value& value, unsigned bits,
                                              unsigned depth) const {
  if (depth > max_depth || !value.getType()->isIntegerTy(bits)) return std::nullopt;
  if (std::optional<polynomial> leaf = read_leaf(value, true))
    return index_value{std::move(*leaf), {}, {}};
  const auto* operation = llvm::dyn_cast<llvm::Operator>(&value);
  if (operation == nullptr) return std::nullopt;

  const auto operand = [&](unsigned i) { return read(*operation->getOperand(i), bits, depth + 1); };
  switch (operation->getOpcode()) {
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::Or: {
      if (const auto* either = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&value))
        if (!either->isDisjoint()) return std::nullopt;
      const auto a = operand(0);
      const auto b = a ? operand(1) : std::nullopt;
      if (!b) return std::nullopt;
      polynomial sum = a->value;
      add(sum, b->value, operation->getOpcode() == llvm::Instruction::Sub ? -1 : 1);
      return combine(*a, *b, std::move(sum));
    }
    case llvm::Instruction::Mul: {
      const auto a = operand(0);
      const auto b = a ? operand(1) : std::nullopt;
      if (!b) return std::nullopt;
      return combine(*a, *b, multiply(a->value, b->value));
    }
    case llvm::Instruction::Shl: {
      const auto* amount = llvm::dyn_cast<llvm::ConstantInt>(operation->getOperand(1));
      if (amount == nullptr || amount->getZExtValue() >= bits) return std::nullopt;
      const auto a = operand(0);
      if (!a) return std::nullopt;
      polynomial scaled;
      add(scaled, a->value, wrapping(std::uint64_t{1} << amount->getZExtValue()));
      return combine(*a, index_value{}, std::move(scaled));
    }
    case llvm::Instruction::Freeze:
      return operand(0);
    case llvm::Instruction::PHI:
      return read_phi(llvm::cast<llvm::PHINode>(value), bits, depth);
    case llvm::Instruction::Select:
    case llvm::Instruction::Call:
      return read_choice(value, bits, depth);
    case llvm::Instruction::UDiv: {
      // How many groups there are: the quotient is exact.
      const auto a = operand(0);
      const auto b = a ? operand(1) : std::nullopt;
      if (!b) return std::nullopt;
      for (std::uint32_t d = 0; d < 3; ++d)
        if (a->value == of_atom(make_atom(PIANOLA_FACTOR_GLOBAL, d)) &&
            b->value == of_atom(make_atom(PIANOLA_FACTOR_LOCAL_SIZE, d)))
          return combine(*a, *b, of_atom(make_atom(PIANOLA_FACTOR_GROUPS, d)));
      return std::nullopt;
    }
    case llvm::Instruction::Trunc:
      return bits == 32 ? read(*operation->getOperand(0), 64, depth + 1) : std::nullopt;
    default:
      return bits == 64 ? read_wide(value, depth) : std::nullopt;
  }
}

// A number that grows by the same amount in each round of a loop.
std::optional<index_value> index_reader::read_phi(const llvm::PHINode& value, unsigned bits,
                                                  unsigned depth) const {
  // What a loop leaves behind: who uses it outside sees that its rounds are not its own.
  if (value.getNumIncomingValues() == 1) return read(*value.getIncomingValue(0), bits, depth + 1);
  const auto grows = recurrence_of(value);
  if (!grows) return std::nullopt;
  const auto* step = llvm::dyn_cast<llvm::BinaryOperator>(grows->next);
  if (step == nullptr) return std::nullopt;
  const bool less = step->getOpcode() == llvm::Instruction::Sub;
  if (!less && step->getOpcode() != llvm::Instruction::Add) return std::nullopt;
  const unsigned own = step->getOperand(0) == &value ? 0 : 1;
  if (step->getOperand(own) != &value || (less && own == 1)) return std::nullopt;
  const auto start = read(*grows->start, bits, depth + 1);
  const auto each = start ? read(*step->getOperand(1 - own), bits, depth + 1) : std::nullopt;
  if (!each || !is_fixed(each->value, grows->loop) || !is_fixed(start->value, grows->loop))
    return std::nullopt;
  polynomial sum = start->value;
  add(sum, multiply(each->value, of_atom(round_atom(grows->loop))), less ? -1 : 1);
  return combine(*start, *each, std::move(sum));
}

// One of two numbers, as far as it is decided which; a difference, or 0 where it would be negative.
std::optional<index_value> index_reader::read_choice(const llvm::Value& value, unsigned bits,
                                                     unsigned depth) const {
  if (choices_ == nullptr) return std::nullopt;
  const auto* select = llvm::dyn_cast<llvm::SelectInst>(&value);
  const auto* either = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&value);
  const auto* difference = llvm::dyn_cast<llvm::SaturatingInst>(&value);
  if (difference != nullptr && difference->getIntrinsicID() != llvm::Intrinsic::usub_sat)
    return std::nullopt;
  if (select == nullptr && either == nullptr && difference == nullptr) return std::nullopt;
  const auto taken = choices_->taken.find(&value);
  if (taken == choices_->taken.end()) {
    if (choices_->open == nullptr) choices_->open = &value;
    return std::nullopt;
  }
  const bool first = taken->second;
  if (select != nullptr)
    return read(first ? *select->getTrueValue() : *select->getFalseValue(), bits, depth + 1);
  if (either != nullptr)
    return read(first ? *either->getLHS() : *either->getRHS(), bits, depth + 1);
  if (!first) return index_value{};
  const auto a = read(*difference->getLHS(), bits, depth + 1);
  const auto b = a ? read(*difference->getRHS(), bits, depth + 1) : std::nullopt;
  if (!b) return std::nullopt;
  polynomial left = a->value;
  add(left, b->value, -1);
  return combine(*a, *b, std::move(left));
}

// What makes 64 bits of 32.
std::optional<index_value> index_reader::read_wide(const llvm::Value& value, unsigned depth) const {
  const auto* operation = llvm::cast<llvm::Operator>(&value);
  const llvm::Value& from = *operation->getOperand(0);
  const unsigned opcode = operation->getOpcode();
  if (opcode == llvm::Instruction::SExt || opcode == llvm::Instruction::ZExt) {
    const auto* non_negative = llvm::dyn_cast<llvm::PossiblyNonNegInst>(&value);
    const bool is_signed =
        opcode == llvm::Instruction::SExt || (non_negative != nullptr && non_negative->hasNonNeg());
    if (!from.getType()->isIntegerTy(32)) return std::nullopt;
    if (std::optional<polynomial> leaf = read_leaf(from, is_signed))
      return index_value{std::move(*leaf), {}, {}};
    return extend(read(from, 32, depth + 1), is_signed);
  }
  // The same with 64 bits: (x << 32) >> s is the lower half of x, times 2^(32 - s).
  if (opcode == llvm::Instruction::AShr || opcode == llvm::Instruction::LShr) {
    const auto* right = llvm::dyn_cast<llvm::ConstantInt>(operation->getOperand(1));
    const auto* shifted = llvm::dyn_cast<llvm::Operator>(&from);
    if (right == nullptr || shifted == nullptr || right->getZExtValue() > 32 ||
        shifted->getOpcode() != llvm::Instruction::Shl)
      return std::nullopt;
    const auto* left = llvm::dyn_cast<llvm::ConstantInt>(shifted->getOperand(1));
    if (left == nullptr || left->getZExtValue() != 32) return std::nullopt;
    const auto half =
        extend(read(*shifted->getOperand(0), 64, depth + 1), opcode == llvm::Instruction::AShr);
    if (!half) return std::nullopt;
    polynomial scaled;
    add(scaled, half->value, wrapping(std::uint64_t{1} << (32 - right->getZExtValue())));
    return combine(*half, index_value{}, std::move(scaled));
  }
  if (opcode == llvm::Instruction::And) {
    const auto* mask = llvm::dyn_cast<llvm::ConstantInt>(operation->getOperand(1));
    if (mask == nullptr || mask->getZExtValue() != 0xffffffffU) return std::nullopt;
    return extend(read(from, 64, depth + 1), false);
  }
  return std::nullopt;
}

}  // namespace pianola::compiler
