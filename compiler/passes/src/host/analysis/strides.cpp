// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/strides.hpp"

#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Operator.h>

namespace pianola::compiler::host {

namespace {

constexpr unsigned deepest = 32;

}  // namespace

std::optional<std::int64_t> strides::of(llvm::Value* value, unsigned depth) {
  if (is_uniform_(value)) return 0;
  if (const auto assumed = assumed_.find(value); assumed != assumed_.end()) return assumed->second;
  if (depth > deepest) return std::nullopt;
  if (const auto known = known_.find(value); known != known_.end()) return known->second;
  const std::optional<std::int64_t> found = find(value, depth);
  if (assumed_.empty()) known_[value] = found;
  return found;
}

std::optional<std::int64_t> strides::find(llvm::Value* value, unsigned depth) {
  if (names_.is_id(value)) {
    const llvm::Function* which = llvm::cast<llvm::CallInst>(value)->getCalledFunction();
    return which == names_.x || which == names_.linear ? 1 : 0;
  }
  if (llvm::isa<llvm::ZExtInst, llvm::SExtInst, llvm::TruncInst>(value))
    return of(llvm::cast<llvm::Instruction>(value)->getOperand(0), depth + 1);
  if (auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(value)) return of_sum(*binary, depth);
  if (auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(value)) return of_address(*gep, depth);
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(value)) return of_phi(*phi, depth);
  return std::nullopt;
}

std::optional<std::int64_t> strides::of_sum(llvm::BinaryOperator& binary, unsigned depth) {
  const auto a = of(binary.getOperand(0), depth + 1), b = of(binary.getOperand(1), depth + 1);
  if (!a || !b) return std::nullopt;
  const auto* factor = llvm::dyn_cast<llvm::ConstantInt>(binary.getOperand(1));
  switch (binary.getOpcode()) {
    case llvm::Instruction::Add:
      return *a + *b;
    case llvm::Instruction::Sub:
      return *a - *b;
    case llvm::Instruction::Or:
      if (llvm::cast<llvm::PossiblyDisjointInst>(binary).isDisjoint()) return *a + *b;
      return std::nullopt;
    case llvm::Instruction::Mul:
      if (factor != nullptr && factor->getValue().getSignificantBits() <= 32)
        return *a * factor->getSExtValue();
      return *a == 0 && *b == 0 ? a : std::nullopt;
    case llvm::Instruction::Shl:
      if (factor != nullptr && factor->getValue().ult(32)) return *a << factor->getZExtValue();
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<std::int64_t> strides::of_address(llvm::GetElementPtrInst& gep, unsigned depth) {
  auto sum = of(gep.getPointerOperand(), depth + 1);
  for (auto at = llvm::gep_type_begin(gep); sum && at != llvm::gep_type_end(gep); ++at) {
    if (at.isStruct()) continue;
    const auto index = of(at.getOperand(), depth + 1);
    const llvm::TypeSize bytes = at.getSequentialElementStride(layout_);
    if (!index || bytes.isScalable()) return std::nullopt;
    *sum += *index * static_cast<std::int64_t>(bytes.getFixedValue());
  }
  return sum;
}

// All incoming values have the stride of the first one.
std::optional<std::int64_t> strides::of_phi(llvm::PHINode& phi, unsigned depth) {
  std::optional<std::int64_t> first = of(phi.getIncomingValue(0), depth + 1);
  if (!first) return std::nullopt;
  assumed_[&phi] = *first;
  bool same = true;
  for (llvm::Value* incoming : phi.incoming_values())
    same = same && of(incoming, depth + 1) == first;
  assumed_.erase(&phi);
  return same ? first : std::nullopt;
}

}  // namespace pianola::compiler::host
