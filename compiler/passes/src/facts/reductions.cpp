// SPDX-License-Identifier: Apache-2.0
#include "facts/reductions.hpp"

#include <algorithm>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace pianola::compiler {

namespace {

// Longer sums of one number are nobody's.
constexpr int max_combinations = 32;

pianola_reduction of_binary(const llvm::BinaryOperator& i, const llvm::Value& old) {
  const bool is_left = i.getOperand(0) == &old;
  switch (i.getOpcode()) {
    case llvm::Instruction::Add:
      return PIANOLA_REDUCTION_ADD;
    case llvm::Instruction::Sub:
      return is_left ? PIANOLA_REDUCTION_ADD : PIANOLA_REDUCTION_NONE;
    case llvm::Instruction::Mul:
      return PIANOLA_REDUCTION_MULTIPLY;
    case llvm::Instruction::And:
      return PIANOLA_REDUCTION_AND;
    case llvm::Instruction::Or:
      return PIANOLA_REDUCTION_OR;
    case llvm::Instruction::Xor:
      return PIANOLA_REDUCTION_XOR;
    case llvm::Instruction::FAdd:
      return PIANOLA_REDUCTION_FLOAT_ADD;
    case llvm::Instruction::FSub:
      return is_left ? PIANOLA_REDUCTION_FLOAT_ADD : PIANOLA_REDUCTION_NONE;
    case llvm::Instruction::FMul:
      return PIANOLA_REDUCTION_FLOAT_MULTIPLY;
    default:
      return PIANOLA_REDUCTION_NONE;
  }
}

pianola_reduction of_intrinsic(const llvm::IntrinsicInst& i, const llvm::Value& old) {
  switch (i.getIntrinsicID()) {
    case llvm::Intrinsic::smin:
      return PIANOLA_REDUCTION_MINIMUM;
    case llvm::Intrinsic::smax:
      return PIANOLA_REDUCTION_MAXIMUM;
    case llvm::Intrinsic::umin:
      return PIANOLA_REDUCTION_UNSIGNED_MINIMUM;
    case llvm::Intrinsic::umax:
      return PIANOLA_REDUCTION_UNSIGNED_MAXIMUM;
    case llvm::Intrinsic::minnum:
      return PIANOLA_REDUCTION_FLOAT_MINIMUM;
    case llvm::Intrinsic::maxnum:
      return PIANOLA_REDUCTION_FLOAT_MAXIMUM;
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::fmuladd:
      return i.getArgOperand(2) == &old ? PIANOLA_REDUCTION_FLOAT_ADD : PIANOLA_REDUCTION_NONE;
    default:
      return PIANOLA_REDUCTION_NONE;
  }
}

pianola_reduction combined_by(const llvm::User& user, const llvm::Value& old) {
  if (const auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&user))
    return of_binary(*binary, old);
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&user))
    return of_intrinsic(*intrinsic, old);
  return PIANOLA_REDUCTION_NONE;
}

bool writes_nothing(llvm::BasicBlock::const_iterator from, llvm::BasicBlock::const_iterator to) {
  return std::none_of(from, to, [](const llvm::Instruction& i) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
    return i.mayWriteToMemory() && (call == nullptr || !call->isAssumeLikeIntrinsic());
  });
}

// From the read straight to the store, perhaps over an edge that leads on and not back.
bool is_undisturbed(const llvm::LoadInst& read, const llvm::StoreInst& store,
                    const llvm::LoopInfo& loops) {
  const llvm::BasicBlock& first = *read.getParent();
  const llvm::BasicBlock& last = *store.getParent();
  const auto behind = std::next(read.getIterator());
  if (&first == &last)
    return read.comesBefore(&store) && writes_nothing(behind, store.getIterator());
  return first.getSingleSuccessor() == &last && !loops.isLoopHeader(&last) &&
         writes_nothing(behind, first.end()) && writes_nothing(last.begin(), store.getIterator());
}

}  // namespace

pianola_reduction reduction_by(const llvm::AtomicRMWInst& update) {
  if (!update.use_empty() || update.isVolatile()) return PIANOLA_REDUCTION_NONE;
  switch (update.getOperation()) {
    case llvm::AtomicRMWInst::Add:
    case llvm::AtomicRMWInst::Sub:
      return PIANOLA_REDUCTION_ADD;
    case llvm::AtomicRMWInst::And:
      return PIANOLA_REDUCTION_AND;
    case llvm::AtomicRMWInst::Or:
      return PIANOLA_REDUCTION_OR;
    case llvm::AtomicRMWInst::Xor:
      return PIANOLA_REDUCTION_XOR;
    case llvm::AtomicRMWInst::Min:
      return PIANOLA_REDUCTION_MINIMUM;
    case llvm::AtomicRMWInst::Max:
      return PIANOLA_REDUCTION_MAXIMUM;
    case llvm::AtomicRMWInst::UMin:
      return PIANOLA_REDUCTION_UNSIGNED_MINIMUM;
    case llvm::AtomicRMWInst::UMax:
      return PIANOLA_REDUCTION_UNSIGNED_MAXIMUM;
    case llvm::AtomicRMWInst::FAdd:
    case llvm::AtomicRMWInst::FSub:
      return PIANOLA_REDUCTION_FLOAT_ADD;
    case llvm::AtomicRMWInst::FMin:
      return PIANOLA_REDUCTION_FLOAT_MINIMUM;
    case llvm::AtomicRMWInst::FMax:
      return PIANOLA_REDUCTION_FLOAT_MAXIMUM;
    default:
      return PIANOLA_REDUCTION_NONE;
  }
}

pianola_reduction reduction_by(
    const llvm::LoadInst& read, const llvm::LoopInfo& loops,
    llvm::function_ref<bool(const llvm::Value&, const llvm::Value&)> same_place) {
  const llvm::Type& type = *read.getType();
  if (!read.isSimple() || (!type.isIntegerTy() && !type.isFloatingPointTy()))
    return PIANOLA_REDUCTION_NONE;
  pianola_reduction by = PIANOLA_REDUCTION_NONE;
  const llvm::Value* value = &read;
  for (int n = 0; n < max_combinations && value->hasOneUse(); ++n) {
    const llvm::Use& use = *value->use_begin();
    const llvm::User& user = *use.getUser();
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&user)) {
      const bool back = use.getOperandNo() == 0 && store->isSimple() &&
                        is_undisturbed(read, *store, loops) &&
                        same_place(*read.getPointerOperand(), *store->getPointerOperand());
      return back ? by : PIANOLA_REDUCTION_NONE;
    }
    if (llvm::isa<llvm::PHINode>(user) ||
        (llvm::isa<llvm::SelectInst>(user) && use.getOperandNo() != 0)) {
      value = &user;
      continue;
    }
    const pianola_reduction next = combined_by(user, *value);
    if (next == PIANOLA_REDUCTION_NONE || (by != PIANOLA_REDUCTION_NONE && by != next)) break;
    by = next;
    value = &user;
  }
  return PIANOLA_REDUCTION_NONE;
}

}  // namespace pianola::compiler
