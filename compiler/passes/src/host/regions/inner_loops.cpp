// SPDX-License-Identifier: Apache-2.0
#include "host/regions/inner_loops.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

#include "host/analysis/control_dependence.hpp"
#include "host/analysis/strides.hpp"
#include "host/analysis/uniformity.hpp"

namespace pianola::compiler::host {

namespace {

// Values of the loop that differ between items and go from one iteration to the next.
constexpr unsigned most_carried = 4;

bool runs_together(llvm::Function& function, const llvm::Loop& loop, const uniformity& u) {
  const auto together = [&](llvm::BasicBlock* block) { return u.branches_together(block); };
  llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
  loop.getExitingBlocks(exiting);
  if (!llvm::all_of(exiting, together)) return false;
  llvm::SetVector<llvm::BasicBlock*> seeds;
  seeds.insert(loop.getHeader());
  return llvm::all_of(control_dependence(function, seeds).deciders(), together);
}

bool is_worth_it(const llvm::Loop& loop, const uniformity& u, const placeholders& names,
                 const llvm::DataLayout& layout) {
  unsigned carried = 0;
  for (const llvm::PHINode& phi : loop.getHeader()->phis())
    if (!u.is_uniform(&phi)) ++carried;
  if (carried > most_carried) return false;
  strides s([&](const llvm::Value* value) { return u.is_uniform(value); }, names, layout);
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
