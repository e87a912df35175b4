// SPDX-License-Identifier: Apache-2.0
#include "facts/loop_counts.hpp"

#include <utility>

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Support/CheckedArithmetic.h>

namespace pianola::compiler {

namespace {

constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();
bool is_near(std::int64_t n) { return n >= -far && n <= far; }

/// What an expression is, on the way to a count.
struct expression {
  polynomial sum;
  std::int64_t least = none;
  std::int64_t plus = 0;
  std::uint64_t divisor = 1;
  bool is_unsigned = false;
  /// It was computed with 32 bits: see index_value.
  std::vector<polynomial> narrowed, narrowed_unsigned;
  /// Extended as a number without a sign: it is what it seems to be only where it is not negative.
  bool extended = false;

  [[nodiscard]] bool is_plain() const { return least == none && divisor == 1 && plus == 0; }
};

class reader {
 public:
  explicit reader(const index_reader& leaves) : leaves_(leaves) {}

  std::optional<expression> read(const llvm::SCEV& s, unsigned depth = 0) const {
    if (depth > 16 || !s.getType()->isIntegerTy()) return std::nullopt;
    const unsigned bits = s.getType()->getIntegerBitWidth();
    if (bits != 32 && bits != 64) return std::nullopt;
    if (const auto* c = llvm::dyn_cast<llvm::SCEVConstant>(&s)) {
      const std::int64_t n = c->getAPInt().getSExtValue();
      if (!is_near(n)) return std::nullopt;
      expression e;
      if (n != 0) e.sum[{}] = n;
      return e;
    }
    if (const auto* leaf = llvm::dyn_cast<llvm::SCEVUnknown>(&s)) return of_leaf(*leaf->getValue());
    if (const auto* sum = llvm::dyn_cast<llvm::SCEVAddExpr>(&s)) return of_sum(*sum, depth);
    if (const auto* product = llvm::dyn_cast<llvm::SCEVMulExpr>(&s))
      return of_product(*product, depth);
    if (const auto* quotient = llvm::dyn_cast<llvm::SCEVUDivExpr>(&s))
      return of_quotient(*quotient, depth);
    if (const auto* largest = llvm::dyn_cast<llvm::SCEVMinMaxExpr>(&s))
      return of_maximum(*largest, depth);
    if (const auto* cast = llvm::dyn_cast<llvm::SCEVCastExpr>(&s)) return of_cast(*cast, depth);
    return std::nullopt;
  }

 private:
  std::optional<expression> of_leaf(const llvm::Value& value) const {
    std::optional<index_value> v = leaves_.read(value);
    if (!v) return std::nullopt;
    expression e;
    e.sum = std::move(v->value);
    e.narrowed = std::move(v->narrowed);
    e.narrowed_unsigned = std::move(v->narrowed_unsigned);
    return e;
  }

  static void take_narrowed(expression& to, const expression& from) {
    to.narrowed.insert(to.narrowed.end(), from.narrowed.begin(), from.narrowed.end());
    to.narrowed_unsigned.insert(to.narrowed_unsigned.end(), from.narrowed_unsigned.begin(),
                                from.narrowed_unsigned.end());
    to.extended = to.extended || from.extended;
    to.is_unsigned = to.is_unsigned || from.is_unsigned;
  }

  // A constant stands first among the operands of a sum.
  std::optional<expression> of_sum(const llvm::SCEVAddExpr& s, unsigned depth) const {
    const auto* first = llvm::dyn_cast<llvm::SCEVConstant>(s.getOperand(0));
    const std::int64_t constant = first != nullptr ? first->getAPInt().getSExtValue() : 0;
    const auto rest = s.operands().drop_front(first != nullptr ? 1 : 0);
    if (!is_near(constant)) return std::nullopt;
    std::optional<expression> result;
    for (const llvm::SCEV* one : rest) {
      std::optional<expression> e = read(*one, depth + 1);
      if (!e) return std::nullopt;
      if (rest.size() > 1 && (!e->is_plain() || e->extended)) return std::nullopt;
      if (!result) {
        result = std::move(e);
        continue;
      }
      add(result->sum, e->sum);
      take_narrowed(*result, *e);
    }
    // It would hide that the rest is negative.
    if (!result || (result->extended && constant > 0)) return std::nullopt;
    if (result->is_plain()) {
      if (constant != 0) add(result->sum, {{{}, constant}});
    } else {
      if (result->divisor > static_cast<std::uint64_t>(far)) return std::nullopt;
      const auto scaled = llvm::checkedMul(constant, static_cast<std::int64_t>(result->divisor));
      if (!scaled || !is_near(*scaled)) return std::nullopt;
      result->plus += *scaled;
    }
    return result;
  }

  std::optional<expression> of_product(const llvm::SCEVMulExpr& s, unsigned depth) const {
    expression result;
    result.sum[{}] = 1;
    for (const llvm::SCEV* one : s.operands()) {
      const std::optional<expression> e = read(*one, depth + 1);
      if (!e || !e->is_plain() || e->extended) return std::nullopt;
      result.sum = multiply(result.sum, e->sum);
      take_narrowed(result, *e);
    }
    return result;
  }

  std::optional<expression> of_quotient(const llvm::SCEVUDivExpr& s, unsigned depth) const {
    const auto* by = llvm::dyn_cast<llvm::SCEVConstant>(s.getRHS());
    if (by == nullptr || by->getAPInt().getActiveBits() > 32 || by->isZero()) return std::nullopt;
    std::optional<expression> e = read(*s.getLHS(), depth + 1);
    if (!e || e->divisor != 1) return std::nullopt;
    // A negative dividend is a huge number; its quotient is negative here.
    e->divisor = by->getAPInt().getZExtValue();
    e->extended = true;
    return e;
  }

  std::optional<expression> of_maximum(const llvm::SCEVMinMaxExpr& s, unsigned depth) const {
    const bool is_signed = s.getSCEVType() == llvm::scSMaxExpr;
    if (!is_signed && s.getSCEVType() != llvm::scUMaxExpr) return std::nullopt;
    if (s.getNumOperands() != 2) return std::nullopt;
    const auto* least = llvm::dyn_cast<llvm::SCEVConstant>(s.getOperand(0));
    if (least == nullptr) return std::nullopt;
    const std::int64_t n = least->getAPInt().getSExtValue();
    std::optional<expression> e = read(*s.getOperand(1), depth + 1);
    if (!e || !e->is_plain() || e->extended || !is_near(n) || (!is_signed && n < 0))
      return std::nullopt;
    e->least = n;
    e->is_unsigned = e->is_unsigned || !is_signed;
    return e;
  }

  std::optional<expression> of_cast(const llvm::SCEVCastExpr& s, unsigned depth) const {
    const llvm::SCEV& from = *s.getOperand();
    const bool is_zero_extended = s.getSCEVType() == llvm::scZeroExtend;
    // A number of 32 bits that stands in the function object without a sign.
    if (const auto* leaf = llvm::dyn_cast<llvm::SCEVUnknown>(&from);
        leaf != nullptr && is_zero_extended)
      if (const auto number = leaves_.read_unsigned(*leaf->getValue())) {
        expression e;
        e.sum = *number;
        return e;
      }
    std::optional<expression> e = read(from, depth + 1);
    if (!e) return std::nullopt;
    if (s.getSCEVType() == llvm::scTruncate) {
      if (!e->is_plain()) return std::nullopt;
      e->narrowed.push_back(e->sum);
      return e;
    }
    if (!from.getType()->isIntegerTy(32)) return std::nullopt;
    e->narrowed.push_back(e->sum);
    if (is_zero_extended) e->extended = true;
    return e;
  }

  const index_reader& leaves_;
};

// The constants beside the sum are part of what has to fit into 32 bits.
bool fits(const expression& e) {
  if (e.narrowed.empty() && e.narrowed_unsigned.empty()) return true;
  polynomial whole = e.sum;
  const auto size = [](std::int64_t n) { return n == none ? 0 : n < 0 ? -n : n; };
  std::int64_t& constant = whole[{}];
  constant = size(constant) + size(e.plus) + size(e.least);
  return bounds_narrowed(whole, {{}, e.narrowed, e.narrowed_unsigned});
}

bool has_rounds(const polynomial& p) { return !encode(p); }

}  // namespace

std::optional<round_count> count_rounds(const llvm::Loop& loop, const llvm::BasicBlock& block,
                                        const index_reader& leaves,
                                        llvm::ScalarEvolution& evolution,
                                        const llvm::DominatorTree& tree) {
  llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
  loop.getExitingBlocks(exiting);
  for (llvm::BasicBlock* at : exiting) {
    const llvm::SCEV* passed = evolution.getExitCount(&loop, at);
    if (llvm::isa<llvm::SCEVCouldNotCompute>(passed)) continue;
    std::optional<expression> e = reader(leaves).read(*passed);
    if (e && passed->getType()->isIntegerTy(32)) e->narrowed.push_back(e->sum);
    if (!e || !fits(*e) || has_rounds(e->sum)) continue;
    round_count count;
    count.sum = std::move(e->sum);
    count.least = e->least;
    count.plus = e->plus;
    count.divisor = e->divisor;
    count.is_unsigned = e->is_unsigned;
    count.narrow = !e->narrowed.empty() || !e->narrowed_unsigned.empty();
    count.exact = exiting.size() == 1;
    // In the round in which it leaves, the loop does what lies before the question.
    bool behind = false;
    for (const llvm::BasicBlock* next : llvm::successors(at))
      behind = behind || (loop.contains(next) && next != loop.getHeader() &&
                          tree.dominates(llvm::BasicBlockEdge(at, next), &block));
    count.extra = behind ? 0 : 1;
    return count;
  }
  return std::nullopt;
}

}  // namespace pianola::compiler
