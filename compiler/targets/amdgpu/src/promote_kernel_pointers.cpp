// SPDX-License-Identifier: Apache-2.0
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/AMDGPUAddrSpace.h>

#include "steps.hpp"

namespace pianola::compiler::amdgpu {

namespace {

/// Through global memory and back, which address-space inference follows.
void promote(llvm::Instruction& pointer) {
  llvm::IRBuilder<> builder(pointer.getNextNode());
  llvm::Value* global = builder.CreateAddrSpaceCast(
      &pointer, builder.getPtrTy(llvm::AMDGPUAS::GLOBAL_ADDRESS), pointer.getName() + ".global");
  llvm::Value* generic = builder.CreateAddrSpaceCast(global, pointer.getType());
  pointer.replaceUsesWithIf(generic, [&](const llvm::Use& use) { return use.getUser() != global; });
}

void promote_pointers_in(llvm::Argument& object) {
  llvm::SmallVector<llvm::Value*, 16> places{&object};
  llvm::SmallVector<llvm::Instruction*, 16> pointers;
  llvm::SmallPtrSet<llvm::Value*, 16> seen;
  while (!places.empty()) {
    for (llvm::User* user : places.pop_back_val()->users()) {
      if (!seen.insert(user).second) continue;
      if (llvm::isa<llvm::GEPOperator, llvm::AddrSpaceCastOperator>(user)) {
        places.push_back(user);
      } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
        if (load->getType() == llvm::PointerType::get(load->getContext(), 0)) {
          pointers.push_back(load);
        } else if (load->getType()->isIntegerTy(64)) {
          for (llvm::User* cast : load->users())
            if (auto* pointer = llvm::dyn_cast<llvm::IntToPtrInst>(cast);
                pointer != nullptr && pointer->getAddressSpace() == 0)
              pointers.push_back(pointer);
        }
      }
    }
  }
  for (llvm::Instruction* pointer : pointers) promote(*pointer);
}

}  // namespace

void promote_kernel_pointers(llvm::Module& module) {
  for (llvm::Function& function : module)
    if (function.getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL)
      promote_pointers_in(*function.getArg(0));
}

}  // namespace pianola::compiler::amdgpu
