// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/AtomicOrdering.h>

#include "pianola/compiler/outline.hpp"

namespace pianola::compiler {
namespace {

constexpr unsigned widest = 4;

// As sycl::memory_scope counts. All targets know these names; the system has none.
constexpr llvm::StringLiteral names[widest + 1] = {"singlethread", "subgroup", "workgroup",
                                                   "device", ""};

const llvm::CallInst* call_of(const llvm::Value* value, llvm::StringRef name) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(value);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == name ? call : nullptr;
}

unsigned scope_in(const llvm::Value* number) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(number);
  return constant ? static_cast<unsigned>(constant->getLimitedValue(widest)) : widest;
}

/// The widest scope that the pointer, wherever it comes from, was given.
unsigned scope_of(const llvm::Value* pointer) {
  std::optional<unsigned> found;
  llvm::SmallPtrSet<const llvm::Value*, 8> seen;
  llvm::SmallVector<const llvm::Value*, 8> todo = {pointer};
  while (!todo.empty()) {
    const llvm::Value* value = todo.pop_back_val()->stripPointerCasts();
    if (!seen.insert(value).second) continue;
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(value)) {
      todo.append(phi->op_begin(), phi->op_end());
    } else if (const auto* choice = llvm::dyn_cast<llvm::SelectInst>(value)) {
      todo.push_back(choice->getTrueValue());
      todo.push_back(choice->getFalseValue());
    } else if (const auto* part = llvm::dyn_cast<llvm::GEPOperator>(value)) {
      todo.push_back(part->getPointerOperand());
    } else if (const auto* marker = call_of(value, "__pianola_in_scope")) {
      found = std::max(found.value_or(0), scope_in(marker->getArgOperand(1)));
    } else {
      return widest;
    }
  }
  return found.value_or(widest);
}

void set_scope(llvm::Instruction& access) {
  const auto set = [](auto& instruction) {
    const unsigned scope = scope_of(instruction.getPointerOperand());
    if (scope != widest)
      instruction.setSyncScopeID(instruction.getContext().getOrInsertSyncScopeID(names[scope]));
  };
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&access)) set(*load);
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&access)) set(*store);
  if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&access)) set(*update);
  if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&access)) set(*exchange);
}

void make_fence(llvm::CallInst& call) {
  llvm::AtomicOrdering order = llvm::AtomicOrdering::SequentiallyConsistent;
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
  switch (number ? number->getLimitedValue(5) : 5) {
    case __ATOMIC_CONSUME:
    case __ATOMIC_ACQUIRE:
      order = llvm::AtomicOrdering::Acquire;
      break;
    case __ATOMIC_RELEASE:
      order = llvm::AtomicOrdering::Release;
      break;
    case __ATOMIC_ACQ_REL:
      order = llvm::AtomicOrdering::AcquireRelease;
      break;
    default:
      break;
  }
  llvm::LLVMContext& context = call.getContext();
  const llvm::StringRef scope = names[scope_in(call.getArgOperand(1))];
  llvm::IRBuilder<>(&call).CreateFence(order, context.getOrInsertSyncScopeID(scope));
  call.eraseFromParent();
}

void replace_marker(llvm::CallInst& call) {
  call.replaceAllUsesWith(call.getArgOperand(0));
  call.eraseFromParent();
}

template <class Change>
void for_calls(llvm::Module& device, llvm::StringRef name, Change change) {
  llvm::Function* function = device.getFunction(name);
  if (!function) return;
  for (llvm::User* user : llvm::make_early_inc_range(function->users()))
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(user);
        call && call->getCalledOperand() == function)
      change(*call);
  if (function->use_empty()) function->eraseFromParent();
}

}  // namespace

void resolve_scopes(llvm::Module& device) {
  // All accesses before the first marker goes: an access may depend on several.
  if (device.getFunction("__pianola_in_scope"))
    for (llvm::Function& function : device)
      for (llvm::Instruction& instruction : llvm::instructions(function))
        if (instruction.isAtomic()) set_scope(instruction);
  for_calls(device, "__pianola_in_scope", replace_marker);
  for_calls(device, "__pianola_fence", make_fence);
}

}  // namespace pianola::compiler
