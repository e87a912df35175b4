// SPDX-License-Identifier: Apache-2.0
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "pianola/compiler/outline.hpp"

namespace pianola::compiler {
namespace {

/// Reports of the undefined-behaviour sanitizer.
bool is_report(llvm::StringRef name) { return name.starts_with("__ubsan_handle_"); }

/// Calls that tell a profiler where the program is.
bool is_trace(llvm::StringRef name) {
  return name.starts_with("llvm.instrprof.") || name.starts_with("__llvm_profile_") ||
         name.starts_with("__cyg_profile_func_") || name == "mcount" || name == "_mcount" ||
         name == "\01mcount" || name == "\01_mcount" || name == "__fentry__";
}

/// Where a profiler counts; without optimisation the counting is written out before any plugin sees the code.
bool is_counter(const llvm::Value* pointer) {
  const auto* variable =
      llvm::dyn_cast_or_null<llvm::GlobalVariable>(llvm::getUnderlyingObject(pointer));
  return variable && (variable->getName().starts_with("__profc_") ||
                      variable->getName().starts_with("__profbm_"));
}

/// Loads of a counter have no other use than what is stored.
bool counts(const llvm::Instruction& instruction) {
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return is_counter(store->getPointerOperand());
  if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    return update->use_empty() && is_counter(update->getPointerOperand());
  return false;
}

bool is_instrumentation(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee ? is_report(callee->getName()) || is_trace(callee->getName()) : counts(instruction);
}

void drop(llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  if (call && is_report(call->getCalledFunction()->getName()) &&
      llvm::isa_and_nonnull<llvm::UnreachableInst>(call->getNextNonDebugInstruction()))
    llvm::IRBuilder<>(&instruction).CreateIntrinsic(llvm::Intrinsic::trap, {}, {});
  if (!instruction.use_empty())
    instruction.replaceAllUsesWith(llvm::PoisonValue::get(instruction.getType()));
  instruction.eraseFromParent();
}

}  // namespace

void drop_instrumentation(llvm::Module& device) {
  for (llvm::Function& function : device)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (is_instrumentation(instruction)) drop(instruction);
}

}  // namespace pianola::compiler
