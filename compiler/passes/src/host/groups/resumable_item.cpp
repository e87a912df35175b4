// SPDX-License-Identifier: Apache-2.0
#include "host/groups/resumable_item.hpp"

#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

#include "host/analysis/liveness.hpp"
#include "host/groups/prepare_body.hpp"
#include "host/regions/lower_items.hpp"

namespace pianola::compiler::host {

namespace {

// enum class sycl::memory_scope.
constexpr std::uint64_t device_scope = 3;

class maker {
 public:
  maker(llvm::Function& function, const kernel& k, const item_level& level, unsigned size,
        const placeholders& names)
      : function_(function), kernel_(k), level_(level), size_(size), names_(names) {}

  resumable_item make(llvm::ArrayRef<llvm::Instruction*> decisions) {
    copy();
    answer_ids();
    keep_addresses();
    // Everything that can be computed from the parameters is computed at every start.
    llvm::BasicBlock* begin = entry_->splitBasicBlock(entry_->getTerminator(), "begin");
    hoist_to_entry(*resume_, names_);
    tell_who_is_here();
    lower_sub_group_functions();
    for (llvm::Instruction* decision : decisions) {
      auto* block = llvm::cast<llvm::BasicBlock>(map_.lookup(decision->getParent()));
      result_.starts.push_back(add_place(block));
    }
    split_waits();
    keep_values();
    end_at_returns();
    choose_start(begin);
    llvm::removeUnreachableBlocks(*resume_);
    result_.resume = resume_;
    result_.bytes = llvm::alignTo(bytes_, llvm::Align(64));
    return std::move(result_);
  }

 private:
  struct wait {
    llvm::CallInst* call;
    std::uint32_t place;
  };

  void copy() {
    llvm::LLVMContext& context = function_.getContext();
    llvm::Type* pointer = llvm::PointerType::getUnqual(context);
    llvm::Type* i32 = llvm::Type::getInt32Ty(context);
    auto* type = llvm::FunctionType::get(
        i32, {pointer, pointer, pointer, pointer, i32, llvm::Type::getInt64Ty(context)}, false);
    resume_ =
        llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage,
                               kernel_.body->getName() + ".work_item", *function_.getParent());
    const char* names[] = {"kernel", "launch", "group", "own", "place", "linear_id"};
    for (unsigned i = 0; i < 6; ++i) resume_->getArg(i)->setName(names[i]);
    for (unsigned i = 0; i < 3; ++i) map_[function_.getArg(i)] = resume_->getArg(i);
    llvm::SmallVector<llvm::ReturnInst*, 4> returns;
    llvm::CloneFunctionInto(resume_, &function_, map_,
                            llvm::CloneFunctionChangeType::LocalChangesOnly, returns);
    resume_->setLinkage(llvm::GlobalValue::InternalLinkage);
    // In front of what was the entry.
    llvm::BasicBlock* old = &resume_->getEntryBlock();
    entry_ = llvm::BasicBlock::Create(context, "entry", resume_, old);
    llvm::BranchInst::Create(old, entry_);
  }

  void answer_ids() {
    const auto here = [&](llvm::Value* value) {
      const auto found = map_.find(value);
      return found == map_.end() ? value : static_cast<llvm::Value*>(found->second);
    };
    llvm::Instruction* where = entry_->getTerminator();
    std::array<llvm::Value*, 3> size{};
    for (unsigned d = 0; d < 3; ++d) {
      size[d] = here(level_.size[d]);
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(size[d])) {
        llvm::cast<llvm::Instruction>(load->getPointerOperand())->moveBefore(where);
        load->moveBefore(where);
      }
    }
    llvm::IRBuilder<> at(where);
    count_ = at.getInt64(1);
    for (llvm::Value* extent : size)
      count_ = at.CreateMul(count_, at.CreateZExt(extent, at.getInt64Ty()), "", true, true);
    llvm::Value* linear = at.CreateTrunc(resume_->getArg(5), at.getInt32Ty());
    llvm::Value* row = at.CreateUDiv(linear, size[2]);
    const std::array<llvm::Value*, 3> ids{at.CreateUDiv(row, size[1]), at.CreateURem(row, size[1]),
                                          at.CreateURem(linear, size[2])};
    const std::array<llvm::Function*, 3> functions{names_.z, names_.y, names_.x};
    for (unsigned d = 0; d < 3; ++d)
      for (llvm::User* user : llvm::make_early_inc_range(functions[d]->users())) {
        auto* call = llvm::cast<llvm::CallInst>(user);
        if (call->getFunction() != resume_) continue;
        call->replaceAllUsesWith(ids[d]);
        call->eraseFromParent();
      }
  }

  std::uint64_t reserve(llvm::Type* type) {
    const llvm::DataLayout& layout = resume_->getDataLayout();
    const llvm::Align alignment = layout.getABITypeAlign(type);
    bytes_ = llvm::alignTo(bytes_, alignment);
    const std::uint64_t at = bytes_;
    bytes_ += layout.getTypeAllocSize(type);
    return at;
  }

  llvm::Value* own_place(std::uint64_t at) {
    llvm::IRBuilder<> b(entry_->getTerminator());
    return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), resume_->getArg(3), at);
  }

  // Private memory is that of the function this one was made of, and so is that of the group.
  void keep_addresses() {
    for (llvm::Instruction& original : llvm::instructions(function_)) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&original);
      const bool storage = call != nullptr && call->getCalledFunction() == names_.storage;
      if (!storage && !llvm::isa<llvm::AllocaInst>(original)) continue;
      auto* copy = llvm::cast<llvm::Instruction>(map_.lookup(&original));
      for (llvm::User* user : llvm::make_early_inc_range(copy->users()))
        if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(user);
            intrinsic != nullptr && intrinsic->isLifetimeStartOrEnd())
          intrinsic->eraseFromParent();
      if (!copy->use_empty()) {
        const std::uint64_t at = reserve(copy->getType());
        llvm::IRBuilder<> b(entry_->getTerminator());
        copy->replaceAllUsesWith(b.CreateLoad(copy->getType(), own_place(at)));
        result_.contents.push_back({&original, at, {}});
      }
      copy->eraseFromParent();
    }
  }

  llvm::Value* slots() {
    if (slots_ == nullptr) {
      llvm::IRBuilder<> b(entry_->getTerminator());
      result_.slots_at = reserve(b.getPtrTy());
      slots_ = b.CreateLoad(b.getPtrTy(), own_place(result_.slots_at), "slots");
    }
    return slots_;
  }

  llvm::Value* slot(llvm::IRBuilder<>& at, llvm::Value* linear) {
    return at.CreateInBoundsGEP(at.getInt64Ty(), slots(), linear);
  }

  void wait_for_sub_group(llvm::IRBuilder<>& at) { wait_at("__pianola_sub_group_barrier", at); }
  void wait_for_group(llvm::IRBuilder<>& at) { wait_at("__pianola_group_barrier", at); }
  void wait_at(const char* barrier, llvm::IRBuilder<>& at) {
    at.CreateCall(
        resume_->getParent()->getOrInsertFunction(barrier, at.getVoidTy(), at.getInt32Ty()),
        at.getInt32(0));
  }

  // Those who are here have a mark in their slots from the first wait to the second.
  void tell_who_is_here() {
    llvm::SmallVector<llvm::CallInst*, 8> questions, choices;
    for (llvm::Instruction& instruction : llvm::instructions(resume_)) {
      if (asks_who_is_here(instruction))
        questions.push_back(llvm::cast<llvm::CallInst>(&instruction));
      if (is_choice_of_apart(instruction))
        choices.push_back(llvm::cast<llvm::CallInst>(&instruction));
    }
    for (llvm::CallInst* question : questions) {
      llvm::IRBuilder<> at(question);
      llvm::Value* answer = nullptr;
      if (callee_name(*question) == "__pianola_lanes_here") {
        answer = at.CreateCall(resume_->getParent()->getOrInsertFunction(
                                   "__pianola_ballot", at.getInt64Ty(), at.getInt32Ty()),
                               at.getInt32(1));
      } else {
        llvm::Value* item = resume_->getArg(5);
        at.CreateStore(at.getInt64(1), slot(at, item));
        wait_for_group(at);
        const bool is_count = callee_name(*question) == "__pianola_items_here";
        llvm::FunctionCallee helper = resume_->getParent()->getOrInsertFunction(
            is_count ? "pianola_items_here_v1" : "pianola_source_here_v1", question->getType(),
            at.getPtrTy(), at.getInt64Ty(), at.getInt64Ty());
        if (!is_count) item = at.CreateZExt(question->getArgOperand(0), at.getInt64Ty());
        llvm::CallInst* call = at.CreateCall(helper, {slots(), count_, item});
        call->setDoesNotThrow();
        answer = call;
        wait_for_group(at);
        at.CreateStore(at.getInt64(0), slot(at, resume_->getArg(5)));
      }
      question->replaceAllUsesWith(answer);
      question->eraseFromParent();
    }
    for (llvm::CallInst* choice : choices) {
      choice->replaceAllUsesWith(choice->getArgOperand(0));
      choice->eraseFromParent();
    }
  }

  llvm::Value* first_of_sub_group(llvm::IRBuilder<>& at) {
    return at.CreateAnd(resume_->getArg(5), at.getInt64(~std::uint64_t{size_ - 1}));
  }

  // What each tells the others lies in its slot from the first wait to the second. Slots of those that are elsewhere
  // hold 0.
  void lower_sub_group_functions() {
    llvm::SmallVector<llvm::CallInst*, 8> calls;
    for (llvm::Instruction& instruction : llvm::instructions(resume_)) {
      if (callee_name(instruction) == "__pianola_refuse_small_sub_group" ||
          is_shuffle(instruction) || is_ballot(instruction))
        calls.push_back(llvm::cast<llvm::CallInst>(&instruction));
    }
    for (llvm::CallInst* call : calls) {
      llvm::IRBuilder<> at(call);
      if (is_shuffle(*call)) {
        at.CreateStore(at.CreateZExt(call->getArgOperand(0), at.getInt64Ty()),
                       slot(at, resume_->getArg(5)));
        wait_for_sub_group(at);
        llvm::Value* lane = at.CreateAnd(at.CreateZExt(call->getArgOperand(1), at.getInt64Ty()),
                                         at.getInt64(size_ - 1));
        llvm::Value* got = at.CreateTrunc(
            at.CreateLoad(at.getInt64Ty(), slot(at, at.CreateOr(first_of_sub_group(at), lane))),
            call->getType());
        wait_for_sub_group(at);
        at.CreateStore(at.getInt64(0), slot(at, resume_->getArg(5)));
        call->replaceAllUsesWith(got);
      } else if (is_ballot(*call)) {
        at.CreateStore(at.CreateZExt(at.CreateIsNotNull(call->getArgOperand(0)), at.getInt64Ty()),
                       slot(at, resume_->getArg(5)));
        wait_for_sub_group(at);
        llvm::Value* bits = at.getInt64(0);
        llvm::Value* first = first_of_sub_group(at);
        for (unsigned lane = 0; lane < size_; ++lane)
          bits = at.CreateOr(
              bits, at.CreateShl(at.CreateLoad(at.getInt64Ty(),
                                               slot(at, at.CreateOr(first, at.getInt64(lane)))),
                                 lane));
        wait_for_sub_group(at);
        at.CreateStore(at.getInt64(0), slot(at, resume_->getArg(5)));
        call->replaceAllUsesWith(bits);
      }
      call->eraseFromParent();
    }
  }

  std::uint32_t add_place(llvm::BasicBlock* block) {
    places_.push_back(block);
    return static_cast<std::uint32_t>(places_.size());
  }

  void split_waits() {
    for (llvm::Instruction& instruction : llvm::instructions(resume_))
      if (is_group_barrier(instruction) || is_sub_group_barrier(instruction))
        waits_.push_back({llvm::cast<llvm::CallInst>(&instruction), 0});
    for (wait& w : waits_)
      w.place = add_place(
          w.call->getParent()->splitBasicBlock(std::next(w.call->getIterator()), "go_on"));
  }

  // Values that are needed behind a wait live in memory.
  void keep_values() {
    llvm::DenseMap<llvm::Value*, llvm::Instruction*> originals;
    for (llvm::Instruction& original : llvm::instructions(function_))
      if (const auto copy = map_.find(&original); copy != map_.end() && copy->second != nullptr)
        originals[copy->second] = &original;
    struct kept_value {
      llvm::Instruction* value;
      llvm::BitVector needed;  // at starts
    };
    std::vector<kept_value> kept;
    {
      const liveness live(*resume_,
                          [](llvm::Instruction*, llvm::function_ref<void(llvm::Instruction*)>) {});
      for (llvm::Instruction* value : live.values())
        if (llvm::any_of(places_,
                         [&](llvm::BasicBlock* place) { return live.at_start(place, value); })) {
          llvm::BitVector needed(static_cast<unsigned>(result_.starts.size()));
          for (unsigned i = 0; i < needed.size(); ++i)
            if (live.at_start(places_[i], value)) needed.set(i);
          kept.push_back({value, std::move(needed)});
        }
    }
    for (const auto& [value, needed] : kept) {
      const std::uint64_t at = reserve(value->getType());
      if (const auto found = originals.find(value); found != originals.end())
        result_.contents.push_back({found->second, at, needed});
      llvm::AllocaInst* memory =
          llvm::DemoteRegToStack(*value, false, entry_->getTerminator()->getIterator());
      if (memory == nullptr) continue;
      memory->replaceAllUsesWith(own_place(at));
      memory->eraseFromParent();
    }
  }

  void end_at_returns() {
    for (llvm::BasicBlock& block : *resume_)
      if (auto* end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator())) {
        llvm::IRBuilder<> at(end);
        at.CreateRet(at.getInt32(0));
        end->eraseFromParent();
      }
    for (const wait& w : waits_) {
      llvm::IRBuilder<> at(w.call);
      const auto* scope = llvm::dyn_cast<llvm::ConstantInt>(w.call->getOperand(0));
      if (scope == nullptr || scope->getZExtValue() >= device_scope)
        at.CreateFence(llvm::AtomicOrdering::AcquireRelease);
      at.CreateRet(
          at.getInt32(w.place | (is_group_barrier(*w.call) ? resumable_item::waits_for_group : 0)));
      llvm::Instruction* jump = w.call->getParent()->getTerminator();
      w.call->eraseFromParent();
      jump->eraseFromParent();
    }
  }

  void choose_start(llvm::BasicBlock* begin) {
    llvm::Instruction* jump = entry_->getTerminator();
    llvm::IRBuilder<> at(jump);
    auto* choice =
        at.CreateSwitch(resume_->getArg(4), begin, static_cast<unsigned>(places_.size()));
    for (unsigned i = 0; i < places_.size(); ++i) choice->addCase(at.getInt32(i + 1), places_[i]);
    jump->eraseFromParent();
  }

  llvm::Function& function_;
  const kernel& kernel_;
  const item_level& level_;
  unsigned size_;
  const placeholders& names_;
  llvm::Function* resume_ = nullptr;
  llvm::BasicBlock* entry_ = nullptr;
  llvm::ValueToValueMapTy map_;
  llvm::Value* slots_ = nullptr;
  llvm::Value* count_ = nullptr;
  std::vector<llvm::BasicBlock*> places_;
  std::vector<wait> waits_;
  resumable_item result_;
  // In front: the place, for who calls.
  std::uint64_t bytes_ = 8;
};

bool is_of_known_size(const llvm::Instruction& instruction) {
  if (const auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
    return memory->isStaticAlloca();
  return true;
}

}  // namespace

resumable_item make_resumable(llvm::Function& function, const kernel& k, const item_level& level,
                              unsigned sub_group_size, llvm::ArrayRef<llvm::Instruction*> decisions,
                              const placeholders& names) {
  if (!llvm::all_of(llvm::instructions(function), is_of_known_size)) return {};
  return maker(function, k, level, sub_group_size, names).make(decisions);
}

}  // namespace pianola::compiler::host
