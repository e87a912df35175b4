// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/item_level.hpp"

namespace pianola::compiler::host {

namespace {

llvm::Function* declare(llvm::Module& module, llvm::StringRef name, llvm::Type* result,
                        llvm::ArrayRef<llvm::Type*> parameters = {}) {
  auto* function = llvm::Function::Create(llvm::FunctionType::get(result, parameters, false),
                                          llvm::GlobalValue::ExternalLinkage, name, module);
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  function->addFnAttr(llvm::Attribute::Speculatable);
  return function;
}

}  // namespace

placeholders::placeholders(llvm::Module& module) {
  llvm::Type* i32 = llvm::Type::getInt32Ty(module.getContext());
  llvm::Type* i64 = llvm::Type::getInt64Ty(module.getContext());
  x = declare(module, "pianola.item.x", i32);
  y = declare(module, "pianola.item.y", i32);
  z = declare(module, "pianola.item.z", i32);
  linear = declare(module, "pianola.item.linear", i64);
  sub_group = declare(module, "pianola.sub_group", i32);
  storage = declare(module, "pianola.group_storage",
                    llvm::PointerType::getUnqual(module.getContext()), {i64, i32, i64});
}

placeholders::~placeholders() {
  for (llvm::Function* function : {x, y, z, linear, sub_group, storage})
    function->eraseFromParent();
}

bool placeholders::is_id(const llvm::Value* value) const {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(value);
  if (call == nullptr) return false;
  const llvm::Function* callee = call->getCalledFunction();
  return callee == x || callee == y || callee == z || callee == linear;
}

llvm::StringRef callee_name(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr) return {};
  const llvm::Function* callee = call->getCalledFunction();
  return callee != nullptr ? callee->getName() : llvm::StringRef();
}

bool is_vote(const llvm::Instruction& instruction) {
  const llvm::StringRef name = callee_name(instruction);
  return name == differ_question || name == sub_groups_question || name == first_question;
}

bool is_group_barrier(const llvm::Instruction& instruction) {
  return callee_name(instruction) == "__pianola_group_barrier" || is_vote(instruction);
}

bool is_sub_group_barrier(const llvm::Instruction& instruction) {
  const llvm::StringRef name = callee_name(instruction);
  return name == "__pianola_sub_group_barrier" || name == "__pianola_sub_group_barrier_among";
}

bool is_shuffle(const llvm::Instruction& instruction) {
  const llvm::StringRef name = callee_name(instruction);
  return name == "__pianola_shuffle_32" || name == "__pianola_shuffle_64" ||
         name == "__pianola_shuffle_32_among";
}

bool is_of_part_of_sub_group(const llvm::Instruction& instruction) {
  const llvm::StringRef name = callee_name(instruction);
  return name == "__pianola_sub_group_barrier_among" || name == "__pianola_shuffle_32_among";
}

bool is_ballot(const llvm::Instruction& instruction) {
  return callee_name(instruction) == "__pianola_ballot";
}

bool asks_who_is_here(const llvm::Instruction& instruction) {
  const llvm::StringRef name = callee_name(instruction);
  return name == "__pianola_lanes_here" || name == "__pianola_items_here" ||
         name == "__pianola_source_here";
}

bool is_choice_of_apart(const llvm::Instruction& instruction) {
  return callee_name(instruction) == "__pianola_if_apart";
}

bool is_convergent_intrinsic(const llvm::Instruction& instruction) {
  return is_group_barrier(instruction) || is_sub_group_barrier(instruction) ||
         is_shuffle(instruction) || is_ballot(instruction);
}

}  // namespace pianola::compiler::host
