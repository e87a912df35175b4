// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/wrapping_indices.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

namespace pianola::compiler {

namespace {

bool may_wrap_unnoticed(llvm::Value* value, const llvm::Loop& loop,
                        llvm::ScalarEvolution& evolution) {
  if (!evolution.isSCEVable(value->getType())) return false;
  return llvm::SCEVExprContains(evolution.getSCEV(value), [&](const llvm::SCEV* part) {
    const auto* widened = llvm::dyn_cast<llvm::SCEVZeroExtendExpr>(part);
    if (widened == nullptr) return false;
    const auto* narrow = llvm::dyn_cast<llvm::SCEVAddRecExpr>(widened->getOperand());
    return narrow != nullptr && narrow->getLoop() == &loop && narrow->getStart()->isZero() &&
           !narrow->hasNoUnsignedWrap() && !narrow->getStepRecurrence(evolution)->isOne();
  });
}

// Where high bits are cut off: by `&`, `%`, an extension, or what else ScalarEvolution takes for one.
bool begins_at(llvm::Instruction& instruction, const llvm::Loop& loop,
               llvm::ScalarEvolution& evolution) {
  return !llvm::isa<llvm::PHINode>(instruction) &&
         may_wrap_unnoticed(&instruction, loop, evolution) &&
         llvm::none_of(instruction.operands(), [&](llvm::Value* operand) {
           return may_wrap_unnoticed(operand, loop, evolution);
         });
}

bool hide_from_loop(llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  llvm::SmallVector<llvm::Instruction*, 8> found;
  for (llvm::BasicBlock* block : loop.blocks())
    for (llvm::Instruction& instruction : *block)
      if (begins_at(instruction, loop, evolution)) found.push_back(&instruction);
  for (llvm::Instruction* instruction : found)
    for (llvm::Use& operand : instruction->operands())
      if (!loop.isLoopInvariant(operand)) {
        llvm::IRBuilder<> at(instruction);
        operand.set(at.CreateFreeze(operand, operand->getName()));
      }
  return !found.empty();
}

}  // namespace

llvm::PreservedAnalyses wrapping_indices::run(llvm::Function& function,
                                              llvm::FunctionAnalysisManager& analyses) {
  const auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  if (loops.empty()) return llvm::PreservedAnalyses::all();
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  bool changed = false;
  for (llvm::Loop* loop : loops.getLoopsInPreorder())
    if (loop->isInnermost()) changed = hide_from_loop(*loop, evolution) || changed;
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

}  // namespace pianola::compiler
