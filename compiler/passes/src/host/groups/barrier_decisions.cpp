// SPDX-License-Identifier: Apache-2.0
#include "host/groups/barrier_decisions.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LLVMContext.h>

#include "host/analysis/control_dependence.hpp"
#include "host/analysis/uniformity.hpp"
#include "host/groups/prepare_body.hpp"

namespace pianola::compiler::host {

namespace {

// What the value of a decision is made of.
struct ingredients {
  bool place = false;  // the work-item's in its group
  bool other = false;  // memory, arguments, the group's number: may make up for the place
};

void collect(const llvm::Value* value, const placeholders& names,
             llvm::SmallPtrSetImpl<const llvm::Value*>& seen, ingredients& found) {
  if (!seen.insert(value).second || llvm::isa<llvm::Constant>(value)) return;
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr) {
    found.other = true;
  } else if (names.is_id(instruction)) {
    found.place = true;
  } else if (llvm::isa<llvm::PHINode, llvm::BinaryOperator, llvm::CastInst, llvm::CmpInst,
                       llvm::SelectInst, llvm::FreezeInst>(instruction)) {
    for (const llvm::Value* operand : instruction->operands()) collect(operand, names, seen, found);
  } else if (!instruction->getName().starts_with("size.")) {
    found.other = true;
  }
}

}  // namespace

llvm::SetVector<llvm::BasicBlock*> blocks_that_wait(
    llvm::Function& function, llvm::function_ref<bool(const llvm::Instruction&)> waits) {
  llvm::SetVector<llvm::BasicBlock*> places;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (waits(instruction)) places.insert(instruction.getParent());
  return places;
}

std::vector<llvm::Instruction*> unproven_decisions(
    llvm::Function& function, const placeholders& names,
    llvm::function_ref<bool(const llvm::Instruction&)> waits, bool ballots, bool last) {
  const llvm::SetVector<llvm::BasicBlock*> places = blocks_that_wait(function, waits);
  std::vector<llvm::Instruction*> found;
  if (places.empty()) return found;
  const uniformity u(function, names, ballots);
  const control_dependence dependence(function, places);
  for (llvm::BasicBlock* decider : last ? dependence.last_deciders() : dependence.deciders()) {
    llvm::Instruction* end = decider->getTerminator();
    if (!u.branches_together(decider) && llvm::isa<llvm::BranchInst, llvm::SwitchInst>(end))
      found.push_back(end);
  }
  return found;
}

void warn_of_decision_by_place(const kernel& k, llvm::ArrayRef<llvm::Instruction*> decisions,
                               const placeholders& names) {
  for (const llvm::Instruction* decision : decisions) {
    llvm::SmallPtrSet<const llvm::Value*, 16> seen;
    ingredients found;
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(decision);
    collect(branch != nullptr ? branch->getCondition()
                              : llvm::cast<llvm::SwitchInst>(decision)->getCondition(),
            names, seen, found);
    if (!found.place || found.other) continue;
    k.body->getContext().diagnose(llvm::DiagnosticInfoUnsupported(
        *k.body,
        "kernel '" + k.name +
            "': whether a work-item comes to a barrier or group function depends on its local id; "
            "SYCL requires that all work-items of a group come to it, or none. Decided",
        llvm::DiagnosticLocation(decision->getDebugLoc()), llvm::DS_Warning));
    return;
  }
}

}  // namespace pianola::compiler::host
