// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/remade_values.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/IntrinsicInst.h>

#include "host/analysis/strides.hpp"

namespace pianola::compiler::host {

namespace {

// Instructions that a value may be made of again. Above, an array is read instead.
constexpr unsigned most_instructions = 12;

// The same for numbers and addresses that grow evenly along x: of these, all but an addition leaves the
// loop over x, whereas an index that is read from an array hides which memory is touched.
constexpr unsigned most_even_instructions = 64;

bool is_cheap(const llvm::Instruction& instruction) {
  if (const auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction))
    return binary->getType()->isIntegerTy() && !binary->isIntDivRem();
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
    switch (call->getIntrinsicID()) {
      case llvm::Intrinsic::umin:
      case llvm::Intrinsic::umax:
      case llvm::Intrinsic::smin:
      case llvm::Intrinsic::smax:
        return true;
      default:
        return false;
    }
  }
  return llvm::isa<llvm::CastInst, llvm::GetElementPtrInst, llvm::ICmpInst, llvm::SelectInst>(
             instruction) &&
         !instruction.getType()->isVectorTy();
}

}  // namespace

remade_values::remade_values(llvm::Function& function, const uniformity& u,
                             const placeholders& names)
    : names_(names) {
  for (llvm::BasicBlock& block : function)
    for (llvm::Instruction& instruction : block)
      if (u.is_uniform(&instruction)) uniform_.insert(&instruction);
  strides steps(
      [&](const llvm::Value* value) {
        const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
        return instruction == nullptr || uniform_.contains(instruction);
      },
      names, function.getDataLayout());
  for (llvm::BasicBlock& block : function)
    for (llvm::Instruction& instruction : block)
      if (!uniform_.contains(&instruction) && is_cheap(instruction) &&
          (instruction.getType()->isIntegerTy() || instruction.getType()->isPointerTy()) &&
          is_made_of_few(instruction) && steps.of(&instruction))
        even_.insert(&instruction);
}

bool remade_values::contains(const llvm::Instruction* value) const {
  if (uniform_.contains(value)) return false;
  return names_.is_id(value) || even_.contains(value) ||
         cost(const_cast<llvm::Instruction*>(value), most_instructions) <= most_instructions;
}

unsigned remade_values::cost(llvm::Value* value, unsigned limit) const {
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr || names_.is_id(instruction) || uniform_.contains(instruction))
    return 0;
  if (!is_cheap(*instruction)) return limit + 1;
  unsigned sum = 1;
  for (llvm::Value* operand : instruction->operands()) {
    if (sum > limit) break;
    sum += cost(operand, limit - sum);
  }
  return sum;
}

bool remade_values::is_made_of_few(llvm::Instruction& value) const {
  llvm::SmallSetVector<llvm::Instruction*, 16> parts;
  parts.insert(&value);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!is_cheap(*parts[i]) || parts.size() > most_even_instructions) return false;
    for (llvm::Value* operand : parts[i]->operands())
      if (auto* part = llvm::dyn_cast<llvm::Instruction>(operand);
          part != nullptr && !names_.is_id(part) && !uniform_.contains(part))
        parts.insert(part);
  }
  return true;
}

}  // namespace pianola::compiler::host
