// SPDX-License-Identifier: Apache-2.0
#include "host/groups/prepare_body.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

#include "pianola/compiler/group_objects.hpp"

namespace pianola::compiler::host {

namespace {

// The C structs of pianola/abi/launch.h.
constexpr std::uint64_t launch_bytes = 48;
constexpr std::uint64_t group_bytes = 72;

constexpr std::uint64_t group_id_at = 0;
constexpr std::uint64_t group_count_at = 24;
constexpr std::uint64_t local_size_at = 48;
constexpr std::uint64_t local_memory_at = 64;

llvm::Function* copy_body(const kernel& k) {
  llvm::Function* body = k.body;
  llvm::LLVMContext& context = body->getContext();
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  auto* type =
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, pointer, pointer}, false);
  auto* copy = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage,
                                      body->getName() + ".work_group", *body->getParent());
  llvm::ValueToValueMapTy values;
  const char* names[] = {"kernel", "launch", "group"};
  for (unsigned i = 0; i < 3; ++i) copy->getArg(i)->setName(names[i]);
  for (unsigned i = 0; i < 2; ++i) values[body->getArg(i)] = copy->getArg(i);
  llvm::SmallVector<llvm::ReturnInst*, 4> returns;
  llvm::CloneFunctionInto(copy, body, values, llvm::CloneFunctionChangeType::LocalChangesOnly,
                          returns);
  for (const auto attribute : {llvm::Attribute::OptimizeNone, llvm::Attribute::NoInline,
                               llvm::Attribute::Memory, llvm::Attribute::Convergent})
    copy->removeFnAttr(attribute);
  copy->setComdat(nullptr);
  copy->setLinkage(llvm::GlobalValue::InternalLinkage);
  const auto describe = [&](unsigned index, std::uint64_t bytes, std::uint64_t alignment) {
    llvm::AttrBuilder known(context);
    known.addAttribute(llvm::Attribute::NonNull);
    known.addAttribute(llvm::Attribute::NoUndef);
    known.addDereferenceableAttr(bytes);
    known.addAlignmentAttr(alignment);
    copy->addParamAttrs(index, known);
  };
  describe(0, k.argument_bytes, k.argument_alignment);
  describe(1, launch_bytes, 8);
  describe(2, group_bytes, 8);
  for (const unsigned index : {1U, 2U}) {
    copy->addParamAttr(index, llvm::Attribute::NoAlias);
    copy->addParamAttr(index, llvm::Attribute::ReadOnly);
  }
  return copy;
}

void answer_constants(llvm::Function& function, unsigned sub_group_size, const placeholders& names,
                      unsigned& sites) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    const llvm::StringRef name = callee_name(instruction);
    if (!name.starts_with("__pianola_")) continue;
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call == nullptr) continue;
    llvm::IRBuilder<> at(call);
    llvm::Value* answer = nullptr;
    if (name == "__pianola_is_device") answer = at.getInt32(0);
    if (name == "__pianola_sub_group_size") answer = at.getInt32(sub_group_size);
    if (name == "__pianola_group_storage")
      answer = at.CreateCall(names.storage,
                             {call->getArgOperand(0), at.getInt32(sites++), at.getInt64(0)});
    if (answer == nullptr) continue;
    call->replaceAllUsesWith(answer);
    call->eraseFromParent();
  }
}

// Once what names them has become constants. Calls whose object is not known stay.
void answer_group_objects(llvm::Function& function, const placeholders& names, unsigned sites) {
  group_object_table objects;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (callee_name(instruction) != "__pianola_group_object") continue;
    auto* call = llvm::cast<llvm::CallBase>(&instruction);
    const std::optional<unsigned> index = objects.index_of(*call);
    if (!index) continue;
    llvm::IRBuilder<> at(call);
    call->replaceAllUsesWith(at.CreateCall(
        names.storage, {call->getArgOperand(group_object_bytes), at.getInt32(sites + *index),
                        call->getArgOperand(group_object_alignment)}));
    call->eraseFromParent();
  }
}

// Intrinsics do not throw, whatever the user's compiler thought.
void make_calls(llvm::Function& function) {
  llvm::SmallVector<llvm::InvokeInst*, 8> invokes;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&instruction);
        invoke != nullptr && callee_name(instruction).starts_with("__pianola_"))
      invokes.push_back(invoke);
  for (llvm::InvokeInst* invoke : invokes) llvm::changeToCall(invoke);
}

// Loads through a parameter that nobody writes through may move anywhere.
bool is_only_read(llvm::Value* pointer, llvm::SmallVectorImpl<llvm::LoadInst*>& loads,
                  llvm::SmallPtrSetImpl<llvm::Value*>& seen) {
  if (!seen.insert(pointer).second) return true;
  for (llvm::Use& use : pointer->uses()) {
    auto* user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
    if (user == nullptr) return false;
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      if (load->isSimple()) loads.push_back(load);
    } else if (llvm::isa<llvm::GetElementPtrInst, llvm::PHINode, llvm::SelectInst,
                         llvm::BitCastInst>(user)) {
      if (!is_only_read(user, loads, seen)) return false;
    } else if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(user)) {
      if (&use == &copy->getRawDestUse()) return false;
    } else if (auto* call = llvm::dyn_cast<llvm::CallBase>(user)) {
      if (!call->isArgOperand(&use)) return false;
      const unsigned index = call->getArgOperandNo(&use);
      if (!call->doesNotCapture(index) || !call->onlyReadsMemory(index)) return false;
    } else if (!llvm::isa<llvm::ICmpInst>(user)) {
      return false;
    }
  }
  return true;
}

void mark_invariant_loads(llvm::Function& function) {
  for (llvm::Argument& argument : function.args()) {
    llvm::SmallVector<llvm::LoadInst*, 16> loads;
    llvm::SmallPtrSet<llvm::Value*, 16> seen;
    if (!is_only_read(&argument, loads, seen)) continue;
    argument.addAttr(llvm::Attribute::NoAlias);
    argument.addAttr(llvm::Attribute::ReadOnly);
    // A pointer that may come from elsewhere, too, says nothing about that memory.
    for (llvm::LoadInst* load : loads)
      if (load->getPointerOperand()->stripInBoundsOffsets() == &argument)
        load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                          llvm::MDNode::get(function.getContext(), {}));
  }
}

bool has_inlinable_calls(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      if (llvm::Function* callee = call->getCalledFunction();
          callee != nullptr && !callee->isDeclaration() && callee != &function)
        return true;
  return false;
}

}  // namespace

llvm::Function* prepare_body(const kernel& k, unsigned sub_group_size, const placeholders& names,
                             llvm::FunctionAnalysisManager& analyses,
                             llvm::FunctionPassManager& simplify) {
  llvm::Function* function = copy_body(k);
  unsigned sites = 0;
  // The second time for calls through pointers that the first time made direct.
  for (int round = 0; round < 2; ++round) {
    if (!inline_callees(*function, k)) {
      function->eraseFromParent();
      return nullptr;
    }
    make_calls(*function);
    answer_constants(*function, sub_group_size, names, sites);
    analyses.invalidate(*function, llvm::PreservedAnalyses::none());
    analyses.invalidate(*function, simplify.run(*function, analyses));
    // What names them is seen once variables of single values are gone.
    if (read_objects_of_blocks(*function)) {
      analyses.invalidate(*function, llvm::PreservedAnalyses::none());
      analyses.invalidate(*function, simplify.run(*function, analyses));
    }
    if (!has_inlinable_calls(*function)) break;
  }
  answer_group_objects(*function, names, sites);
  mark_invariant_loads(*function);
  analyses.clear(*function, function->getName());
  return function;
}

item_level bind_group_values(llvm::Function& function, const kernel& k, const placeholders& names) {
  llvm::IRBuilder<> at(&*function.getEntryBlock().getFirstInsertionPt());
  llvm::LLVMContext& context = function.getContext();
  llvm::MDNode* nothing = llvm::MDNode::get(context, {});
  const auto field = [&](llvm::Type* type, std::uint64_t offset, const llvm::Twine& name) {
    llvm::LoadInst* load = at.CreateAlignedLoad(
        type, at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), function.getArg(2), offset),
        llvm::Align(type->isIntegerTy(32) ? 4 : 8), name);
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, nothing);
    load->setMetadata(llvm::LLVMContext::MD_noundef, nothing);
    return load;
  };
  item_level level;
  level.dimensions = k.dimensions;
  const unsigned first = 3 - k.dimensions;
  std::array<llvm::Value*, 3> group_id{}, group_count{};
  const char* axis[] = {"z", "y", "x"};
  llvm::MDBuilder metadata(context);
  for (unsigned d = 0; d < 3; ++d) {
    const llvm::StringRef name = axis[d];
    if (d < first) {
      level.size[d] = at.getInt32(1);
      group_id[d] = at.getInt64(0);
      group_count[d] = at.getInt64(1);
      continue;
    }
    llvm::LoadInst* size = field(at.getInt32Ty(), local_size_at + 4 * d, "size." + name);
    size->setMetadata(llvm::LLVMContext::MD_range,
                      metadata.createRange(llvm::APInt(32, 1), llvm::APInt(32, 0x7fffffff)));
    level.size[d] = size;
    group_id[d] = field(at.getInt64Ty(), group_id_at + 8 * d, "group_id." + name);
    group_count[d] = field(at.getInt64Ty(), group_count_at + 8 * d, "group_count." + name);
    llvm::Value* wide = at.CreateZExt(size, at.getInt64Ty());
    level.count = level.count == nullptr ? wide : at.CreateMul(level.count, wide, "", true, true);
  }
  llvm::Value* local_memory = field(at.getPtrTy(), local_memory_at, "local_memory");
  const std::array<llvm::Function*, 3> ids{names.z, names.y, names.x};
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    llvm::StringRef name = callee_name(instruction);
    if (!name.consume_front("__pianola_")) continue;
    llvm::Value* answer = nullptr;
    const auto d = static_cast<std::size_t>('z' - name.back());
    at.SetInsertPoint(&instruction);
    if (name.starts_with("local_id_"))
      answer = d < first ? at.getInt32(0) : static_cast<llvm::Value*>(at.CreateCall(ids[d]));
    if (name.starts_with("local_size_")) answer = level.size[d];
    if (name.starts_with("group_id_")) answer = group_id[d];
    if (name.starts_with("group_count_")) answer = group_count[d];
    if (name == "local_memory") answer = local_memory;
    if (answer == nullptr) continue;
    instruction.replaceAllUsesWith(answer);
    instruction.eraseFromParent();
  }
  return level;
}

}  // namespace pianola::compiler::host
