// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/uniformity.hpp"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>

namespace pianola::compiler::host {

namespace {

llvm::CycleInfo cycles_of(llvm::Function& function) {
  llvm::CycleInfo cycles;
  cycles.compute(function);
  return cycles;
}

}  // namespace

uniformity::uniformity(llvm::Function& function, const placeholders& names, bool ballots)
    : names_(names),
      ballots_(ballots),
      dominators_(function),
      cycles_(cycles_of(function)),
      finder_(function, cycles_) {
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    if (arises(instruction)) differs(instruction);
  while (!work_.empty()) {
    const llvm::Instruction& instruction = *work_.back();
    work_.pop_back();
    if (instruction.isTerminator())
      part_at(*const_cast<llvm::BasicBlock*>(instruction.getParent()));
    for (const llvm::User* user : instruction.users())
      differs(*llvm::cast<llvm::Instruction>(user));
  }
}

bool uniformity::is_shared(const llvm::Instruction& instruction) const {
  // Who is here counts only once work-items are run one by one, and then nothing is the same for all.
  return is_vote(instruction) || asks_who_is_here(instruction) ||
         (ballots_ && is_ballot(instruction));
}

bool uniformity::arises(const llvm::Instruction& instruction) const {
  // Private memory: each item has its own, but for what the lowering itself made for all.
  if (llvm::isa<llvm::AllocaInst>(instruction)) return !instruction.hasMetadata(shared_memory);
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return !load->isSimple();
  if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst, llvm::VAArgInst, llvm::LandingPadInst,
                llvm::InvokeInst>(instruction))
    return true;
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr || is_shared(instruction)) return false;
  return names_.is_id(call) || !call->doesNotAccessMemory() || call->isConvergent();
}

void uniformity::differs(const llvm::Instruction& instruction) {
  if (is_shared(instruction)) return;
  const bool value_is_new =
      !instruction.getType()->isVoidTy() && different_.insert(&instruction).second;
  const bool way_is_new =
      instruction.isTerminator() && parting_.insert(instruction.getParent()).second;
  if (value_is_new || way_is_new) work_.push_back(&instruction);
}

// Whether the phi may be replaced by what it has on all ways on which it has something.
bool uniformity::is_one_value(const llvm::PHINode& phi) const {
  if (!phi.hasConstantOrUndefValue()) return false;
  const auto* found = llvm::find_if_not(phi.incoming_values(), [&](const llvm::Use& v) {
    return llvm::isa<llvm::UndefValue>(v) || v == &phi;
  });
  const auto* value =
      found == phi.op_end() ? nullptr : llvm::dyn_cast<llvm::Instruction>(found->get());
  return value == nullptr || dominators_.dominates(value, &phi);
}

void uniformity::part_at(llvm::BasicBlock& block) {
  if (!dominators_.isReachableFromEntry(&block)) return;
  const divergent_joins joins = finder_.of(block);
  for (llvm::BasicBlock* join : joins.of_ways) {
    for (const llvm::PHINode& phi : join->phis())
      if (!is_one_value(phi)) differs(phi);
    // Come into by several ways, a loop has other rounds for each.
    for (const llvm::Cycle* cycle = cycles_.getCycle(join); cycle != nullptr;
         cycle = cycle->getParentCycle())
      if (!cycle->isReducible()) differs_inside(*cycle);
  }
  for (const divergent_joins::exit& exit : joins.of_rounds) differs_behind(*exit.from);
}

void uniformity::differs_inside(const llvm::Cycle& cycle) {
  if (!entered_one_by_one_.insert(&cycle).second) return;
  for (const llvm::BasicBlock* inside : cycle.blocks())
    for (const llvm::Instruction& instruction : *inside)
      if (!instruction.getType()->isVoidTy()) differs(instruction);
}

void uniformity::differs_behind(const llvm::Cycle& cycle) {
  if (!left_one_by_one_.insert(&cycle).second) return;
  for (const llvm::BasicBlock* inside : cycle.blocks())
    for (const llvm::Instruction& instruction : *inside)
      for (const llvm::User* user : instruction.users())
        if (const auto& u = *llvm::cast<llvm::Instruction>(user); !cycle.contains(u.getParent()))
          differs(u);
}

bool uniformity::is_uniform(const llvm::Value* value) const {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr) return true;
  if (different_.contains(value)) return false;
  for (const llvm::Cycle* cycle = cycles_.getCycle(instruction->getParent()); cycle != nullptr;
       cycle = cycle->getParentCycle())
    if (left_one_by_one_.contains(cycle))
      for (const llvm::User* user : instruction->users())
        if (!cycle->contains(llvm::cast<llvm::Instruction>(user)->getParent())) return false;
  return true;
}

bool uniformity::branches_together(const llvm::BasicBlock* block) const {
  return !parting_.contains(block);
}

}  // namespace pianola::compiler::host
