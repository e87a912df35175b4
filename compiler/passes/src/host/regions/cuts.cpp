// SPDX-License-Identifier: Apache-2.0
#include "host/regions/cuts.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>

#include "host/analysis/control_dependence.hpp"
#include "host/analysis/remade_values.hpp"
#include "host/regions/select_items.hpp"

namespace pianola::compiler::host {

namespace {

using splits_function = llvm::function_ref<bool(const llvm::Instruction&)>;

// Loop nests of their own cost something, too.
constexpr unsigned most_cuts = 8;

bool is_plain(const llvm::Instruction& instruction) {
  if (!instruction.mayReadOrWriteMemory() && !instruction.mayHaveSideEffects()) return true;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return load->isSimple();
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return store->isSimple();
  if (const auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction))
    return !memory->isVolatile();
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return intrinsic != nullptr &&
         (intrinsic->onlyAccessesInaccessibleMemory() || intrinsic->isLifetimeStartOrEnd());
}

bool has_effect(const llvm::Instruction& instruction) {
  return instruction.mayWriteToMemory() && !llvm::isa<llvm::IntrinsicInst>(instruction);
}

class cut_finder {
 public:
  cut_finder(llvm::Function& function, const placeholders& names, splits_function splits,
             llvm::ArrayRef<llvm::BasicBlock*> extra)
      : function_(function),
        names_(names),
        splits_(splits),
        extra_(extra.begin(), extra.end()),
        uniformity_(function, names),
        remade_(function, uniformity_, names),
        dominators_(function),
        after_(function),
        loops_(dominators_) {}

  llvm::SmallVector<cut, 4> find() {
    llvm::SmallVector<cut, 4> cuts;
    for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&function_)) {
      if (covered_.contains(block) || !asks_for_ids(*block)) continue;
      llvm::BasicBlock* join = join_of(*block);
      if (join == nullptr || !is_closed(*block, *join) || !is_useful(*block, *join) ||
          !runs_together(*block))
        continue;
      covered_.insert(inside_.begin(), inside_.end());
      cuts.push_back({block, join});
      if (cuts.size() == most_cuts) break;
    }
    return cuts;
  }

 private:
  // A comparison of an id with something uniform, or a choice by an id.
  bool asks_for_ids(llvm::BasicBlock& block) const {
    if (&block == &function_.getEntryBlock()) return false;
    if (auto* choice = llvm::dyn_cast<llvm::SwitchInst>(block.getTerminator()))
      return id_dimension(choice->getCondition(), names_).has_value();
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (branch == nullptr || branch->isUnconditional()) return false;
    auto* compare = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
    if (compare == nullptr) return false;
    llvm::Value *a = compare->getOperand(0), *b = compare->getOperand(1);
    return (id_dimension(a, names_) && is_uniform(b)) || (id_dimension(b, names_) && is_uniform(a));
  }

  bool is_uniform(const llvm::Value* value) const {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    return instruction == nullptr || remade_.is_uniform(instruction);
  }

  llvm::BasicBlock* join_of(llvm::BasicBlock& block) const {
    const auto* node = after_.getNode(&block);
    return node == nullptr || node->getIDom() == nullptr ? nullptr : node->getIDom()->getBlock();
  }

  // Nobody jumps into what is between, nothing leaves it, and a loop is in it as a whole. Fills inside_.
  bool is_closed(llvm::BasicBlock& decision, llvm::BasicBlock& join) {
    inside_.clear();
    for (llvm::BasicBlock* next : llvm::successors(&decision))
      if (next != &join) inside_.insert(next);
    for (std::size_t i = 0; i < inside_.size(); ++i)
      for (llvm::BasicBlock* next : llvm::successors(inside_[i]))
        if (next != &join) inside_.insert(next);
    if (inside_.contains(&decision) || !join.phis().empty() || join.isEHPad()) return false;
    if (loops_.getLoopFor(&decision) != loops_.getLoopFor(&join)) return false;
    for (llvm::BasicBlock* block : llvm::predecessors(&join))
      if (block != &decision && !inside_.contains(block)) return false;
    for (llvm::BasicBlock* block : inside_) {
      if (!dominators_.dominates(&decision, block)) return false;
      for (llvm::Instruction& instruction : *block) {
        if (splits_(instruction)) return false;
        for (llvm::User* user : instruction.users())
          if (!inside_.contains(llvm::cast<llvm::Instruction>(user)->getParent())) return false;
      }
    }
    return true;
  }

  // Walks from the barriers before to the barriers behind.
  bool is_useful(llvm::BasicBlock& decision, llvm::BasicBlock& join) {
    bool before = false, within = false, behind = false;
    llvm::SmallPtrSet<const llvm::Instruction*, 32> crossing, uses;
    const auto visit_before = [&](llvm::Instruction& instruction) {
      before = before || has_effect(instruction);
      if (!instruction.getType()->isVoidTy() && !remade_.is_uniform(&instruction) &&
          !remade_.contains(&instruction))
        crossing.insert(&instruction);
      return is_plain(instruction);
    };
    const auto visit_behind = [&](llvm::Instruction& instruction) {
      behind = behind || has_effect(instruction);
      uses.insert(&instruction);
      return is_plain(instruction);
    };
    llvm::SetVector<llvm::BasicBlock*> work;
    work.insert(&decision);
    for (std::size_t i = 0; i < work.size(); ++i) {
      bool waits = false;
      for (llvm::Instruction& instruction : llvm::reverse(*work[i])) {
        waits = splits_(instruction);
        if (waits) break;
        if (!visit_before(instruction)) return false;
      }
      if (waits || work[i] == &function_.getEntryBlock()) continue;
      for (llvm::BasicBlock* previous : llvm::predecessors(work[i])) work.insert(previous);
    }
    for (llvm::BasicBlock* block : inside_)
      for (llvm::Instruction& instruction : *block) {
        within = within || has_effect(instruction);
        uses.insert(&instruction);
        if (!is_plain(instruction)) return false;
      }
    work.clear();
    work.insert(&join);
    for (std::size_t i = 0; i < work.size(); ++i) {
      bool waits = false;
      for (llvm::Instruction& instruction : *work[i]) {
        waits = splits_(instruction);
        if (waits) break;
        if (!visit_behind(instruction)) return false;
      }
      if (waits) continue;
      for (llvm::BasicBlock* next : llvm::successors(work[i])) work.insert(next);
    }
    if (!within || (!before && !behind)) return false;
    return llvm::none_of(crossing, [&](const llvm::Instruction* value) {
      return llvm::any_of(value->users(), [&](const llvm::User* user) {
        return uses.contains(llvm::cast<llvm::Instruction>(user));
      });
    });
  }

  // All items come by, as often as each other; and a loop around is one of the skeleton anyway.
  bool runs_together(llvm::BasicBlock& block) {
    for (llvm::Loop* loop = loops_.getLoopFor(&block); loop != nullptr;
         loop = loop->getParentLoop()) {
      const bool waits = llvm::any_of(loop->blocks(), [&](llvm::BasicBlock* part) {
        return llvm::any_of(*part, [&](llvm::Instruction& i) { return splits_(i); });
      });
      if (!waits || extra_.contains(loop->getHeader())) return false;
    }
    llvm::SetVector<llvm::BasicBlock*> seeds;
    seeds.insert(&block);
    return llvm::all_of(control_dependence(function_, seeds).deciders(),
                        [&](llvm::BasicBlock* d) { return uniformity_.branches_together(d); });
  }

  llvm::Function& function_;
  const placeholders& names_;
  splits_function splits_;
  llvm::SmallPtrSet<llvm::BasicBlock*, 4> extra_;
  const uniformity uniformity_;
  const remade_values remade_;
  llvm::DominatorTree dominators_;
  llvm::PostDominatorTree after_;
  llvm::LoopInfo loops_;
  // Of the branch that is looked at: the blocks between it and the join.
  llvm::SetVector<llvm::BasicBlock*> inside_;
  llvm::SmallPtrSet<llvm::BasicBlock*, 16> covered_;
};

}  // namespace

llvm::SmallVector<cut, 4> find_cuts(llvm::Function& function, const item_level& level,
                                    const placeholders& names, splits_function splits,
                                    llvm::ArrayRef<llvm::BasicBlock*> extra) {
  if (!level.innermost || level.most != 0) return {};
  const bool asks = llvm::any_of(function, [](const llvm::BasicBlock& block) {
    return block.getTerminator()->getNumSuccessors() > 1;
  });
  if (!asks) return {};
  return cut_finder(function, names, splits, extra).find();
}

}  // namespace pianola::compiler::host
