// SPDX-License-Identifier: Apache-2.0
#include "host/groups/part_items.hpp"

#include <map>

#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Utils/Local.h>

#include "host/groups/barrier_decisions.hpp"
#include "host/groups/resumable_item.hpp"

namespace pianola::compiler::host {

namespace {

// enum class sycl::memory_scope.
constexpr unsigned work_group_scope = 2;
// Sites of group memory that no call of the kernel has.
constexpr unsigned memory_site = 0x40000000, opinions_site = 0x40000001;

// Opinions about a branch, and about a switch.
constexpr unsigned branch_bytes = 1, switch_bytes = 8;

llvm::Value* opinion_of(llvm::Instruction* decision) {
  if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(decision)) return branch->getCondition();
  return llvm::cast<llvm::SwitchInst>(decision)->getCondition();
}

void set_opinion(llvm::Instruction* decision, llvm::Value* value) {
  if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(decision))
    branch->setCondition(value);
  else
    llvm::cast<llvm::SwitchInst>(decision)->setCondition(value);
}

class parting {
 public:
  parting(llvm::Function& function, const kernel& k, const item_level& level,
          unsigned sub_group_size, const placeholders& names)
      : function_(function),
        kernel_(k),
        level_(level),
        size_(sub_group_size),
        names_(names),
        module_(*function.getParent()) {}

  // All of the group are to agree about the first ones, those of one sub-group about the rest.
  void run(llvm::ArrayRef<llvm::Instruction*> decisions, std::size_t of_groups) {
    for (llvm::Instruction* decision : decisions)
      decision->getParent()->splitBasicBlock(decision->getIterator(), "decision");
    const llvm::DominatorTree dominators(function_);
    const resumable_item item = make_item(decisions, dominators);
    if (item.resume == nullptr) return;
    for (std::size_t i = 0; i < decisions.size(); ++i)
      ask(decisions[i], item, item.starts[i], i < of_groups);
    function_.removeFnAttr(llvm::Attribute::NoUnwind);
  }

  bool run_from_start() {
    at_start_ = true;
    llvm::BasicBlock* entry = &function_.getEntryBlock();
    // Private memory of every start is in the entry block.
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(*entry))
      if (const auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
          memory != nullptr && memory->isStaticAlloca())
        instruction.moveBefore(*entry, entry->begin());
    llvm::Instruction* first = llvm::cast<llvm::Instruction>(level_.count)->getNextNode();
    entry->splitBasicBlock(first->getIterator(), "start");
    const llvm::DominatorTree dominators(function_);
    const resumable_item item = make_item(first, dominators);
    if (item.resume == nullptr) return false;
    llvm::BasicBlock* apart = new_block("apart");
    entry->getTerminator()->eraseFromParent();
    llvm::BranchInst::Create(apart, entry);
    llvm::IRBuilder<> at(apart);
    if (llvm::DISubprogram* subprogram = function_.getSubprogram())
      at.SetCurrentDebugLocation(
          llvm::DILocation::get(function_.getContext(), subprogram->getLine(), 0, subprogram));
    run_apart(at, first, item, item.starts.front());
    llvm::removeUnreachableBlocks(function_);
    function_.removeFnAttr(llvm::Attribute::NoUnwind);
    return true;
  }

 private:
  resumable_item make_item(llvm::ArrayRef<llvm::Instruction*> starts,
                           const llvm::DominatorTree& dominators) {
    share_storage();
    dominators_ = &dominators;
    resumable_item item = make_resumable(function_, kernel_, level_, size_, starts, names_);
    if (item.resume == nullptr) return item;
    llvm::IRBuilder<> at(llvm::cast<llvm::Instruction>(level_.count)->getNextNode());
    constexpr unsigned pointer_bytes = 8, pointer_alignment = 8;
    memory_ = at.CreateCall(names_.storage, {at.getInt64(pointer_bytes), at.getInt32(memory_site),
                                             at.getInt64(pointer_alignment)});
    return item;
  }

  // Memory of the group is there from the start, wherever it is asked for.
  void share_storage() {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function_)))
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
          call != nullptr && call->getCalledFunction() == names_.storage)
        call->moveBefore(&*function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  }

  llvm::BasicBlock* new_block(const char* name) {
    return llvm::BasicBlock::Create(function_.getContext(), name, &function_);
  }

  // A place for what each work-item thinks.
  llvm::Value* opinions(unsigned width) {
    llvm::Value*& found = opinions_[width];
    if (found == nullptr) {
      llvm::IRBuilder<> at(llvm::cast<llvm::Instruction>(memory_));
      found = at.CreateCall(
          names_.storage, {at.getInt64(width), at.getInt32(opinions_site + width), at.getInt64(0)});
    }
    return found;
  }

  void wait(llvm::IRBuilder<>& at) {
    at.CreateCall(
        module_.getOrInsertFunction("__pianola_group_barrier", at.getVoidTy(), at.getInt32Ty()),
        at.getInt32(work_group_scope));
  }

  // Leaves `at` in a block behind, which all come to. `work` is done by the first work-item.
  void by_the_first(llvm::IRBuilder<>& at, llvm::function_ref<void(llvm::IRBuilder<>&)> work) {
    llvm::BasicBlock* behind = new_block("behind");
    const std::array<llvm::Function*, 3> ids{names_.z, names_.y, names_.x};
    for (unsigned d = 3 - level_.dimensions; d < 3; ++d) {
      llvm::BasicBlock* inside = new_block("first");
      at.CreateCondBr(at.CreateICmpEQ(at.CreateCall(ids[d]), at.getInt32(0)), inside, behind);
      at.SetInsertPoint(inside);
    }
    work(at);
    at.CreateBr(behind);
    at.SetInsertPoint(behind);
  }

  llvm::Value* linear_id(llvm::IRBuilder<>& at) {
    const std::array<llvm::Function*, 3> ids{names_.z, names_.y, names_.x};
    llvm::Value* linear = nullptr;
    for (unsigned d = 3 - level_.dimensions; d < 3; ++d) {
      llvm::Value* id = at.CreateZExt(at.CreateCall(ids[d]), at.getInt64Ty());
      linear = linear == nullptr
                   ? id
                   : at.CreateAdd(
                         at.CreateMul(linear, at.CreateZExt(level_.size[d], at.getInt64Ty())), id);
    }
    return linear;
  }

  void ask(llvm::Instruction* decision, const resumable_item& item, std::uint32_t start,
           bool of_group) {
    llvm::BasicBlock* agreed = decision->getParent();
    llvm::BasicBlock* before = agreed->getSinglePredecessor();
    llvm::IRBuilder<> at(before->getTerminator());
    at.SetCurrentDebugLocation(decision->getDebugLoc());
    llvm::Type* type = opinion_of(decision)->getType();
    const unsigned width = llvm::isa<llvm::BranchInst>(decision) ? branch_bytes : switch_bytes;
    llvm::Type* wide = at.getIntNTy(width * 8);
    llvm::Value* memory = opinions(width);
    at.CreateStore(at.CreateZExtOrTrunc(opinion_of(decision), wide),
                   at.CreateInBoundsGEP(wide, memory, linear_id(at)));
    const auto ask_all = [&](llvm::StringRef name, llvm::Type* answer, unsigned number) {
      llvm::FunctionCallee question = module_.getOrInsertFunction(name, answer, at.getInt32Ty(),
                                                                  at.getPtrTy(), at.getInt64Ty());
      return at.CreateCall(question, {at.getInt32(number), memory, level_.count});
    };
    llvm::Value* differ = of_group
                              ? ask_all(differ_question, at.getInt1Ty(), width)
                              : ask_all(sub_groups_question, at.getInt1Ty(), width | size_ << 8);
    llvm::BasicBlock* apart = new_block("apart");
    at.CreateCondBr(differ, apart, agreed,
                    llvm::MDBuilder(function_.getContext()).createUnlikelyBranchWeights());
    before->getTerminator()->eraseFromParent();
    at.SetInsertPoint(apart);
    run_apart(at, decision, item, start);
    if (!of_group) return;
    at.SetInsertPoint(decision);
    set_opinion(decision,
                at.CreateZExtOrTrunc(ask_all(first_question, at.getInt64Ty(), width), type));
  }

  void run_apart(llvm::IRBuilder<>& at, llvm::Instruction* decision, const resumable_item& item,
                 std::uint32_t start) {
    llvm::Value* bytes = at.getInt64(item.bytes);
    by_the_first(at, [&](llvm::IRBuilder<>& b) {
      llvm::Value* memory =
          b.CreateCall(module_.getOrInsertFunction("pianola_memory_apart_v1", b.getPtrTy(),
                                                   b.getPtrTy(), b.getInt64Ty(), b.getInt64Ty()),
                       {place_of(b, decision), level_.count, bytes});
      b.CreateStore(memory, memory_);
    });
    wait(at);
    llvm::Value* memory = at.CreateLoad(at.getPtrTy(), memory_);
    llvm::Value* linear = linear_id(at);
    llvm::Value* own =
        at.CreateInBoundsGEP(at.getInt8Ty(), memory, at.CreateMul(linear, bytes, "", true, true));
    const auto keep = [&](llvm::Value* value, std::uint64_t distance) {
      at.CreateStore(value, at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), own, distance));
    };
    keep(at.getInt32(start), 0);
    const auto which = llvm::find(item.starts, start) - item.starts.begin();
    for (const resumable_item::content& c : item.contents)
      if (c.is_needed(static_cast<std::size_t>(which)) && is_known(c.value, decision))
        keep(c.value, c.distance);
    // Behind what all of them keep.
    if (item.slots_at != resumable_item::no_slots)
      keep(at.CreateInBoundsGEP(at.getInt8Ty(), memory, at.CreateMul(level_.count, bytes)),
           item.slots_at);
    wait(at);
    by_the_first(at, [&](llvm::IRBuilder<>& b) {
      llvm::Type* pointer = b.getPtrTy();
      llvm::FunctionCallee run = module_.getOrInsertFunction(
          "pianola_run_apart_v1", b.getVoidTy(), pointer, b.getInt64Ty(), b.getInt64Ty(),
          b.getInt32Ty(), pointer, pointer, pointer, pointer);
      llvm::CallInst* call =
          b.CreateCall(run, {item.resume, level_.count, bytes, b.getInt32(size_), memory,
                             function_.getArg(0), function_.getArg(1), function_.getArg(2)});
      // As for everybody else: nobody writes them.
      for (unsigned i = 5; i < 8; ++i) {
        call->addParamAttr(i, llvm::Attribute::NoCapture);
        call->addParamAttr(i, llvm::Attribute::ReadOnly);
      }
    });
    at.CreateRetVoid();
  }

  // Values that another start needs are not there at this one.
  [[nodiscard]] bool is_known(llvm::Instruction* value, llvm::Instruction* decision) const {
    return dominators_->dominates(value, decision);
  }

  // "file.cpp:12 of kernel 'name'"; null: nobody decides.
  llvm::Constant* place_of(llvm::IRBuilder<>& at, const llvm::Instruction* decision) {
    if (at_start_) return llvm::ConstantPointerNull::get(at.getPtrTy());
    std::string text;
    if (const llvm::DILocation* place = decision->getDebugLoc())
      text = (place->getFilename() + ":" + llvm::Twine(place->getLine()) + " of ").str();
    return at.CreateGlobalStringPtr(text + "kernel '" + kernel_.name + "'");
  }

  llvm::Function& function_;
  const kernel& kernel_;
  const item_level& level_;
  unsigned size_;
  const placeholders& names_;
  llvm::Module& module_;
  bool at_start_ = false;
  llvm::Value* memory_ = nullptr;
  std::map<unsigned, llvm::Value*> opinions_;
  // Of the function as it was; what is added changes nothing between old blocks.
  const llvm::DominatorTree* dominators_ = nullptr;
};

}  // namespace

void part_items(llvm::Function& function, const kernel& k, const item_level& level,
                unsigned sub_group_size, llvm::ArrayRef<llvm::Instruction*> of_sub_groups,
                const placeholders& names) {
  std::vector<llvm::Instruction*> decisions = unproven_decisions(function, names, is_group_barrier);
  warn_of_decision_by_place(k, decisions, names);
  const std::size_t of_groups = decisions.size();
  decisions.insert(decisions.end(), of_sub_groups.begin(), of_sub_groups.end());
  if (decisions.empty()) return;
  parting(function, k, level, sub_group_size, names).run(decisions, of_groups);
}

bool part_items_at_start(llvm::Function& function, const kernel& k, const item_level& level,
                         unsigned sub_group_size, const placeholders& names) {
  return parting(function, k, level, sub_group_size, names).run_from_start();
}

void forget_who_is_here(llvm::Function& function) {
  llvm::SmallVector<llvm::WeakVH, 16> choices, questions;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (is_choice_of_apart(instruction)) choices.emplace_back(&instruction);
    if (asks_who_is_here(instruction)) questions.emplace_back(&instruction);
  }
  // Simplified at once: what follows looks at the form of computations.
  for (const llvm::WeakVH& handle : choices) {
    auto* choice = llvm::dyn_cast_or_null<llvm::CallInst>(handle);
    if (choice == nullptr || !is_choice_of_apart(*choice)) continue;
    llvm::WeakTrackingVH apart(choice->getArgOperand(0));
    llvm::replaceAndRecursivelySimplify(choice, choice->getArgOperand(1));
    if (handle != nullptr) llvm::RecursivelyDeleteTriviallyDeadInstructions(handle);
    if (apart != nullptr) llvm::RecursivelyDeleteTriviallyDeadInstructions(apart);
  }
  for (const llvm::WeakVH& handle : questions) {
    auto* question = llvm::dyn_cast_or_null<llvm::CallInst>(handle);
    if (question == nullptr || !asks_who_is_here(*question)) continue;
    question->replaceAllUsesWith(llvm::Constant::getNullValue(question->getType()));
    question->eraseFromParent();
  }
}

void answer_votes(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (!is_vote(instruction)) continue;
    auto& question = llvm::cast<llvm::CallInst>(instruction);
    llvm::IRBuilder<> at(&question);
    const std::uint64_t number =
        llvm::cast<llvm::ConstantInt>(question.getArgOperand(0))->getZExtValue();
    const std::uint64_t width = number & 0xff, sub_group_size = number >> 8;
    llvm::Value* memory = question.getArgOperand(1);
    llvm::Value* answer = nullptr;
    if (callee_name(question) == sub_groups_question) {
      llvm::FunctionCallee compare = function.getParent()->getOrInsertFunction(
          "pianola_sub_groups_differ_v1", at.getInt32Ty(), at.getPtrTy(), at.getInt64Ty(),
          at.getInt32Ty(), at.getInt32Ty());
      llvm::CallInst* call = at.CreateCall(
          compare, {memory, question.getArgOperand(2), at.getInt32(static_cast<unsigned>(width)),
                    at.getInt32(static_cast<unsigned>(sub_group_size))});
      call->setDoesNotThrow();
      answer = at.CreateIsNotNull(call);
    } else if (callee_name(question) == differ_question) {
      // They all agree if each agrees with its neighbour.
      llvm::FunctionCallee compare = function.getParent()->getOrInsertFunction(
          "memcmp", at.getInt32Ty(), at.getPtrTy(), at.getPtrTy(), at.getInt64Ty());
      answer = at.CreateIsNotNull(at.CreateCall(
          compare, {memory, at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), memory, width),
                    at.CreateMul(at.CreateSub(question.getArgOperand(2), at.getInt64(1)),
                                 at.getInt64(width))}));
    } else {
      answer = at.CreateZExt(at.CreateLoad(at.getIntNTy(static_cast<unsigned>(width) * 8), memory),
                             at.getInt64Ty());
    }
    question.replaceAllUsesWith(answer);
    question.eraseFromParent();
  }
}

}  // namespace pianola::compiler::host
