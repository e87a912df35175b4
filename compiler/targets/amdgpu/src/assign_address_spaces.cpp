// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/AMDGPUAddrSpace.h>

#include "pianola/compiler/device_variables.hpp"
#include "pianola/compiler/diagnose.hpp"
#include "pianola/compiler/reaching_kernel.hpp"
#include "steps.hpp"

namespace pianola::compiler::amdgpu {

namespace {

void move_variable(llvm::GlobalVariable& variable) {
  const unsigned space =
      variable.isConstant() ? llvm::AMDGPUAS::CONSTANT_ADDRESS : llvm::AMDGPUAS::GLOBAL_ADDRESS;
  auto* moved = new llvm::GlobalVariable(
      *variable.getParent(), variable.getValueType(), variable.isConstant(),
      variable.isDeclaration() || is_device_pointer(variable) ? llvm::GlobalValue::ExternalLinkage
                                                              : llvm::GlobalValue::InternalLinkage,
      nullptr, "", &variable, llvm::GlobalValue::NotThreadLocal, space);
  moved->takeName(&variable);
  moved->setAttributes(variable.getAttributes());
  moved->setExternallyInitialized(variable.isExternallyInitialized());
  // Seen from outside, and taken for nobody else's.
  if (is_device_pointer(variable)) moved->setVisibility(llvm::GlobalValue::ProtectedVisibility);
  moved->setAlignment(variable.getAlign());
  moved->setUnnamedAddr(variable.getUnnamedAddr());
  if (variable.hasInitializer()) {
    moved->setInitializer(variable.getInitializer());
    variable.setInitializer(nullptr);
  }
  variable.replaceAllUsesWith(llvm::ConstantExpr::getAddrSpaceCast(moved, variable.getType()));
  variable.eraseFromParent();
}

/// Lifetimes name the object itself, everything else a generic pointer to it.
void move_stack_object(llvm::AllocaInst& object) {
  llvm::IRBuilder<> builder(&object);
  llvm::AllocaInst* moved = builder.CreateAlloca(
      object.getAllocatedType(), llvm::AMDGPUAS::PRIVATE_ADDRESS, object.getArraySize());
  moved->setAlignment(object.getAlign());
  moved->takeName(&object);
  for (llvm::User* user : llvm::make_early_inc_range(object.users())) {
    auto* lifetime = llvm::dyn_cast<llvm::LifetimeIntrinsic>(user);
    if (lifetime == nullptr) continue;
    builder.SetInsertPoint(lifetime);
    auto* size = llvm::cast<llvm::ConstantInt>(lifetime->getArgOperand(0));
    if (lifetime->getIntrinsicID() == llvm::Intrinsic::lifetime_start)
      builder.CreateLifetimeStart(moved, size);
    else
      builder.CreateLifetimeEnd(moved, size);
    lifetime->eraseFromParent();
  }
  builder.SetInsertPoint(&object);
  object.replaceAllUsesWith(
      builder.CreateAddrSpaceCast(moved, object.getType(), moved->getName() + ".generic"));
  object.eraseFromParent();
}

}  // namespace

bool assign_address_spaces(llvm::Module& module) {
  bool good = true;
  for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module.globals())) {
    if (variable.getAddressSpace() != llvm::AMDGPUAS::FLAT_ADDRESS) continue;
    variable.removeDeadConstantUsers();
    if (variable.use_empty()) {
      variable.eraseFromParent();
      continue;
    }
    if (variable.isThreadLocal()) {
      report_error(module.getContext(),
                   "device code uses the thread-local variable '" + variable.getName() + "'");
      good = false;
      continue;
    }
    move_variable(variable);
  }
  std::vector<llvm::AllocaInst*> objects;
  std::vector<llvm::IntrinsicInst*> dropped;
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (auto* object = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
        if (llvm::isa<llvm::ConstantInt>(object->getArraySize())) {
          objects.push_back(object);
          continue;
        }
        report_error(module.getContext(),
                     kernel_reaching(function) +
                         ": arrays whose length is not a constant are not supported on AMDGPU" +
                         location_of(instruction));
        good = false;
      } else if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
        // Objects of constant size need no saved stack pointer, and no instruction prefetches.
        const llvm::Intrinsic::ID id = intrinsic->getIntrinsicID();
        if (id == llvm::Intrinsic::stackrestore || id == llvm::Intrinsic::stacksave ||
            id == llvm::Intrinsic::prefetch)
          dropped.push_back(intrinsic);
      }
    }
  if (!good) return false;
  for (llvm::IntrinsicInst* intrinsic : dropped) {
    if (!intrinsic->use_empty())
      intrinsic->replaceAllUsesWith(llvm::PoisonValue::get(intrinsic->getType()));
    intrinsic->eraseFromParent();
  }
  for (llvm::AllocaInst* object : objects) move_stack_object(*object);
  return good;
}

}  // namespace pianola::compiler::amdgpu
