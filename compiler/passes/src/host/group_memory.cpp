// SPDX-License-Identifier: Apache-2.0
#include "group_memory.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Support/MathExtras.h>

namespace pianola::compiler::host {

namespace {

constexpr std::uint64_t most_stack_bytes = 64 * 1024;
constexpr std::uint64_t usual_items = 1024;
// Of the frame, and of all areas in it that do not need more.
constexpr llvm::Align usual_alignment = llvm::Align::Constant<64>();

struct area {
  llvm::Instruction* owner;
  std::uint64_t element_bytes;
  // Work-items that share an element; 0: all of them.
  unsigned items;
  llvm::Align alignment;
  // Other requests for the same.
  std::vector<llvm::Instruction*> twins = {};

  void take(llvm::Value* memory) const {
    for (llvm::Instruction* request : twins) {
      request->replaceAllUsesWith(memory);
      request->eraseFromParent();
    }
    memory->takeName(owner);
    owner->replaceAllUsesWith(memory);
    owner->eraseFromParent();
  }
};

bool is_storage(const llvm::Instruction& instruction, const placeholders& names) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call != nullptr && call->getCalledFunction() == names.storage;
}

llvm::FunctionCallee frame_function(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::FunctionCallee frame = module.getOrInsertFunction("pianola_work_group_frame_v1",
                                                          llvm::PointerType::getUnqual(context),
                                                          llvm::Type::getInt64Ty(context));
  auto* function = llvm::cast<llvm::Function>(frame.getCallee());
  function->addRetAttr(llvm::Attribute::NoAlias);
  function->addRetAttr(llvm::Attribute::NonNull);
  function->addRetAttr(llvm::Attribute::getWithAlignment(context, usual_alignment));
  return frame;
}

std::vector<area> find_areas(llvm::Function& function, unsigned items_per_element,
                             const placeholders& names) {
  const llvm::DataLayout& layout = function.getDataLayout();
  std::vector<area> areas;
  std::map<std::uint64_t, std::size_t> objects;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
        memory != nullptr && memory->hasMetadata(shared_memory)) {
      memory->setMetadata(shared_memory, nullptr);
      areas.push_back({memory, layout.getTypeAllocSize(memory->getAllocatedType()).getFixedValue(),
                       items_per_element, std::max(memory->getAlign(), usual_alignment)});
    }
    if (is_storage(instruction, names)) {
      const auto* bytes = llvm::cast<llvm::ConstantInt>(instruction.getOperand(0));
      const std::uint64_t alignment =
          llvm::cast<llvm::ConstantInt>(instruction.getOperand(2))->getZExtValue();
      if (alignment != 0) {
        const auto* site = llvm::cast<llvm::ConstantInt>(instruction.getOperand(1));
        const auto [known, fresh] = objects.try_emplace(site->getZExtValue(), areas.size());
        if (!fresh) {
          areas[known->second].twins.push_back(&instruction);
          continue;
        }
      }
      areas.push_back(
          {&instruction, bytes->getZExtValue(), alignment == 0 ? 1U : 0U,
           std::max(llvm::Align(std::max<std::uint64_t>(alignment, 1)), usual_alignment)});
    }
  }
  return areas;
}

std::uint64_t usual_bytes(llvm::ArrayRef<area> areas) {
  std::uint64_t bytes = 0;
  for (const area& a : areas)
    bytes = llvm::SaturatingMultiplyAdd(
        a.items == 0 ? std::uint64_t{1} : llvm::divideCeil(usual_items, a.items), a.element_bytes,
        bytes);
  return bytes;
}

// Arrays are on the stack already. Storage must not be taken again in every round of a loop.
void place_on_stack(const area& a, llvm::Instruction* work_items) {
  if (llvm::isa<llvm::AllocaInst>(a.owner)) return;
  llvm::IRBuilder<> at(work_items->getNextNode());
  llvm::Value* elements = a.items == 0 ? static_cast<llvm::Value*>(at.getInt64(1)) : work_items;
  llvm::AllocaInst* memory = at.CreateAlloca(
      at.getInt8Ty(), at.CreateMul(elements, at.getInt64(a.element_bytes), "", true, true));
  memory->setAlignment(a.alignment);
  a.take(memory);
}

llvm::Value* round_up(llvm::IRBuilder<>& at, llvm::Value* bytes, llvm::Align alignment) {
  const std::uint64_t mask = alignment.value() - 1;
  return at.CreateAnd(at.CreateAdd(bytes, at.getInt64(mask), "", true, true), at.getInt64(~mask));
}

void place_in_frame(llvm::Function& function, llvm::ArrayRef<area> areas,
                    llvm::Instruction* work_items) {
  llvm::IRBuilder<> at(work_items->getNextNode());
  // The verifier wants a place for the call, and no line of the kernel's is it.
  if (llvm::DISubprogram* kernel = function.getSubprogram())
    at.SetCurrentDebugLocation(llvm::DILocation::get(function.getContext(), 0, 0, kernel));
  llvm::Align most = usual_alignment;
  llvm::Value* offset = at.getInt64(0);
  std::vector<llvm::Value*> places;
  for (const area& a : areas) {
    most = std::max(most, a.alignment);
    offset = round_up(at, offset, a.alignment);
    places.push_back(offset);
    llvm::Value* elements =
        a.items == 0 ? static_cast<llvm::Value*>(at.getInt64(1))
        : a.items == 1
            ? work_items
            : at.CreateUDiv(at.CreateAdd(work_items, at.getInt64(a.items - 1), "", true, true),
                            at.getInt64(a.items));
    offset =
        at.CreateAdd(offset, at.CreateMul(elements, at.getInt64(a.element_bytes), "", true, true),
                     "", true, true);
  }
  const std::uint64_t more = most.value() - usual_alignment.value();
  llvm::Value* bytes = at.CreateAdd(round_up(at, offset, usual_alignment), at.getInt64(more));
  llvm::Value* frame = at.CreateCall(frame_function(*function.getParent()), bytes, "frame");
  if (more != 0)
    frame = at.CreateIntrinsic(llvm::Intrinsic::ptrmask, {at.getPtrTy(), at.getInt64Ty()},
                               {at.CreateInBoundsGEP(at.getInt8Ty(), frame, at.getInt64(more)),
                                at.getInt64(~(most.value() - 1))});
  for (std::size_t i = 0; i < areas.size(); ++i) {
    llvm::Value* place = at.CreateInBoundsGEP(at.getInt8Ty(), frame, places[i]);
    areas[i].take(place);
  }
  function.removeFnAttr(llvm::Attribute::NoUnwind);
}

}  // namespace

const llvm::Instruction* storage_of_unknown_size(const llvm::Function& function,
                                                 const placeholders& names) {
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    if (is_storage(instruction, names) && !llvm::isa<llvm::ConstantInt>(instruction.getOperand(0)))
      return &instruction;
  return nullptr;
}

const llvm::Instruction* unknown_group_object(const llvm::Function& function) {
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    if (callee_name(instruction) == "__pianola_group_object") return &instruction;
  return nullptr;
}

void place_group_memory(llvm::Function& function, llvm::Instruction* work_items,
                        unsigned items_per_element, const placeholders& names) {
  const std::vector<area> areas = find_areas(function, items_per_element, names);
  if (areas.empty()) return;
  if (usual_bytes(areas) > most_stack_bytes)
    place_in_frame(function, areas, work_items);
  else
    for (const area& a : areas) place_on_stack(a, work_items);
}

}  // namespace pianola::compiler::host
