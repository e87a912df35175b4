// SPDX-License-Identifier: Apache-2.0
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/AMDGPUAddrSpace.h>
#include <llvm/Support/MathExtras.h>

#include <pianola/abi/amdgpu.h>
#include <pianola/abi/launch.h>

#include "pianola/compiler/diagnose.hpp"
#include "pianola/compiler/reaching_kernel.hpp"
#include "steps.hpp"

namespace pianola::compiler::amdgpu {

namespace {

using llvm::Attribute;

constexpr std::uint64_t argument_limit = PIANOLA_AMDGPU_ARGUMENT_BYTES;
constexpr std::uint64_t hidden_bytes = PIANOLA_AMDGPU_HIDDEN_BYTES;

void describe_argument(llvm::Function& entry, unsigned index, llvm::Type* type, llvm::Align align,
                       std::uint64_t bytes, const char* name) {
  llvm::LLVMContext& context = entry.getContext();
  entry.getArg(index)->setName(name);
  llvm::AttrBuilder attributes(context);
  attributes.addByRefAttr(type);
  attributes.addAlignmentAttr(align);
  attributes.addDereferenceableAttr(bytes);
  attributes.addAttribute(Attribute::NoAlias);
  attributes.addAttribute(Attribute::NoUndef);
  attributes.addAttribute(Attribute::ReadOnly);
  entry.addParamAttrs(index, attributes);
}

void add_entry_point(llvm::Module& module, const kernel& kernel) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = llvm::PointerType::get(context, llvm::AMDGPUAS::CONSTANT_ADDRESS);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, pointer}, false);
  auto* entry =
      llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, kernel.symbol, module);
  entry->setCallingConv(llvm::CallingConv::AMDGPU_KERNEL);
  entry->setVisibility(llvm::GlobalValue::ProtectedVisibility);
  entry->setDoesNotThrow();
  entry->setDoesNotRecurse();
  entry->setConvergent();
  entry->addFnAttr(kernel_name_attribute, kernel.name);
  // Executors choose groups of up to 1024 work-items, and all groups of a launch have one size.
  entry->addFnAttr("amdgpu-flat-work-group-size", "1,1024");
  entry->addFnAttr("uniform-work-group-size", "true");

  llvm::Type* byte = llvm::Type::getInt8Ty(context);
  describe_argument(*entry, 0, llvm::ArrayType::get(byte, kernel.argument_bytes),
                    llvm::Align(kernel.argument_alignment), kernel.argument_bytes,
                    "function_object");
  describe_argument(*entry, 1,
                    llvm::ArrayType::get(llvm::Type::getInt64Ty(context), kernel.launch_bytes / 8),
                    llvm::Align(alignof(pianola_launch)), kernel.launch_bytes, "launch");

  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", entry));
  llvm::SmallVector<llvm::Value*, 2> arguments;
  for (llvm::Argument& argument : entry->args())
    arguments.push_back(builder.CreateAddrSpaceCast(&argument, llvm::PointerType::get(context, 0)));
  kernel.body->removeFnAttr(Attribute::NoInline);
  kernel.body->addFnAttr(Attribute::AlwaysInline);
  builder.CreateCall(kernel.body, arguments);
  builder.CreateRetVoid();
  if (const Attribute unsafe = kernel.body->getFnAttribute("unsafe-fp-math"); unsafe.isValid())
    entry->addFnAttr("unsafe-fp-math", unsafe.getValueAsString());
}

}  // namespace

bool add_entry_points(llvm::Module& module, llvm::ArrayRef<kernel> kernels) {
  for (const kernel& kernel : kernels) {
    const std::uint64_t bytes = llvm::alignTo(kernel.argument_bytes, alignof(pianola_launch)) +
                                kernel.launch_bytes + hidden_bytes;
    if (bytes > argument_limit) {
      report_error(module.getContext(),
                   "kernel '" + kernel.name + "': the function object has " +
                       llvm::Twine(kernel.argument_bytes) + " bytes and AMDGPU kernels take " +
                       llvm::Twine(argument_limit - sizeof(pianola_launch) - hidden_bytes) +
                       "; capture a pointer or an accessor to the data instead of the data");
      return false;
    }
    add_entry_point(module, kernel);
  }
  return true;
}

}  // namespace pianola::compiler::amdgpu
