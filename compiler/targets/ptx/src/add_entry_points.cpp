// SPDX-License-Identifier: Apache-2.0
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>

#include <pianola/abi/launch.h>

#include "pianola/compiler/device_variables.hpp"
#include "pianola/compiler/diagnose.hpp"
#include "pianola/compiler/reaching_kernel.hpp"
#include "steps.hpp"

namespace pianola::compiler::ptx {

namespace {

// Of all parameters together; what sm_70 and later take with CUDA 12.1 and later.
constexpr std::uint64_t most_parameter_bytes = 32764;

void mark_as_kernel(llvm::Function& entry) {
  llvm::LLVMContext& context = entry.getContext();
  llvm::IRBuilder<> ir(context);
  const auto number = [&](unsigned value) {
    return llvm::ConstantAsMetadata::get(ir.getInt32(value));
  };
  llvm::NamedMDNode* annotations = entry.getParent()->getOrInsertNamedMetadata("nvvm.annotations");
  annotations->addOperand(llvm::MDNode::get(
      context,
      {llvm::ConstantAsMetadata::get(&entry), llvm::MDString::get(context, "kernel"), number(1)}));
}

// So that what is inlined into the entry point keeps its lines.
void give_lines(llvm::Function& entry, const kernel& k, const llvm::Function& body,
                llvm::CallInst& call) {
  const llvm::DISubprogram* from = body.getSubprogram();
  if (from == nullptr) return;
  llvm::LLVMContext& context = entry.getContext();
  auto* own = llvm::DISubprogram::getDistinct(
      context, from->getFile(), k.name, k.symbol, from->getFile(), from->getLine(), from->getType(),
      from->getScopeLine(), nullptr, 0, 0, llvm::DINode::FlagArtificial, from->getSPFlags(),
      from->getUnit());
  entry.setSubprogram(own);
  call.setDebugLoc(llvm::DILocation::get(context, from->getLine(), 0, own));
}

void build(llvm::Module& module, const kernel& k, llvm::Function& body) {
  llvm::LLVMContext& context = module.getContext();
  llvm::IRBuilder<> ir(context);
  auto* pointer = ir.getPtrTy();
  auto* entry =
      llvm::Function::Create(llvm::FunctionType::get(ir.getVoidTy(), {pointer, pointer}, false),
                             llvm::GlobalValue::ExternalLinkage, k.symbol, module);
  entry->setCallingConv(llvm::CallingConv::PTX_Kernel);
  entry->addFnAttr(kernel_name_attribute, k.name);
  entry->setDoesNotThrow();
  entry->addFnAttr(llvm::Attribute::Convergent);
  entry->addFnAttr(llvm::Attribute::MustProgress);
  const auto by_value = [&](unsigned index, std::uint64_t bytes, std::uint64_t alignment) {
    // Elements as wide as can be: a kernel's own copy is made element by element.
    const std::uint64_t width = bytes % 8 == 0 && alignment >= 8   ? 8
                                : bytes % 4 == 0 && alignment >= 4 ? 4
                                                                   : 1;
    auto* type =
        llvm::ArrayType::get(ir.getIntNTy(static_cast<unsigned>(8 * width)), bytes / width);
    llvm::AttrBuilder attributes(context);
    attributes.addByValAttr(type);
    attributes.addAlignmentAttr(llvm::Align(alignment));
    attributes.addAttribute(llvm::Attribute::NoUndef);
    entry->addParamAttrs(index, attributes);
  };
  by_value(0, std::max<std::uint64_t>(k.argument_bytes, 1),
           std::max<std::uint64_t>(k.argument_alignment, 1));
  by_value(1, k.launch_bytes, alignof(pianola_launch));
  entry->getArg(0)->setName("kernel");
  entry->getArg(1)->setName("launch");
  mark_as_kernel(*entry);

  ir.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", entry));
  llvm::CallInst* call = ir.CreateCall(&body, {entry->getArg(0), entry->getArg(1)});
  give_lines(*entry, k, body, *call);
  call->addFnAttr(llvm::Attribute::Convergent);
  ir.CreateRetVoid();
  body.removeFnAttr(llvm::Attribute::NoInline);
  body.addFnAttr(llvm::Attribute::AlwaysInline);
}

void internalise(llvm::Module& module) {
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) function.setLinkage(llvm::GlobalValue::InternalLinkage);
  for (llvm::GlobalVariable& variable : module.globals())
    if (!variable.isDeclaration() && !is_device_pointer(variable))
      variable.setLinkage(llvm::GlobalValue::InternalLinkage);
  for (llvm::GlobalAlias& alias : llvm::make_early_inc_range(module.aliases())) {
    alias.replaceAllUsesWith(alias.getAliasee());
    alias.eraseFromParent();
  }
}

}  // namespace

std::uint64_t parameter_bytes(const kernel& of) {
  const std::uint64_t functor = std::max<std::uint64_t>(of.argument_bytes, 1);
  return llvm::alignTo(functor, alignof(pianola_launch)) + of.launch_bytes;
}

bool add_entry_points(llvm::Module& module, llvm::ArrayRef<kernel> kernels) {
  internalise(module);
  bool fits = true;
  for (const kernel& k : kernels) {
    if (parameter_bytes(k) > most_parameter_bytes) {
      report_error(module.getContext(),
                   "kernel '" + k.name + "': the function object takes " +
                       llvm::Twine(k.argument_bytes) + " bytes; CUDA devices accept " +
                       llvm::Twine(most_parameter_bytes - sizeof(pianola_launch)) +
                       " at most; capture a pointer or an accessor instead of the data");
      fits = false;
      continue;
    }
    build(module, k, *module.getFunction(k.body->getName()));
  }
  return fits;
}

}  // namespace pianola::compiler::ptx
