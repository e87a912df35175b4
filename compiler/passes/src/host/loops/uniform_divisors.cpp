// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/uniform_divisors.hpp"

#include <map>
#include <tuple>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>

namespace pianola::compiler {

namespace {

constexpr unsigned most_bits = 32;

bool is_signed(const llvm::BinaryOperator& division) {
  return division.getOpcode() == llvm::Instruction::SDiv ||
         division.getOpcode() == llvm::Instruction::SRem;
}

bool is_remainder(const llvm::BinaryOperator& division) {
  return division.getOpcode() == llvm::Instruction::SRem ||
         division.getOpcode() == llvm::Instruction::URem;
}

// Divisors that are constants are multiplied with anyway, as whole numbers.
bool is_candidate(const llvm::Instruction& instruction, const llvm::Loop& loop) {
  const auto* division = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
  return division != nullptr && division->isIntDivRem() && division->getType()->isIntegerTy() &&
         division->getType()->getIntegerBitWidth() <= most_bits &&
         !llvm::isa<llvm::Constant>(division->getOperand(1)) &&
         loop.isLoopInvariant(division->getOperand(1));
}

class divisions_of_loop {
 public:
  divisions_of_loop(llvm::Loop& loop, const llvm::SimplifyQuery& query)
      : loop_(loop), query_(query) {}

  bool replace() {
    bool changed = false;
    for (llvm::BasicBlock* block : loop_.blocks())
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(*block)) {
        if (!is_candidate(instruction, loop_)) continue;
        replace_division(llvm::cast<llvm::BinaryOperator>(instruction));
        changed = true;
      }
    return changed;
  }

 private:
  void replace_division(llvm::BinaryOperator& division) {
    llvm::IRBuilder<> at(&division);
    llvm::Value* dividend = division.getOperand(0);
    llvm::Value* divisor = division.getOperand(1);
    // Conversions of numbers with a sign are cheaper.
    const llvm::SimplifyQuery here = query_.getWithInstruction(&division);
    const bool with_sign = is_signed(division) || (llvm::isKnownNonNegative(dividend, here) &&
                                                   llvm::isKnownNonNegative(divisor, here));
    llvm::Value*& quotient = quotients_[{division.getParent(), dividend, divisor, with_sign}];
    if (quotient == nullptr) quotient = quotient_of(dividend, divisor, with_sign, at);
    llvm::Value* result = quotient;
    if (is_remainder(division)) result = at.CreateSub(dividend, at.CreateMul(quotient, divisor));
    division.replaceAllUsesWith(result);
    result->takeName(&division);
    division.eraseFromParent();
  }

  // With n and d of at most 32 bits, without their signs, and k = n / d cut off: the factor f is 1 / d, rounded, and
  // then its next larger neighbour, so 1 / d < f < (1 + 2^-50) / d. From n * f >= k follows that the product,
  // rounded, is at least k, which is a double. And n <= k * d + d - 1, so n * f < k + 1 - 1 / d + (k + 1) * 2^-50: below
  // k + 1 by more than the product's rounding, as (k + 1) * d <= 2^33.
  llvm::Value* quotient_of(llvm::Value* dividend, llvm::Value* divisor, bool with_sign,
                           llvm::IRBuilder<>& at) {
    llvm::Value* product = at.CreateFMul(to_double(dividend, with_sign, at),
                                         factor_of(divisor, with_sign), "quotient");
    return with_sign ? at.CreateFPToSI(product, dividend->getType())
                     : at.CreateFPToUI(product, dividend->getType());
  }

  static llvm::Value* to_double(llvm::Value* value, bool with_sign, llvm::IRBuilder<>& at) {
    return with_sign ? at.CreateSIToFP(value, at.getDoubleTy())
                     : at.CreateUIToFP(value, at.getDoubleTy());
  }

  llvm::Value* factor_of(llvm::Value* divisor, bool with_sign) {
    llvm::Value*& factor = factors_[{divisor, with_sign}];
    if (factor != nullptr) return factor;
    llvm::IRBuilder<> at(loop_.getLoopPreheader()->getTerminator());
    llvm::Value* rounded = at.CreateFDiv(llvm::ConstantFP::get(at.getDoubleTy(), 1),
                                         to_double(divisor, with_sign, at));
    llvm::Value* bits = at.CreateAdd(at.CreateBitCast(rounded, at.getInt64Ty()), at.getInt64(1));
    return factor = at.CreateBitCast(bits, at.getDoubleTy(), "factor");
  }

  llvm::Loop& loop_;
  const llvm::SimplifyQuery& query_;
  // Made where the first division of the block was, so known at all others.
  std::map<std::tuple<llvm::BasicBlock*, llvm::Value*, llvm::Value*, bool>, llvm::Value*>
      quotients_;
  std::map<std::pair<llvm::Value*, bool>, llvm::Value*> factors_;
};

}  // namespace

llvm::PreservedAnalyses uniform_divisors::run(llvm::Function& function,
                                              llvm::FunctionAnalysisManager& analyses) {
  if (function.hasFnAttribute(llvm::Attribute::StrictFP) ||
      function.hasFnAttribute(llvm::Attribute::NoImplicitFloat) || function.hasOptSize())
    return llvm::PreservedAnalyses::all();
  const auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  const auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  const llvm::SimplifyQuery query(function.getDataLayout(), nullptr, &dominators);
  bool changed = false;
  for (llvm::Loop* loop : loops.getLoopsInPreorder())
    if (loop->isInnermost() && loop->isAnnotatedParallel() && loop->getLoopPreheader() != nullptr)
      changed = divisions_of_loop(*loop, query).replace() || changed;
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

}  // namespace pianola::compiler
