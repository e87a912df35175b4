// SPDX-License-Identifier: Apache-2.0
#include <llvm/IR/AttributeMask.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "pianola/compiler/device_module.hpp"
#include "steps.hpp"

namespace pianola::compiler::amdgpu {

namespace {

using llvm::Attribute;

// What is said of floating-point arithmetic stays, denormal modes excepted: the device's are IEEE's, at
// full speed, and code of different modes cannot be inlined into one another.
bool is_of_the_host(const Attribute& attribute) {
  if (attribute.isStringAttribute()) {
    const llvm::StringRef name = attribute.getKindAsString();
    return !name.ends_with("-fp-math") && name != "no-trapping-math" &&
           !name.starts_with("pianola");
  }
  switch (attribute.getKindAsEnum()) {
    case Attribute::OptimizeNone:
    case Attribute::OptimizeForSize:
    case Attribute::MinSize:
    case Attribute::UWTable:
    case Attribute::StackProtect:
    case Attribute::StackProtectReq:
    case Attribute::StackProtectStrong:
    case Attribute::SafeStack:
    case Attribute::ShadowCallStack:
    case Attribute::NoRedZone:
    case Attribute::NoImplicitFloat:
    case Attribute::NoCfCheck:
    case Attribute::NonLazyBind:
    case Attribute::SanitizeAddress:
    case Attribute::SanitizeThread:
    case Attribute::SanitizeMemory:
    case Attribute::SanitizeHWAddress:
    case Attribute::SanitizeMemTag:
      return true;
    default:
      return false;
  }
}

llvm::AttributeList device_attributes(llvm::LLVMContext& context,
                                      const llvm::AttributeList& attributes) {
  llvm::AttributeMask dropped;
  for (const Attribute& attribute : attributes.getFnAttrs()) {
    if (!is_of_the_host(attribute)) continue;
    if (attribute.isStringAttribute())
      dropped.addAttribute(attribute.getKindAsString());
    else
      dropped.addAttribute(attribute.getKindAsEnum());
  }
  return attributes.removeFnAttributes(context, dropped);
}

}  // namespace

void drop_host_traits(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  for (llvm::Function& function : module) {
    // Clang keeps everything from being inlined when it does not optimise; that is not the user's wish.
    if (function.hasFnAttribute(Attribute::OptimizeNone))
      function.removeFnAttr(Attribute::NoInline);
    function.setAttributes(device_attributes(context, function.getAttributes()));
    if (function.isIntrinsic()) continue;
    function.setCallingConv(llvm::CallingConv::C);
    function.setSection("");
    if (function.isDeclaration()) continue;
    function.setPersonalityFn(nullptr);
    function.setComdat(nullptr);
    function.setVisibility(llvm::GlobalValue::DefaultVisibility);
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    function.setDSOLocal(true);
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        call->setAttributes(device_attributes(context, call->getAttributes()));
        if (call->getIntrinsicID() == llvm::Intrinsic::not_intrinsic)
          call->setCallingConv(llvm::CallingConv::C);
      }
  }
  drop_host_traits_of_module(module);
}

}  // namespace pianola::compiler::amdgpu
