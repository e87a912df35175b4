// SPDX-License-Identifier: Apache-2.0
#include "inner_loops.hpp"

#include <optional>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>

#include "control_dependence.hpp"
#include "uniformity.hpp"

namespace pianola::compiler::host {

namespace {

// Values of the loop that differ between items and go from one iteration to the next.
constexpr unsigned most_carried = 4;

/// By how much a number, or an address in bytes, grows from one item to its neighbour in x.
class strides {
 public:
  strides(const uniformity& u, const placeholders& names, const llvm::DataLayout& layout)
      : uniformity_(u), names_(names), layout_(layout) {}

  std::optional<std::int64_t> of(llvm::Value* value, unsigned depth = 0) {
    if (uniformity_.is_uniform(value)) return 0;
    const auto assumed = assumed_.find(value);
    if (assumed != assumed_.end()) return assumed->second;
    if (depth > 12) return std::nullopt;
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

 private:
  std::optional<std::int64_t> of_sum(llvm::BinaryOperator& binary, unsigned depth) {
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

  std::optional<std::int64_t> of_address(llvm::GetElementPtrInst& gep, unsigned depth) {
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
  std::optional<std::int64_t> of_phi(llvm::PHINode& phi, unsigned depth) {
    std::optional<std::int64_t> first = of(phi.getIncomingValue(0), depth + 1);
    if (!first) return std::nullopt;
    assumed_[&phi] = *first;
    for (llvm::Value* incoming : phi.incoming_values())
      if (of(incoming, depth + 1) != first) {
        assumed_.erase(&phi);
        return std::nullopt;
      }
    return first;
  }

  const uniformity& uniformity_;
  const placeholders& names_;
  const llvm::DataLayout& layout_;
  llvm::DenseMap<llvm::Value*, std::int64_t> assumed_;
};

bool runs_together(llvm::Function& function, const llvm::Loop& loop, const uniformity& u) {
  llvm::SetVector<llvm::BasicBlock*> seeds;
  seeds.insert(loop.getHeader());
  llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
  loop.getExitingBlocks(exiting);
  const llvm::SetVector<llvm::BasicBlock*> deciders =
      control_dependence(function, seeds).deciders();
  const auto together = [&](llvm::BasicBlock* block) { return u.branches_together(block); };
  return llvm::all_of(deciders, together) && llvm::all_of(exiting, together);
}

bool is_worth_it(const llvm::Loop& loop, const uniformity& u, const placeholders& names,
                 const llvm::DataLayout& layout) {
  unsigned carried = 0;
  for (const llvm::PHINode& phi : loop.getHeader()->phis())
    if (!u.is_uniform(&phi)) ++carried;
  if (carried > most_carried) return false;
  strides s(u, names, layout);
  bool has_neighbours = false;
  for (llvm::BasicBlock* block : loop.blocks())
    for (llvm::Instruction& instruction : *block) {
      if (!instruction.mayReadOrWriteMemory() && !instruction.mayHaveSideEffects()) continue;
      llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
      if (pointer == nullptr || instruction.isVolatile() || instruction.isAtomic()) return false;
      const auto stride = s.of(pointer);
      const auto bytes = static_cast<std::int64_t>(
          layout.getTypeStoreSize(llvm::getLoadStoreType(&instruction)).getFixedValue());
      if (!stride || (*stride != 0 && *stride != bytes)) return false;
      if (*stride != 0) has_neighbours = true;
    }
  return has_neighbours;
}

}  // namespace

llvm::SmallVector<llvm::BasicBlock*, 4> inner_loops(
    llvm::Function& function, const item_level& level, const placeholders& names,
    llvm::function_ref<bool(const llvm::Instruction&)> splits) {
  llvm::SmallVector<llvm::BasicBlock*, 4> headers;
  if (!level.innermost || level.most != 0) return headers;
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  if (loops.empty()) return headers;
  const uniformity u(function, names);
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !loop->isLoopSimplifyForm()) continue;
    const bool waits = llvm::any_of(loop->blocks(), [&](llvm::BasicBlock* block) {
      return llvm::any_of(*block, [&](llvm::Instruction& i) { return splits(i); });
    });
    if (!waits && is_worth_it(*loop, u, names, function.getDataLayout()) &&
        runs_together(function, *loop, u))
      headers.push_back(loop->getHeader());
  }
  return headers;
}

}  // namespace pianola::compiler::host
