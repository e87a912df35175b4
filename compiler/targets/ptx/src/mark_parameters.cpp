// SPDX-License-Identifier: Apache-2.0
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "steps.hpp"

namespace pianola::compiler::ptx {

namespace {

constexpr unsigned global_memory_space = 1;

bool is_entry(const llvm::Function& function) {
  return !function.isDeclaration() && function.getCallingConv() == llvm::CallingConv::PTX_Kernel;
}

// Whether nothing is stored through the pointer and it goes nowhere that could keep it.
bool is_only_read(const llvm::Value& pointer) {
  llvm::SmallVector<const llvm::Value*, 16> work{&pointer};
  llvm::SmallPtrSet<const llvm::Value*, 16> seen;
  while (!work.empty()) {
    const llvm::Value* value = work.pop_back_val();
    if (!seen.insert(value).second) continue;
    for (const llvm::Use& use : value->uses()) {
      const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      if (llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst, llvm::PHINode,
                    llvm::SelectInst>(user)) {
        work.push_back(user);
        continue;
      }
      if (llvm::isa<llvm::LoadInst>(user) && !user->isAtomic() && !user->isVolatile()) continue;
      if (llvm::isa<llvm::ICmpInst>(user) || user->isLifetimeStartOrEnd() ||
          llvm::isa<llvm::AssumeInst>(user))
        continue;
      if (const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(user))
        if (use.getOperandNo() == 1 && !copy->isVolatile()) continue;
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(user))
        if (call->isArgOperand(&use)) {
          const unsigned index = call->getArgOperandNo(&use);
          if (call->onlyReadsMemory(index) && call->doesNotCapture(index)) continue;
        }
      return false;
    }
  }
  return true;
}

// A kernel that only reads a parameter reads it where it is; the code generator copies others to the stack.
void mark_read_only(llvm::Argument& parameter) {
  if (!is_only_read(parameter)) return;
  parameter.addAttr(llvm::Attribute::ReadOnly);
  parameter.addAttr(llvm::Attribute::NoAlias);
  parameter.addAttr(llvm::Attribute::NoCapture);
}

// "grid_constant": a list of parameters, counted from 1.
void annotate(llvm::Function& entry) {
  llvm::LLVMContext& context = entry.getContext();
  const auto number = [&](unsigned value) {
    return llvm::ConstantAsMetadata::get(
        llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value));
  };
  llvm::SmallVector<llvm::Metadata*, 2> constant;
  for (const llvm::Argument& parameter : entry.args())
    if (parameter.hasAttribute(llvm::Attribute::ReadOnly))
      constant.push_back(number(parameter.getArgNo() + 1));
  llvm::NamedMDNode* annotations = entry.getParent()->getOrInsertNamedMetadata("nvvm.annotations");
  llvm::SmallVector<llvm::MDNode*, 4> kept;
  for (llvm::MDNode* node : annotations->operands()) {
    const auto* of = llvm::mdconst::dyn_extract_or_null<llvm::Function>(node->getOperand(0));
    const auto* key = llvm::dyn_cast<llvm::MDString>(node->getOperand(1));
    if (of != &entry || key == nullptr || key->getString() != "grid_constant") kept.push_back(node);
  }
  annotations->clearOperands();
  for (llvm::MDNode* node : kept) annotations->addOperand(node);
  if (!constant.empty())
    annotations->addOperand(llvm::MDNode::get(
        context,
        {llvm::ConstantAsMetadata::get(&entry), llvm::MDString::get(context, "grid_constant"),
         llvm::MDNode::get(context, constant)}));
}

// The host puts no address into a parameter but those of global memory: work-group local and private memory
// have none before the kernel runs.
void mark_global(llvm::Function& entry) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(entry))) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load == nullptr || !load->getType()->isPointerTy() ||
        load->getType()->getPointerAddressSpace() != 0)
      continue;
    const auto* parameter =
        llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(load->getPointerOperand()));
    // What a kernel stored into its own copy of a parameter may be any pointer.
    if (parameter == nullptr || !parameter->hasByValAttr() ||
        !parameter->hasAttribute(llvm::Attribute::ReadOnly))
      continue;
    const bool marked = load->hasOneUse() && llvm::isa<llvm::AddrSpaceCastInst>(load->user_back());
    if (marked || load->use_empty()) continue;
    llvm::IRBuilder<> ir(load->getNextNode());
    llvm::Value* global = ir.CreateAddrSpaceCast(load, ir.getPtrTy(global_memory_space));
    auto* generic = llvm::cast<llvm::Instruction>(llvm::CastInst::Create(
        llvm::Instruction::AddrSpaceCast, global, load->getType(), "", ir.GetInsertPoint()));
    load->replaceUsesWithIf(generic, [&](const llvm::Use& use) { return use.getUser() != global; });
  }
}

}  // namespace

void mark_parameters(llvm::Module& module) {
  for (llvm::Function& entry : module) {
    if (!is_entry(entry)) continue;
    for (llvm::Argument& parameter : entry.args()) mark_read_only(parameter);
    annotate(entry);
    mark_global(entry);
  }
}

}  // namespace pianola::compiler::ptx
