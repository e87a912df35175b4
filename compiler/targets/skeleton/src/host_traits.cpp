// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/host_traits.hpp"

#include <llvm/IR/AttributeMask.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Local.h>

#include "pianola/compiler/device_module.hpp"

namespace pianola::compiler {

namespace {

using llvm::Attribute;

bool is_of_the_host(Attribute::AttrKind kind) {
  switch (kind) {
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
                                      const llvm::AttributeList& attributes,
                                      llvm::function_ref<bool(llvm::StringRef)> keeps) {
  llvm::AttributeMask dropped;
  for (const Attribute& attribute : attributes.getFnAttrs())
    if (attribute.isStringAttribute()) {
      if (!keeps(attribute.getKindAsString())) dropped.addAttribute(attribute.getKindAsString());
    } else if (is_of_the_host(attribute.getKindAsEnum())) {
      dropped.addAttribute(attribute.getKindAsEnum());
    }
  return attributes.removeFnAttributes(context, dropped);
}

void drop_linkage_traits(llvm::GlobalObject& value) {
  value.setSection("");
  value.setComdat(nullptr);
  value.setDSOLocal(false);
  value.setVisibility(llvm::GlobalValue::DefaultVisibility);
}

void remove_exceptions(llvm::Function& function) {
  bool changed = false;
  for (llvm::BasicBlock& block : function)
    if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(block.getTerminator())) {
      llvm::changeToCall(invoke);
      changed = true;
    }
  if (changed) llvm::removeUnreachableBlocks(function);
  function.setPersonalityFn(nullptr);
}

}  // namespace

void drop_host_traits(llvm::Module& module, llvm::function_ref<bool(llvm::StringRef)> keeps) {
  llvm::LLVMContext& context = module.getContext();
  drop_host_traits_of_module(module);
  for (llvm::GlobalVariable& variable : module.globals()) drop_linkage_traits(variable);
  for (llvm::Function& function : module) {
    // Clang keeps everything from being inlined when it does not optimise; that is not the user's wish.
    if (function.hasFnAttribute(Attribute::OptimizeNone))
      function.removeFnAttr(Attribute::NoInline);
    function.setAttributes(device_attributes(context, function.getAttributes(), keeps));
    drop_linkage_traits(function);
    function.setGC("");
    if (function.isIntrinsic()) continue;
    function.setCallingConv(llvm::CallingConv::C);
    if (function.isDeclaration()) continue;
    remove_exceptions(function);
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr) continue;
      call->setAttributes(device_attributes(context, call->getAttributes(), keeps));
      if (!call->isInlineAsm() && !llvm::isa<llvm::IntrinsicInst>(call))
        call->setCallingConv(llvm::CallingConv::C);
    }
  }
}

}  // namespace pianola::compiler
