// SPDX-License-Identifier: Apache-2.0
#include "host/groups/group_memory.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Support/MathExtras.h>

namespace pianola::compiler::host {

namespace {

constexpr std::uint64_t most_stack_bytes = 64 * 1024;
constexpr std::uint64_t usual_items = 1024;
// pianola::model::host_local_memory_bytes.
constexpr std::uint64_t host_local_memory_bytes = 1 << 20;
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
  llvm::Value* taken = nullptr;

  void take(llvm::Value* memory) {
    taken = memory;
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
void place_on_stack(area& a, llvm::Instruction* work_items) {
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

// Areas of one size, one behind the other.
struct size_class {
  std::uint64_t element_bytes;
  unsigned items;
  llvm::Align alignment;
  std::vector<area*> members = {};

  bool holds(const area& a) const {
    return element_bytes == a.element_bytes && items == a.items && alignment == a.alignment;
  }
};

// Those that need more alignment come first: what is a multiple of theirs is one of the others'.
std::vector<size_class> find_classes(llvm::MutableArrayRef<area> areas) {
  std::vector<size_class> classes;
  for (area& a : areas) {
    auto found = llvm::find_if(classes, [&](const size_class& c) { return c.holds(a); });
    if (found == classes.end())
      found = classes.insert(found, {a.element_bytes, a.items, a.alignment});
    found->members.push_back(&a);
  }
  llvm::stable_sort(
      classes, [](const size_class& a, const size_class& b) { return a.alignment > b.alignment; });
  return classes;
}

// Places are sums of multiples of few sizes. Were each made of the one before and rounded, then the
// optimiser would look through all of them wherever it meets the last.
void place_in_frame(llvm::Function& function, llvm::MutableArrayRef<area> areas,
                    llvm::Instruction* work_items) {
  llvm::IRBuilder<> at(work_items->getNextNode());
  // The verifier wants a place for the call, and no line of the kernel's is it.
  if (llvm::DISubprogram* kernel = function.getSubprogram())
    at.SetCurrentDebugLocation(llvm::DILocation::get(function.getContext(), 0, 0, kernel));
  const std::vector<size_class> classes = find_classes(areas);
  llvm::Value* begin = at.getInt64(0);
  std::vector<std::pair<area*, llvm::Value*>> places;
  for (const size_class& c : classes) {
    llvm::Value* elements =
        c.items == 0 ? static_cast<llvm::Value*>(at.getInt64(1))
        : c.items == 1
            ? work_items
            : at.CreateUDiv(at.CreateAdd(work_items, at.getInt64(c.items - 1), "", true, true),
                            at.getInt64(c.items));
    llvm::Value* bytes = round_up(
        at, at.CreateMul(elements, at.getInt64(c.element_bytes), "", true, true), c.alignment);
    const auto behind = [&](std::uint64_t members) {
      return at.CreateAdd(begin, at.CreateMul(bytes, at.getInt64(members), "", true, true), "",
                          true, true);
    };
    for (std::size_t i = 0; i < c.members.size(); ++i) places.emplace_back(c.members[i], behind(i));
    begin = behind(c.members.size());
  }
  const llvm::Align most = classes.front().alignment;
  const std::uint64_t more = most.value() - usual_alignment.value();
  llvm::Value* bytes = at.CreateAdd(begin, at.getInt64(more));
  llvm::Value* frame = at.CreateCall(frame_function(*function.getParent()), bytes, "frame");
  if (more != 0)
    frame = at.CreateIntrinsic(llvm::Intrinsic::ptrmask, {at.getPtrTy(), at.getInt64Ty()},
                               {at.CreateInBoundsGEP(at.getInt8Ty(), frame, at.getInt64(more)),
                                at.getInt64(~(most.value() - 1))});
  for (const auto& [a, place] : places) a->take(at.CreateInBoundsGEP(at.getInt8Ty(), frame, place));
  function.removeFnAttr(llvm::Attribute::NoUnwind);
}

// Objects of the group lie among what belongs to its work-items; of the rest the runtime knows.
void answer_address_spaces(llvm::Function& function, llvm::ArrayRef<area> areas) {
  for (llvm::Instruction& question : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (callee_name(question) != "__pianola_address_space") continue;
    llvm::IRBuilder<> at(&question);
    llvm::Value* pointer = question.getOperand(0);
    llvm::FunctionCallee runtime = function.getParent()->getOrInsertFunction(
        "pianola_address_space_v1", at.getInt32Ty(), at.getPtrTy());
    llvm::CallInst* call = at.CreateCall(runtime, pointer);
    call->setDoesNotThrow();
    llvm::Value* space = call;
    for (const area& a : areas) {
      if (a.items != 0 || a.taken == nullptr) continue;
      llvm::Value* from_start = at.CreateSub(at.CreatePtrToInt(pointer, at.getInt64Ty()),
                                             at.CreatePtrToInt(a.taken, at.getInt64Ty()));
      space = at.CreateSelect(at.CreateICmpULT(from_start, at.getInt64(a.element_bytes)),
                              at.getInt32(1), space);
    }
    question.replaceAllUsesWith(space);
    question.eraseFromParent();
  }
}

// In front of everything else.
void refuse_objects(llvm::Function& function, std::uint64_t bytes) {
  llvm::IRBuilder<> at(&*function.getEntryBlock().begin());
  if (llvm::DISubprogram* kernel = function.getSubprogram())
    at.SetCurrentDebugLocation(llvm::DILocation::get(function.getContext(), 0, 0, kernel));
  at.CreateCall(function.getParent()->getOrInsertFunction("pianola_refuse_group_objects_v1",
                                                          at.getVoidTy(), at.getInt64Ty()),
                at.getInt64(bytes));
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
  std::vector<area> areas = find_areas(function, items_per_element, names);
  if (usual_bytes(areas) > most_stack_bytes)
    place_in_frame(function, areas, work_items);
  else
    for (area& a : areas) place_on_stack(a, work_items);
  answer_address_spaces(function, areas);
  std::uint64_t objects = 0;
  for (const area& a : areas)
    if (a.items == 0) objects += a.element_bytes;
  if (objects > host_local_memory_bytes) refuse_objects(function, objects);
}

}  // namespace pianola::compiler::host
