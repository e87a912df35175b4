// SPDX-License-Identifier: Apache-2.0
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>

#include "pianola/compiler/lower_work_groups.hpp"

namespace pianola::compiler {

namespace {

llvm::FunctionCallee complaint(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::FunctionCallee callee = module.getOrInsertFunction("pianola_intrinsic_outside_kernel_v1",
                                                           llvm::Type::getVoidTy(context),
                                                           llvm::PointerType::getUnqual(context));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotReturn();
  function->addFnAttr(llvm::Attribute::Cold);
  return callee;
}

}  // namespace

void resolve_leftover_intrinsics(llvm::Module& module) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (!function.isDeclaration() || !function.getName().starts_with("__pianola_")) continue;
    const bool is_device = function.getName() == "__pianola_is_device";
    if (!is_device && function.use_empty()) continue;
    if (is_device) {
      for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
        auto* call = llvm::dyn_cast<llvm::CallBase>(user);
        if (call == nullptr) continue;
        if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(call))
          call = llvm::changeToCall(invoke);
        call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), 0));
        call->eraseFromParent();
      }
    }
    if (function.getName() == "__pianola_address_space") {
      // Kernels without groups, and the host.
      function.replaceAllUsesWith(
          module.getOrInsertFunction("pianola_address_space_v1", function.getFunctionType())
              .getCallee());
      for (llvm::User* user : module.getFunction("pianola_address_space_v1")->users())
        if (auto* call = llvm::dyn_cast<llvm::CallBase>(user)) call->setAttributes({});
      continue;
    }
    if (function.use_empty()) continue;
    // A definition says the same however it is reached; it takes the place of the declaration.
    auto* stub =
        llvm::Function::Create(function.getFunctionType(), llvm::GlobalValue::InternalLinkage,
                               function.getName() + ".outside", module);
    llvm::IRBuilder<> at(llvm::BasicBlock::Create(module.getContext(), "", stub));
    at.CreateCall(complaint(module), at.CreateGlobalStringPtr(function.getName()));
    at.CreateUnreachable();
    // The declaration's promises (no exceptions, no side effects) do not hold for it.
    for (llvm::User* user : function.users())
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(user);
          call != nullptr && call->getCalledFunction() == &function)
        call->setAttributes({});
    function.replaceAllUsesWith(stub);
  }
}

}  // namespace pianola::compiler
