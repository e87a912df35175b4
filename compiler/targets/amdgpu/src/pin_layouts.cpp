// SPDX-License-Identifier: Apache-2.0
#include <llvm/Analysis/Utils/Local.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "pianola/compiler/diagnose.hpp"
#include "pianola/compiler/reaching_kernel.hpp"
#include "steps.hpp"

namespace pianola::compiler::amdgpu {

namespace {

bool differs(llvm::Type* type, const llvm::DataLayout& host, const llvm::DataLayout& device) {
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type))
    return differs(array->getElementType(), host, device);
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
    return host.getTypeAllocSize(vector) != device.getTypeAllocSize(vector);
  auto* structure = llvm::dyn_cast<llvm::StructType>(type);
  if (structure == nullptr || !structure->isSized()) return false;
  const llvm::StructLayout* there = device.getStructLayout(structure);
  const llvm::StructLayout* here = host.getStructLayout(structure);
  if (here->getSizeInBytes() != there->getSizeInBytes()) return true;
  for (unsigned i = 0; i < structure->getNumElements(); ++i)
    if (here->getElementOffset(i) != there->getElementOffset(i) ||
        differs(structure->getElementType(i), host, device))
      return true;
  return false;
}

}  // namespace

bool pin_layouts(llvm::Module& module, const llvm::DataLayout& device) {
  const llvm::DataLayout& host = module.getDataLayout();
  bool good = true;
  const auto refuse = [&](const llvm::Twine& where, const llvm::Twine& what) {
    report_error(module.getContext(), where + ": " + what +
                                          " with 128-bit integers inside is not supported on "
                                          "AMDGPU; use two 64-bit integers");
    good = false;
  };
  for (const llvm::GlobalVariable& variable : module.globals())
    if (variable.getValueType()->isSized() && differs(variable.getValueType(), host, device))
      refuse("constant '" + variable.getName() + "'", "a structure");
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
        if (!differs(address->getSourceElementType(), host, device)) continue;
        llvm::IRBuilder<> builder(address);
        llvm::Value* bytes = llvm::emitGEPOffset(&builder, host, address);
        llvm::Value* pinned =
            address->isInBounds()
                ? builder.CreateInBoundsPtrAdd(address->getPointerOperand(), bytes)
                : builder.CreatePtrAdd(address->getPointerOperand(), bytes);
        pinned->takeName(address);
        address->replaceAllUsesWith(pinned);
        address->eraseFromParent();
      } else if (auto* object = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
        if (!differs(object->getAllocatedType(), host, device)) continue;
        object->setAllocatedType(llvm::ArrayType::get(
            llvm::Type::getInt8Ty(module.getContext()),
            host.getTypeAllocSize(object->getAllocatedType()).getFixedValue()));
      } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        if (differs(load->getType(), host, device))
          refuse(kernel_reaching(function), "a whole structure" + location_of(instruction));
      } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        if (differs(store->getValueOperand()->getType(), host, device))
          refuse(kernel_reaching(function), "a whole structure" + location_of(instruction));
      }
    }
  return good;
}

}  // namespace pianola::compiler::amdgpu
