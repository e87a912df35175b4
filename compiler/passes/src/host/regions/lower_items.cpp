// SPDX-License-Identifier: Apache-2.0
#include "host/regions/lower_items.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "host/analysis/uniformity.hpp"
#include "host/regions/cuts.hpp"
#include "host/regions/emit_region.hpp"
#include "host/regions/inner_loops.hpp"
#include "host/regions/private_memory.hpp"
#include "host/regions/regions.hpp"
#include "host/regions/skeleton.hpp"
#include "host/regions/value_storage.hpp"

namespace pianola::compiler::host {

namespace {

// A new entry block for what all items share; everything else is code of an item.
void make_entry(llvm::Function& function) {
  llvm::BasicBlock* old = &function.getEntryBlock();
  old->setName("start");
  auto* entry = llvm::BasicBlock::Create(function.getContext(), "entry", &function, old);
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(*old))
    if (auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
        memory != nullptr && llvm::isa<llvm::ConstantInt>(memory->getArraySize()))
      memory->moveBefore(*entry, entry->end());
  llvm::BranchInst::Create(old, entry);
  // No barrier is in the block behind, and nothing jumps to it.
  old->splitBasicBlock(old->begin(), "begin");
}

// Values of loops leave them through phis, where the uniformity analysis sees them.
void close_loops(llvm::Function& function) {
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  for (llvm::Loop* loop : loops)
    llvm::simplifyLoop(loop, &dominators, &loops, nullptr, nullptr, nullptr, false);
  for (llvm::Loop* loop : loops) llvm::formLCSSARecursively(*loop, dominators, &loops, nullptr);
}

// Parts that a computation is compared in. Above, it counts as another one.
constexpr unsigned most_parts = 12;

// Whether both are the same computation from ids and from values that are known at `where`.
bool are_equal(llvm::Value* a, llvm::Value* b, llvm::Instruction* where,
               const llvm::DominatorTree& dominators, const placeholders& names, unsigned& parts) {
  auto* first = llvm::dyn_cast<llvm::Instruction>(a);
  if (a == b && (first == nullptr || dominators.dominates(first, where))) return true;
  auto* second = llvm::dyn_cast<llvm::Instruction>(b);
  if (first == nullptr || second == nullptr || ++parts > most_parts ||
      !first->isSameOperationAs(second))
    return false;
  if (names.is_id(first))
    return llvm::cast<llvm::CallInst>(first)->getCalledFunction() ==
           llvm::cast<llvm::CallInst>(second)->getCalledFunction();
  if (!llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::GetElementPtrInst, llvm::CmpInst,
                 llvm::SelectInst>(first))
    return false;
  for (unsigned i = 0; i < first->getNumOperands(); ++i)
    if (!are_equal(first->getOperand(i), second->getOperand(i), where, dominators, names, parts))
      return false;
  return true;
}

llvm::Value* repeat(llvm::Value* value, llvm::Instruction* where,
                    const llvm::DominatorTree& dominators) {
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr || dominators.dominates(instruction, where)) return value;
  llvm::Instruction* copy = instruction->clone();
  for (llvm::Use& operand : copy->operands()) operand = repeat(operand, where, dominators);
  copy->dropUBImplyingAttrsAndMetadata();
  copy->dropPoisonGeneratingAnnotations();
  copy->insertBefore(where->getIterator());
  return copy;
}

// A simplification that finds the same computation on all ways to a place makes a phi of it, which would
// need an array; computed again, it needs nothing.
void repeat_computations(llvm::Function& function, const placeholders& names) {
  const llvm::DominatorTree dominators(function);
  for (llvm::BasicBlock& block : function) {
    if (block.isEHPad()) continue;
    for (llvm::PHINode& phi : llvm::make_early_inc_range(block.phis())) {
      llvm::Instruction* where = &*block.getFirstInsertionPt();
      llvm::Value* value = phi.getIncomingValue(0);
      const bool same = llvm::all_of(phi.incoming_values(), [&](llvm::Value* other) {
        unsigned parts = 0;
        return are_equal(value, other, where, dominators, names, parts);
      });
      if (!same) continue;
      phi.replaceAllUsesWith(repeat(value, where, dominators));
      phi.eraseFromParent();
    }
  }
}

// The phis of close_loops have done their work: a value and its copy would need an array each.
void open_loops(llvm::Function& function, const uniformity& u) {
  for (llvm::BasicBlock& block : function)
    for (llvm::PHINode& phi : llvm::make_early_inc_range(block.phis())) {
      if (phi.getNumIncomingValues() != 1) continue;
      llvm::Value* value = phi.getIncomingValue(0);
      if (u.is_uniform(value) != u.is_uniform(&phi)) continue;
      phi.replaceAllUsesWith(value);
      phi.eraseFromParent();
    }
}

bool may_move_to_entry(const llvm::Instruction& instruction, const placeholders& names) {
  if (llvm::isa<llvm::PHINode, llvm::AllocaInst>(instruction) || instruction.isTerminator() ||
      instruction.getType()->isVoidTy() || names.is_id(&instruction) ||
      instruction.getType()->isTokenTy())
    return false;
  if (instruction.mayReadFromMemory() &&
      !(llvm::isa<llvm::LoadInst>(instruction) &&
        instruction.hasMetadata(llvm::LLVMContext::MD_invariant_load)))
    return false;
  return !instruction.mayHaveSideEffects() && llvm::isSafeToSpeculativelyExecute(&instruction);
}

// Terminators and calls of the skeleton take the scalars of what they need.
void rewrite_skeleton(const skeleton& s, value_storage& storage) {
  for (llvm::BasicBlock* block : s.blocks)
    for (llvm::Instruction& instruction : *block) {
      if (llvm::isa<llvm::PHINode>(instruction)) continue;
      if (&instruction.getFunction()->getEntryBlock() == block && !instruction.isTerminator())
        continue;
      for (llvm::Use& operand : instruction.operands()) {
        auto* value = llvm::dyn_cast<llvm::Instruction>(operand.get());
        if (value == nullptr || storage.kind_of(value) == value_storage::kind::always ||
            value->getParent() == block)
          continue;
        llvm::AllocaInst* variable = storage.variable(value);
        operand.set(new llvm::LoadInst(value->getType(), variable, "", instruction.getIterator()));
      }
    }
  // Results of the skeleton's own instructions.
  for (llvm::BasicBlock* block : s.blocks)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(*block))
      if (!llvm::isa<llvm::PHINode, llvm::AllocaInst>(instruction) && !instruction.isTerminator() &&
          block != &block->getParent()->getEntryBlock() && storage.live().is_counted(&instruction))
        new llvm::StoreInst(&instruction, storage.variable(&instruction),
                            instruction.getNextNode());
}

void remove_phis(const skeleton& s, value_storage& storage) {
  for (llvm::BasicBlock* block : s.blocks)
    for (llvm::PHINode& phi : llvm::make_early_inc_range(block->phis())) {
      // Uses in the skeleton's own block read the variable, as all others do.
      if (!phi.use_empty()) {
        auto* load = new llvm::LoadInst(phi.getType(), storage.variable(&phi), "",
                                        block->getFirstNonPHIIt());
        phi.replaceAllUsesWith(load);
      }
      phi.eraseFromParent();
    }
}

}  // namespace

void hoist_to_entry(llvm::Function& function, const placeholders& names) {
  llvm::BasicBlock* entry = &function.getEntryBlock();
  const auto known = [&](const llvm::Value* value) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (instruction == nullptr) return !llvm::isa<llvm::BasicBlock>(value);
    if (const auto* memory = llvm::dyn_cast<llvm::AllocaInst>(instruction))
      return memory->hasMetadata(shared_memory);
    return instruction->getParent() == entry && !names.is_id(instruction);
  };
  for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&function)) {
    if (block == entry) continue;
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(*block)) {
      if (!may_move_to_entry(instruction, names) || !llvm::all_of(instruction.operands(), known))
        continue;
      const bool invariant = instruction.hasMetadata(llvm::LLVMContext::MD_invariant_load);
      instruction.dropUBImplyingAttrsAndMetadata();
      if (invariant)
        instruction.setMetadata(llvm::LLVMContext::MD_invariant_load,
                                llvm::MDNode::get(function.getContext(), {}));
      instruction.moveBefore(entry->getTerminator());
    }
  }
}

void lower_items(llvm::Function& function, const item_level& level, const placeholders& names,
                 llvm::function_ref<bool(const llvm::Instruction&)> splits) {
  make_entry(function);
  repeat_computations(function, names);
  close_loops(function);
  hoist_to_entry(function, names);
  const auto inner = inner_loops(function, level, names, splits);
  const auto cuts = find_cuts(function, level, names, splits, inner);
  const skeleton s = make_skeleton(function, splits, inner, cuts);
  expand_private_memory(function, s, level, names);
  llvm::SmallVector<llvm::AllocaInst*, 16> variables;
  llvm::SmallVector<llvm::BasicBlock*, 32> replaced;
  {
    const uniformity u(function, names);
    open_loops(function, u);
    value_storage storage(function, s, u, names, level);
    const std::vector<region> regions = find_regions(s);
    for (llvm::BasicBlock& block : function)
      if (!s.contains(&block)) replaced.push_back(&block);
    llvm::SmallVector<llvm::BasicBlock*, 16> starts;
    for (const region& r : regions)
      starts.push_back(region_emitter(r, storage, names, level).emit());
    rewrite_skeleton(s, storage);
    for (std::size_t i = 0; i < regions.size(); ++i)
      regions[i].from->getTerminator()->replaceSuccessorWith(regions[i].entry, starts[i]);
    for (llvm::BasicBlock* block : replaced) block->dropAllReferences();
    remove_phis(s, storage);
    for (llvm::BasicBlock* block : replaced) block->eraseFromParent();
    variables.append(storage.variables().begin(), storage.variables().end());
  }
  llvm::removeUnreachableBlocks(function);
  llvm::DominatorTree dominators(function);
  llvm::PromoteMemToReg(variables, dominators);
}

}  // namespace pianola::compiler::host
