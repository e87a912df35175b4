// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/uniformity.hpp"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/GenericUniformityImpl.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/TargetTransformInfoImpl.h>
#include <llvm/IR/CycleInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PassInstrumentation.h>

#include "host/analysis/divergent_joins.hpp"

namespace pianola::compiler::host {

namespace {

/// Work-items as the lanes of a machine whose branches diverge.
class item_sources : public llvm::TargetTransformInfoImplCRTPBase<item_sources> {
 public:
  item_sources(const llvm::DataLayout& layout, const placeholders& names, bool ballots,
               const llvm::DenseSet<const llvm::Value*>& missed)
      : TargetTransformInfoImplCRTPBase(layout),
        names_(&names),
        ballots_(ballots),
        missed_(&missed) {}

  bool hasBranchDivergence(const llvm::Function*) const { return true; }

  bool isAlwaysUniform(const llvm::Value* value) const {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    // Who is here counts only once work-items are run one by one, and then nothing is the same for all.
    return instruction != nullptr && (is_vote(*instruction) || asks_who_is_here(*instruction) ||
                                      (ballots_ && is_ballot(*instruction)));
  }

  bool isSourceOfDivergence(const llvm::Value* value) const {
    if (missed_->contains(value)) return true;
    // Private memory: each item has its own, but for what the lowering itself made for all.
    if (const auto* memory = llvm::dyn_cast<llvm::AllocaInst>(value))
      return !memory->hasMetadata(shared_memory);
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(value)) return !load->isSimple();
    if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst, llvm::VAArgInst,
                  llvm::LandingPadInst, llvm::InvokeInst>(value))
      return true;
    const auto* call = llvm::dyn_cast<llvm::CallBase>(value);
    if (call == nullptr || isAlwaysUniform(call)) return false;
    if (names_->is_id(call)) return true;
    return !call->doesNotAccessMemory() || call->isConvergent();
  }

 private:
  const placeholders* names_;
  bool ballots_;
  const llvm::DenseSet<const llvm::Value*>* missed_;
};

// Whether the phi may be replaced by what it has on all ways on which it has something.
bool is_one_value(const llvm::PHINode& phi, const llvm::DominatorTree& dominators) {
  if (!phi.hasConstantOrUndefValue()) return false;
  const auto* found = llvm::find_if_not(phi.incoming_values(), [&](const llvm::Use& v) {
    return llvm::isa<llvm::UndefValue>(v) || v == &phi;
  });
  const auto* value =
      found == phi.op_end() ? nullptr : llvm::dyn_cast<llvm::Instruction>(found->get());
  return value == nullptr || dominators.dominates(value, &phi);
}

// What LLVM takes for the same for all behind branches that divide them. False: nothing.
bool find_missed(llvm::Function& function, llvm::UniformityInfo& info,
                 llvm::FunctionAnalysisManager& analyses,
                 llvm::DenseSet<const llvm::Value*>& missed) {
  const auto& cycles = analyses.getResult<llvm::CycleAnalysis>(function);
  const auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  const std::size_t before = missed.size();
  const auto note = [&](const llvm::Instruction& instruction) {
    if (!info.isDivergent(&instruction)) missed.insert(&instruction);
  };
  for (llvm::BasicBlock& block : function) {
    if (!info.hasDivergentTerminator(block) || !dominators.isReachableFromEntry(&block)) continue;
    const divergent_joins joins = find_divergent_joins(block, cycles);
    for (llvm::BasicBlock* join : joins.of_ways) {
      for (const llvm::PHINode& phi : join->phis())
        if (!is_one_value(phi, dominators)) note(phi);
      // Come into by several ways, a loop has other rounds for each.
      for (const llvm::Cycle* cycle = cycles.getCycle(join);
           cycle != nullptr && !cycle->contains(&block); cycle = cycle->getParentCycle())
        if (!cycle->isReducible())
          for (llvm::BasicBlock* inside : cycle->blocks())
            for (const llvm::Instruction& instruction : *inside)
              if (!instruction.getType()->isVoidTy()) note(instruction);
    }
    for (const divergent_joins::exit& exit : joins.of_rounds)
      for (llvm::BasicBlock* inside : exit.from->blocks())
        for (const llvm::Instruction& instruction : *inside)
          for (const llvm::User* user : instruction.users())
            if (const auto& u = *llvm::cast<llvm::Instruction>(user);
                !exit.from->contains(u.getParent()))
              note(u);
  }
  return missed.size() != before;
}

}  // namespace

uniformity::uniformity(llvm::Function& function, const placeholders& names, bool ballots) {
  analyses_.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
  analyses_.registerPass([] { return llvm::DominatorTreeAnalysis(); });
  analyses_.registerPass([] { return llvm::CycleAnalysis(); });
  analyses_.registerPass([] { return llvm::UniformityInfoAnalysis(); });
  llvm::DenseSet<const llvm::Value*> missed;
  analyses_.registerPass([&] {
    return llvm::TargetIRAnalysis([&](const llvm::Function& f) {
      return llvm::TargetTransformInfo(item_sources(f.getDataLayout(), names, ballots, missed));
    });
  });
  for (;;) {
    info_ = &analyses_.getResult<llvm::UniformityInfoAnalysis>(function);
    if (!find_missed(function, *info_, analyses_, missed)) return;
    llvm::PreservedAnalyses others;
    others.preserve<llvm::CycleAnalysis>();
    others.preserve<llvm::DominatorTreeAnalysis>();
    analyses_.invalidate(function, others);
  }
}

bool uniformity::is_uniform(const llvm::Value* value) const {
  if (!llvm::isa<llvm::Instruction>(value)) return true;
  if (info_->isDivergent(value)) return false;
  for (const llvm::Use& use : value->uses())
    if (info_->isDivergentUse(use)) return false;
  return true;
}

bool uniformity::branches_together(const llvm::BasicBlock* block) const {
  return !info_->hasDivergentTerminator(*block);
}

}  // namespace pianola::compiler::host
