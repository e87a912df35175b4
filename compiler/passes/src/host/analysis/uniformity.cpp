// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/uniformity.hpp"

#include <llvm/ADT/GenericUniformityImpl.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/TargetTransformInfoImpl.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PassInstrumentation.h>

namespace pianola::compiler::host {

namespace {

/// Work-items as the lanes of a machine whose branches diverge.
class item_sources : public llvm::TargetTransformInfoImplCRTPBase<item_sources> {
 public:
  item_sources(const llvm::DataLayout& layout, const placeholders& names, bool ballots)
      : TargetTransformInfoImplCRTPBase(layout), names_(&names), ballots_(ballots) {}

  bool hasBranchDivergence(const llvm::Function*) const { return true; }

  bool isAlwaysUniform(const llvm::Value* value) const {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    // Who is here counts only once work-items are run one by one, and then nothing is the same for all.
    return instruction != nullptr && (is_vote(*instruction) || asks_who_is_here(*instruction) ||
                                      (ballots_ && is_ballot(*instruction)));
  }

  bool isSourceOfDivergence(const llvm::Value* value) const {
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
};

}  // namespace

uniformity::uniformity(llvm::Function& function, const placeholders& names, bool ballots) {
  analyses_.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
  analyses_.registerPass([] { return llvm::DominatorTreeAnalysis(); });
  analyses_.registerPass([] { return llvm::CycleAnalysis(); });
  analyses_.registerPass([] { return llvm::UniformityInfoAnalysis(); });
  analyses_.registerPass([&] {
    return llvm::TargetIRAnalysis([&](const llvm::Function& f) {
      return llvm::TargetTransformInfo(item_sources(f.getDataLayout(), names, ballots));
    });
  });
  info_ = &analyses_.getResult<llvm::UniformityInfoAnalysis>(function);
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
