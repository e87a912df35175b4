// SPDX-License-Identifier: Apache-2.0
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "steps.hpp"

namespace pianola::compiler::amdgpu {

namespace {

using llvm::Attribute;

/// The callee may change its parameter: it gets a copy on the caller's stack.
void copy_argument(llvm::CallBase& call, unsigned index) {
  const llvm::DataLayout& layout = call.getModule()->getDataLayout();
  llvm::Type* type = call.getParamByValType(index);
  if (type == nullptr) type = call.getCalledFunction()->getParamByValType(index);
  llvm::BasicBlock& entry = call.getFunction()->getEntryBlock();
  llvm::IRBuilder<> builder(&entry, entry.getFirstInsertionPt());
  llvm::AllocaInst* copy = builder.CreateAlloca(type, layout.getAllocaAddrSpace());
  copy->setAlignment(
      std::max(call.getParamAlign(index).valueOrOne(), layout.getPrefTypeAlign(type)));
  builder.SetInsertPoint(&call);
  builder.CreateMemCpy(copy, copy->getAlign(), call.getArgOperand(index),
                       call.getParamAlign(index).valueOrOne(), layout.getTypeAllocSize(type));
  call.setArgOperand(index, copy);
}

template <class Callee>
void drop_conventions(Callee& callee, unsigned index) {
  for (const Attribute::AttrKind kind :
       {Attribute::ByVal, Attribute::StructRet, Attribute::InAlloca, Attribute::Preallocated,
        Attribute::InReg, Attribute::Nest})
    callee.removeParamAttr(index, kind);
}

}  // namespace

void lower_parameters(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr || llvm::isa<llvm::IntrinsicInst>(call)) continue;
      for (unsigned i = 0; i < call->arg_size(); ++i) {
        if (call->isByValArgument(i)) copy_argument(*call, i);
        drop_conventions(*call, i);
      }
      // The callee may now see the caller's stack.
      if (auto* plain = llvm::dyn_cast<llvm::CallInst>(call))
        plain->setTailCallKind(llvm::CallInst::TCK_None);
    }
  for (llvm::Function& function : module)
    if (!function.isIntrinsic())
      for (unsigned i = 0; i < function.arg_size(); ++i) drop_conventions(function, i);
}

}  // namespace pianola::compiler::amdgpu
