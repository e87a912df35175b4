// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/group_objects.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include <algorithm>

namespace pianola::compiler {

namespace {

// Null if it asks for no object.
llvm::CallBase* group_object_call(llvm::Instruction& instruction) {
  auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr || call->getCalledFunction() == nullptr) return nullptr;
  return call->getCalledFunction()->getName() == "__pianola_group_object" ? call : nullptr;
}

}  // namespace

bool read_objects_of_blocks(llvm::Function& function) {
  bool found = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* call = llvm::dyn_cast_or_null<llvm::CallInst>(group_object_call(instruction));
    if (call == nullptr) continue;
    llvm::Value* variable = call->getArgOperand(group_object_key)->stripPointerCasts();
    if (!llvm::isa<llvm::AllocaInst>(variable)) continue;
    llvm::IRBuilder<> at(call);
    call->replaceAllUsesWith(at.CreateLoad(call->getType(), variable));
    call->eraseFromParent();
    found = true;
  }
  return found;
}

bool is_known_group_object(const llvm::CallBase& call) {
  return std::all_of(call.arg_begin(), call.arg_end(), [](const llvm::Use& argument) {
    return argument->getType()->isPointerTy() ? llvm::isa<llvm::Constant>(argument)
                                              : llvm::isa<llvm::ConstantInt>(argument);
  });
}

std::uint64_t group_object_number(const llvm::CallBase& call, group_object_argument argument) {
  return llvm::cast<llvm::ConstantInt>(call.getArgOperand(argument))->getZExtValue();
}

std::optional<unsigned> group_object_table::index_of(const llvm::CallBase& call) {
  if (!is_known_group_object(call)) return std::nullopt;
  const identity wanted{call.getArgOperand(group_object_key)->stripPointerCasts(),
                        call.getArgOperand(group_object_file)->stripPointerCasts(),
                        group_object_number(call, group_object_place),
                        group_object_number(call, group_object_bytes),
                        group_object_number(call, group_object_alignment)};
  const auto found = std::find(objects_.begin(), objects_.end(), wanted);
  if (found == objects_.end()) {
    objects_.push_back(wanted);
    return static_cast<unsigned>(objects_.size() - 1);
  }
  return static_cast<unsigned>(found - objects_.begin());
}

void number_group_objects(llvm::Module& device) {
  if (device.getFunction("__pianola_group_object") == nullptr) return;
  group_object_table objects;
  std::vector<llvm::GlobalVariable*> names;
  for (llvm::Function& function : device)
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      llvm::CallBase* const call = group_object_call(instruction);
      if (call == nullptr) continue;
      const std::optional<unsigned> index = objects.index_of(*call);
      if (!index) continue;
      for (const unsigned argument : {group_object_key, group_object_file}) {
        llvm::Value* name = call->getArgOperand(argument);
        if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(name->stripPointerCasts()))
          names.push_back(variable);
        call->setArgOperand(argument,
                            llvm::Constant::getNullValue(call->getArgOperand(argument)->getType()));
      }
      call->setArgOperand(
          group_object_place,
          llvm::ConstantInt::get(call->getArgOperand(group_object_place)->getType(), *index));
    }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (llvm::GlobalVariable* variable : names) {
    variable->removeDeadConstantUsers();
    if (variable->use_empty()) variable->eraseFromParent();
  }
}

}  // namespace pianola::compiler
