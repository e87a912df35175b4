// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/tally_operations.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "pianola/compiler/escapes.hpp"

namespace pianola::compiler {

namespace {

enum class weight { nothing, simple, two, division, function, unknown };

// Of the C library; with and without f. All others count as functions.
constexpr std::array simple_functions = {
    llvm::StringLiteral("ceil"),      llvm::StringLiteral("copysign"), llvm::StringLiteral("fabs"),
    llvm::StringLiteral("fdim"),      llvm::StringLiteral("floor"),    llvm::StringLiteral("fmax"),
    llvm::StringLiteral("fmin"),      llvm::StringLiteral("llrint"),   llvm::StringLiteral("lrint"),
    llvm::StringLiteral("nearbyint"), llvm::StringLiteral("rint"),     llvm::StringLiteral("round"),
    llvm::StringLiteral("trunc")};

weight of_library(llvm::StringRef name) {
  const auto is = [&](llvm::StringRef what) {
    return name == what || (name.ends_with("f") && name.drop_back() == what);
  };
  if (std::any_of(simple_functions.begin(), simple_functions.end(), is)) return weight::simple;
  if (is("fma")) return weight::two;
  if (is("sqrt") || is("fmod") || is("remainder")) return weight::division;
  return weight::function;
}

weight of_intrinsic(const llvm::IntrinsicInst& call) {
  if (call.isAssumeLikeIntrinsic() || llvm::isa<llvm::AnyMemIntrinsic>(call))
    return weight::nothing;
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::trap:
    case llvm::Intrinsic::ubsantrap:
    case llvm::Intrinsic::prefetch:
    case llvm::Intrinsic::is_fpclass:
    case llvm::Intrinsic::stacksave:
    case llvm::Intrinsic::stackrestore:
      return weight::nothing;
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::fmuladd:
      return weight::two;
    case llvm::Intrinsic::sqrt:
      return weight::division;
    case llvm::Intrinsic::fabs:
    case llvm::Intrinsic::copysign:
    case llvm::Intrinsic::minnum:
    case llvm::Intrinsic::maxnum:
    case llvm::Intrinsic::minimum:
    case llvm::Intrinsic::maximum:
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::ceil:
    case llvm::Intrinsic::trunc:
    case llvm::Intrinsic::rint:
    case llvm::Intrinsic::nearbyint:
    case llvm::Intrinsic::round:
    case llvm::Intrinsic::roundeven:
    case llvm::Intrinsic::lrint:
    case llvm::Intrinsic::llrint:
    case llvm::Intrinsic::lround:
    case llvm::Intrinsic::llround:
    case llvm::Intrinsic::smin:
    case llvm::Intrinsic::smax:
    case llvm::Intrinsic::umin:
    case llvm::Intrinsic::umax:
    case llvm::Intrinsic::abs:
    case llvm::Intrinsic::ctpop:
    case llvm::Intrinsic::ctlz:
    case llvm::Intrinsic::cttz:
    case llvm::Intrinsic::bswap:
    case llvm::Intrinsic::bitreverse:
    case llvm::Intrinsic::fshl:
    case llvm::Intrinsic::fshr:
    case llvm::Intrinsic::sadd_sat:
    case llvm::Intrinsic::ssub_sat:
    case llvm::Intrinsic::uadd_sat:
    case llvm::Intrinsic::usub_sat:
    case llvm::Intrinsic::sadd_with_overflow:
    case llvm::Intrinsic::ssub_with_overflow:
    case llvm::Intrinsic::smul_with_overflow:
    case llvm::Intrinsic::uadd_with_overflow:
    case llvm::Intrinsic::usub_with_overflow:
    case llvm::Intrinsic::umul_with_overflow:
      return weight::simple;
    case llvm::Intrinsic::sin:
    case llvm::Intrinsic::cos:
    case llvm::Intrinsic::tan:
    case llvm::Intrinsic::exp:
    case llvm::Intrinsic::exp2:
    case llvm::Intrinsic::exp10:
    case llvm::Intrinsic::log:
    case llvm::Intrinsic::log2:
    case llvm::Intrinsic::log10:
    case llvm::Intrinsic::pow:
    case llvm::Intrinsic::powi:
    case llvm::Intrinsic::ldexp:
      return weight::function;
    default:
      return weight::unknown;
  }
}

weight of_call(const llvm::CallBase& call) {
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call))
    return of_intrinsic(*intrinsic);
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr) return weight::unknown;
  // Ids, barriers and shuffles move data and compute nothing.
  if (callee->getName().starts_with("__pianola_")) return weight::nothing;
  return is_math_function(*callee) ? of_library(callee->getName()) : weight::unknown;
}

weight of_integers(const llvm::BinaryOperator& i) {
  if (i.getType()->isIntOrIntVectorTy(1)) return weight::nothing;
  switch (i.getOpcode()) {
    case llvm::Instruction::UDiv:
    case llvm::Instruction::SDiv:
    case llvm::Instruction::URem:
    case llvm::Instruction::SRem:
      // By a constant it becomes a product.
      return llvm::isa<llvm::Constant>(i.getOperand(1)) ? weight::simple : weight::division;
    default:
      return weight::simple;
  }
}

weight of(const llvm::Instruction& i) {
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) return of_call(*call);
  if (i.getOpcode() == llvm::Instruction::FNeg) return weight::simple;
  const auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&i);
  if (binary == nullptr) return weight::nothing;
  if (!binary->getType()->isFPOrFPVectorTy()) return of_integers(*binary);
  return binary->getOpcode() == llvm::Instruction::FDiv ||
                 binary->getOpcode() == llvm::Instruction::FRem
             ? weight::division
             : weight::simple;
}

bool is_floating(const llvm::Instruction& i) {
  return i.getType()->isFPOrFPVectorTy() ||
         std::any_of(i.op_begin(), i.op_end(),
                     [](const llvm::Use& u) { return u->getType()->isFPOrFPVectorTy(); });
}

/// Whose results are data: they end in memory, in floating point or in a call.
class data_finder {
 public:
  explicit data_finder(const llvm::Function& body) {
    for (const llvm::Instruction& i : llvm::instructions(body)) look_at(i);
    while (!todo_.empty()) {
      const llvm::Instruction& i = *todo_.pop_back_val();
      // What is found in memory was not computed here, and where it was found is no data.
      if (llvm::isa<llvm::LoadInst, llvm::AllocaInst, llvm::GetElementPtrInst, llvm::PtrToIntInst,
                    llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(i))
        continue;
      for (const llvm::Use& operand : i.operands()) add(*operand);
    }
  }

  [[nodiscard]] bool holds(const llvm::Instruction& i) const { return data_.contains(&i); }

 private:
  void look_at(const llvm::Instruction& i) {
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) {
      add(*store->getValueOperand());
    } else if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&i)) {
      add(*update->getValOperand());
    } else if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&i)) {
      add(*exchange->getCompareOperand());
      add(*exchange->getNewValOperand());
    } else if (const auto* set = llvm::dyn_cast<llvm::AnyMemSetInst>(&i)) {
      add(*set->getValue());
    } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) {
      const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(call);
      // Minima of integers may be places as well.
      if (intrinsic != nullptr && !is_floating(i)) return;
      for (const llvm::Use& argument : call->args()) add(*argument);
    } else if (is_floating(i) && !llvm::isa<llvm::SelectInst, llvm::PHINode>(i)) {
      for (const llvm::Use& operand : i.operands()) add(*operand);
    }
  }
  void add(const llvm::Value& value) {
    const auto* i = llvm::dyn_cast<llvm::Instruction>(&value);
    if (i != nullptr && !i->getType()->isPtrOrPtrVectorTy() && data_.insert(i).second)
      todo_.push_back(i);
  }

  llvm::SmallPtrSet<const llvm::Instruction*, 32> data_;
  llvm::SmallVector<const llvm::Instruction*, 32> todo_;
};

std::uint32_t lanes_of(const llvm::Instruction& i) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(i.getType());
  return vector != nullptr ? vector->getNumElements() : 1;
}

// False if it cannot be told.
bool add(const llvm::Instruction& i, const data_finder& data, operation_tally& to) {
  const weight w = of(i);
  if (w == weight::unknown || llvm::isa<llvm::ScalableVectorType>(i.getType())) return false;
  if (w == weight::nothing || (!is_floating(i) && !data.holds(i))) return true;
  const std::uint32_t lanes = lanes_of(i);
  switch (w) {
    case weight::two:
      to.simple += 2 * lanes;
      break;
    case weight::division:
      to.divisions += lanes;
      break;
    case weight::function:
      to.functions += lanes;
      break;
    default:
      to.simple += lanes;
  }
  return true;
}

}  // namespace

std::optional<block_tallies> tally_operations(const llvm::Function& body) {
  const data_finder data(body);
  block_tallies all;
  for (const llvm::BasicBlock& block : body) {
    operation_tally sum;
    for (const llvm::Instruction& i : block)
      if (!add(i, data, sum)) return std::nullopt;
    if (sum.simple != 0 || sum.divisions != 0 || sum.functions != 0) all.emplace_back(&block, sum);
  }
  return all;
}

}  // namespace pianola::compiler
