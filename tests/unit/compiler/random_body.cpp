// SPDX-License-Identifier: Apache-2.0
#include "random_body.hpp"

#include <random>
#include <string>
#include <utility>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

namespace {

class generator {
 public:
  generator(llvm::Module& module, std::uint64_t seed)
      : module_(module), context_(module.getContext()), builder_(context_), random_(seed) {}

  llvm::Function* make() {
    llvm::Type* pointer = builder_.getPtrTy();
    function_ = llvm::Function::Create(
        llvm::FunctionType::get(builder_.getVoidTy(), {pointer, pointer}, false),
        llvm::GlobalValue::ExternalLinkage, "body", module_);
    builder_.SetInsertPoint(llvm::BasicBlock::Create(context_, "", function_));
    leaves();
    const int steps = 4 + pick(14);
    for (int i = 0; i < steps; ++i) step(0);
    builder_.CreateRetVoid();
    return function_;
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  llvm::Value* any(std::vector<llvm::Value*>& of) {
    return of[static_cast<std::size_t>(pick(static_cast<int>(of.size())))];
  }

  llvm::Value* ask(const std::string& name, llvm::Type* type) {
    return builder_.CreateCall(
        module_.getOrInsertFunction("__pianola_" + name, llvm::FunctionType::get(type, false)));
  }
  llvm::Value* member(unsigned argument, std::uint64_t offset, llvm::Type* type) {
    return builder_.CreateLoad(
        type, builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), function_->getArg(argument),
                                                  offset));
  }

  void leaves() {
    llvm::Type* i64 = builder_.getInt64Ty();
    llvm::Type* i32 = builder_.getInt32Ty();
    for (const char* d : {"x", "y"}) {
      const std::string suffix = std::string("_") + d;
      llvm::Value* local = ask("local_id" + suffix, i32);
      llvm::Value* id = builder_.CreateAdd(
          builder_.CreateMul(ask("group_id" + suffix, i64),
                             builder_.CreateZExt(ask("local_size" + suffix, i32), i64)),
          builder_.CreateZExt(local, i64));
      ids_.push_back(id);
      wide_.push_back(id);
      wide_.push_back(id);
      if (pick(4) == 0) wide_.push_back(builder_.CreateZExt(local, i64));
      narrow_.push_back(builder_.CreateTrunc(id, i32));
    }
    for (const std::uint64_t at : {24, 32, 40}) wide_.push_back(member(0, at, i64));
    for (const std::uint64_t at : {48, 52}) narrow_.push_back(member(0, at, i32));
    wide_.push_back(member(1, pick(2) == 0 ? 16 : 40, i64));
    for (const std::uint64_t at : {0, 8, 16})
      pointers_.push_back(member(0, at, builder_.getPtrTy()));
  }

  void step(int depth) {
    switch (pick(20)) {
      case 0:
      case 1:
      case 2:
        wide_.push_back(arithmetic(any(wide_), any(wide_)));
        break;
      case 3:
        narrow_.push_back(arithmetic(any(narrow_), any(narrow_)));
        break;
      case 4:
        narrow_.push_back(builder_.CreateTrunc(any(wide_), builder_.getInt32Ty()));
        break;
      case 5:
        wide_.push_back(builder_.CreateSExt(any(narrow_), builder_.getInt64Ty()));
        break;
      case 6:
        wide_.push_back(pick(2) == 0
                            ? builder_.CreateZExt(any(narrow_), builder_.getInt64Ty())
                            : builder_.CreateAnd(any(wide_), builder_.getInt64(0xffffffffU)));
        break;
      case 7:
        wide_.push_back(builder_.CreateAShr(builder_.CreateShl(any(wide_), builder_.getInt64(32)),
                                            builder_.getInt64(pick(2) == 0 ? 32 : 30)));
        break;
      case 8:
      case 9:
        pointers_.push_back(advance());
        break;
      case 10:
        pointers_.push_back(choose());
        break;
      case 11:
      case 12:
        branch(depth);
        break;
      case 13:
      case 14:
        loop(depth);
        break;
      case 15:
        wide_.push_back(either());
        break;
      default:
        access();
    }
  }

  llvm::Value* arithmetic(llvm::Value* a, llvm::Value* b) {
    llvm::Type* type = a->getType();
    switch (pick(7)) {
      case 0:
      case 1:
        return builder_.CreateAdd(a, b);
      case 2:
        return builder_.CreateSub(a, b);
      case 3:
        return builder_.CreateMul(a, b);
      case 4:
        return builder_.CreateShl(a, llvm::ConstantInt::get(type, static_cast<unsigned>(pick(4))));
      case 5:
        return builder_.CreateAdd(a, llvm::ConstantInt::getSigned(type, pick(9) - 4));
      default:
        return pick(3) == 0 ? builder_.CreateXor(a, b)
                            : builder_.CreateMul(
                                  a, llvm::ConstantInt::get(type, static_cast<unsigned>(pick(5))));
    }
  }

  // Mostly a single id, as kernels do.
  llvm::Value* index() {
    if (pick(2) == 0) return pick(3) == 0 ? any(narrow_) : any(wide_);
    return any(ids_);
  }
  llvm::Value* advance() {
    static constexpr int widths[] = {1, 4, 8};
    llvm::Type* element = builder_.getIntNTy(8U * static_cast<unsigned>(widths[pick(3)]));
    return builder_.CreateGEP(element, any(pointers_), index());
  }
  llvm::Value* choose() {
    llvm::Value* flag = builder_.CreateICmpULT(any(wide_), any(wide_));
    if (pick(2) == 0) return builder_.CreateSelect(flag, any(pointers_), any(pointers_));
    llvm::BasicBlock* from = builder_.GetInsertBlock();
    llvm::BasicBlock* side = llvm::BasicBlock::Create(context_, "", function_);
    llvm::BasicBlock* on = llvm::BasicBlock::Create(context_, "", function_);
    llvm::Value* a = any(pointers_);
    builder_.CreateCondBr(flag, side, on);
    builder_.SetInsertPoint(side);
    llvm::Value* b = advance();
    builder_.CreateBr(on);
    builder_.SetInsertPoint(on);
    llvm::PHINode* merged = builder_.CreatePHI(builder_.getPtrTy(), 2);
    merged->addIncoming(a, from);
    merged->addIncoming(b, side);
    return merged;
  }
  // What branches and loops of kernels ask: of ids, mostly, and of small numbers.
  llvm::Value* question() {
    static constexpr llvm::CmpInst::Predicate predicates[] = {
        llvm::CmpInst::ICMP_ULT, llvm::CmpInst::ICMP_ULT, llvm::CmpInst::ICMP_UGT,
        llvm::CmpInst::ICMP_ULE, llvm::CmpInst::ICMP_UGE, llvm::CmpInst::ICMP_SLT,
        llvm::CmpInst::ICMP_SGT, llvm::CmpInst::ICMP_SLE, llvm::CmpInst::ICMP_SGE,
        llvm::CmpInst::ICMP_EQ,  llvm::CmpInst::ICMP_NE};
    const auto predicate = predicates[pick(11)];
    if (pick(4) == 0) {
      llvm::Value* a = any(narrow_);
      return builder_.CreateICmp(predicate, a, pick(2) == 0 ? any(narrow_) : builder_.getInt32(3));
    }
    llvm::Value* a = any(pick(2) == 0 ? ids_ : wide_);
    if (pick(3) == 0) a = builder_.CreateAdd(a, builder_.getInt64(pick(2) == 0 ? -1 : 1));
    llvm::Value* b = pick(3) == 0 ? any(wide_) : builder_.getInt64(pick(5));
    if (pick(3) == 0) b = builder_.CreateSub(any(wide_), builder_.getInt64(1));
    return builder_.CreateICmp(predicate, a, b);
  }
  llvm::Value* questions() {
    llvm::Value* first = question();
    switch (pick(5)) {
      case 0:
        return builder_.CreateAnd(first, question());
      case 1:
        return builder_.CreateOr(first, question());
      case 2:
        return builder_.CreateLogicalAnd(first, question());
      case 3:
        return builder_.CreateNot(first);
      default:
        return first;
    }
  }
  llvm::Value* either() {
    llvm::Value* a = any(pick(2) == 0 ? ids_ : wide_);
    if (pick(2) == 0) a = builder_.CreateAdd(a, builder_.getInt64(pick(2) == 0 ? -1 : 1));
    llvm::Value* b = pick(2) == 0 ? any(wide_) : builder_.getInt64(pick(4));
    static constexpr llvm::Intrinsic::ID limits[] = {llvm::Intrinsic::umin, llvm::Intrinsic::umax,
                                                     llvm::Intrinsic::smin, llvm::Intrinsic::smax};
    if (pick(2) == 0) return builder_.CreateBinaryIntrinsic(limits[pick(4)], a, b);
    return builder_.CreateSelect(question(), a, b);
  }

  // Values that are made in a part of the body are not there behind it.
  struct known {
    std::size_t wide, narrow, pointers;
  };
  [[nodiscard]] known now() const { return {wide_.size(), narrow_.size(), pointers_.size()}; }
  void forget(const known& since) {
    wide_.resize(since.wide);
    narrow_.resize(since.narrow);
    pointers_.resize(since.pointers);
  }
  void some_steps(int depth) {
    access();
    for (int n = pick(3); n > 0; --n) step(depth + 1);
  }

  void branch(int depth) {
    llvm::BasicBlock* side = llvm::BasicBlock::Create(context_, "", function_);
    llvm::BasicBlock* on = llvm::BasicBlock::Create(context_, "", function_);
    llvm::Value* flag = questions();
    llvm::BasicBlock* other =
        pick(3) == 0 ? llvm::BasicBlock::Create(context_, "", function_) : nullptr;
    builder_.CreateCondBr(flag, side, other != nullptr ? other : on);
    for (llvm::BasicBlock* block : {side, other}) {
      if (block == nullptr) continue;
      builder_.SetInsertPoint(block);
      const known before = now();
      if (depth < 2)
        some_steps(depth);
      else
        access();
      forget(before);
      builder_.CreateBr(on);
    }
    builder_.SetInsertPoint(on);
  }

  // for (k = start; k < bound; k += step): few rounds. The number is there behind the loop as well.
  void loop(int depth) {
    if (depth > 1) return access();
    const bool is_narrow = pick(3) == 0;
    llvm::Type* type = is_narrow ? builder_.getInt32Ty() : builder_.getInt64Ty();
    const auto number = [&](int n) { return llvm::ConstantInt::getSigned(type, n); };
    llvm::Value* bound = number(pick(5));
    if (is_narrow && pick(2) == 0)
      bound = member(0, 48, type);
    else if (!is_narrow && pick(2) == 0)
      bound = member(0, pick(2) == 0 ? 24 : 40, type);
    else if (!is_narrow && pick(3) == 0)
      bound = any(ids_);
    if (pick(3) == 0) bound = builder_.CreateSub(bound, number(pick(2)));
    const int by = 1 + pick(3);
    llvm::BasicBlock* before = builder_.GetInsertBlock();
    llvm::BasicBlock* head = llvm::BasicBlock::Create(context_, "", function_);
    llvm::BasicBlock* inside = llvm::BasicBlock::Create(context_, "", function_);
    llvm::BasicBlock* on = llvm::BasicBlock::Create(context_, "", function_);
    builder_.CreateBr(head);
    builder_.SetInsertPoint(head);
    llvm::PHINode* k = builder_.CreatePHI(type, 2);
    k->addIncoming(number(pick(2)), before);
    (is_narrow ? narrow_ : wide_).push_back(k);
    const known outside = now();
    // Signed, or a number that is never so small that it is a huge one.
    builder_.CreateCondBr(builder_.CreateICmpSLT(k, bound), inside, on);
    builder_.SetInsertPoint(inside);
    // Most indices have to do with it.
    if (!is_narrow)
      for (int n = 0; n < 4; ++n) wide_.push_back(pick(2) == 0 ? k : arithmetic(k, any(wide_)));
    else
      for (int n = 0; n < 4; ++n) narrow_.push_back(pick(2) == 0 ? k : arithmetic(k, any(narrow_)));
    some_steps(depth);
    if (pick(5) == 0) {
      llvm::BasicBlock* stay = llvm::BasicBlock::Create(context_, "", function_);
      builder_.CreateCondBr(question(), on, stay);
      builder_.SetInsertPoint(stay);
      access();
    }
    llvm::Value* next = builder_.CreateAdd(k, number(by), "", false, pick(2) == 0);
    k->addIncoming(next, builder_.GetInsertBlock());
    builder_.CreateBr(head);
    forget(outside);
    builder_.SetInsertPoint(on);
  }

  void access() {
    llvm::Value* at = pick(3) == 0 ? any(pointers_) : advance();
    switch (pick(16)) {
      case 0:
        builder_.CreateStore(any(pointers_), at);
        break;  // it escapes
      case 1:
        // From where none was stored: what is found there is not known.
        pointers_from_memory(builder_.CreateConstGEP1_64(builder_.getInt8Ty(), at, 1 << 20));
        break;
      case 2:
        atomic(at);
        break;
      case 3:
        // Of another argument: a copy to where it comes from goes when code is simplified.
        builder_.CreateMemCpy(builder_.CreateGEP(builder_.getInt8Ty(), pointers_[0], index()),
                              llvm::MaybeAlign(1),
                              builder_.CreateGEP(builder_.getInt8Ty(), pointers_[1], index()),
                              llvm::MaybeAlign(1), static_cast<std::uint64_t>(1 + pick(16)));
        break;
      case 4:
      case 5:
      case 6:
        builder_.CreateStore(builder_.getInt32(1), at);
        break;
      case 7:
        builder_.CreateStore(builder_.getInt8(1), at);
        break;
      case 8:
        builder_.CreateLoad(builder_.getInt64Ty(), at, true);
        break;
      case 9:
      case 10:
        in_place(at);
        break;
      case 11:
        builder_.CreateStore(arithmetic(arithmetic(any(narrow_), any(narrow_)), any(narrow_)), at);
        break;
      case 12:
        floating(at);
        break;
      default: {
        // Kept alive by a store, which must not be one of what is there anyway: those go when code is simplified.
        llvm::Value* read = builder_.CreateLoad(builder_.getInt32Ty(), at);
        builder_.CreateStore(builder_.CreateAdd(read, builder_.getInt32(1)), advance());
        if (pick(4) == 0) narrow_.push_back(read);
      }
    }
  }
  void atomic(llvm::Value* at) {
    static constexpr llvm::AtomicRMWInst::BinOp operations[] = {
        llvm::AtomicRMWInst::Add,  llvm::AtomicRMWInst::Add, llvm::AtomicRMWInst::Sub,
        llvm::AtomicRMWInst::And,  llvm::AtomicRMWInst::Or,  llvm::AtomicRMWInst::Xor,
        llvm::AtomicRMWInst::Min,  llvm::AtomicRMWInst::Max, llvm::AtomicRMWInst::UMin,
        llvm::AtomicRMWInst::UMax, llvm::AtomicRMWInst::Xchg};
    llvm::Value* old = builder_.CreateAtomicRMW(
        operations[pick(11)], at, pick(2) == 0 ? builder_.getInt32(1) : any(narrow_),
        llvm::MaybeAlign(4), llvm::AtomicOrdering::Monotonic);
    if (pick(5) == 0) narrow_.push_back(old);
  }
  // Combines what is there with something else, sometimes by way of a branch, and sometimes looks at it as well.
  void in_place(llvm::Value* at) {
    llvm::Type* i32 = builder_.getInt32Ty();
    if (pick(3) != 0) {
      llvm::Value* read = builder_.CreateLoad(i32, at);
      llvm::Value* made = combine(read);
      if (pick(6) == 0) narrow_.push_back(read);
      if (pick(8) == 0) builder_.CreateStore(builder_.getInt8(1), any(pointers_));
      builder_.CreateStore(made, pick(8) == 0 ? any(pointers_) : at);
      return;
    }
    llvm::BasicBlock* before = builder_.GetInsertBlock();
    llvm::BasicBlock* side = llvm::BasicBlock::Create(context_, "", function_);
    llvm::BasicBlock* on = llvm::BasicBlock::Create(context_, "", function_);
    llvm::Value* otherwise = any(narrow_);
    builder_.CreateCondBr(question(), side, on);
    builder_.SetInsertPoint(side);
    llvm::Value* made = combine(builder_.CreateLoad(i32, at));
    builder_.CreateBr(on);
    builder_.SetInsertPoint(on);
    llvm::PHINode* merged = builder_.CreatePHI(i32, 2);
    merged->addIncoming(otherwise, before);
    merged->addIncoming(made, side);
    builder_.CreateStore(merged, at);
  }
  llvm::Value* combine(llvm::Value* old) {
    static constexpr llvm::Instruction::BinaryOps operations[] = {
        llvm::Instruction::Add, llvm::Instruction::Sub, llvm::Instruction::Mul,
        llvm::Instruction::And, llvm::Instruction::Or,  llvm::Instruction::Xor};
    static constexpr llvm::Intrinsic::ID limits[] = {llvm::Intrinsic::umin, llvm::Intrinsic::umax,
                                                     llvm::Intrinsic::smin, llvm::Intrinsic::smax};
    // Nothing in which what is read could be lost: no constants but in sums, and what is undone when it is done twice, as
    // in a loop, is done with something that nobody knows.
    const int which = pick(8);
    const bool is_left = pick(2) == 0;
    llvm::Value* other = which == 5 || (which == 1 && !is_left)
                             ? builder_.CreateLoad(builder_.getInt32Ty(), advance())
                             : builder_.CreateTrunc(any(ids_), builder_.getInt32Ty());
    if (which >= 6)
      old = builder_.CreateBinaryIntrinsic(limits[pick(4)], old, other);
    else
      old = builder_.CreateBinOp(operations[which], is_left ? old : other, is_left ? other : old);
    if (which < 2 && pick(2) == 0) old = builder_.CreateAdd(builder_.getInt32(3), old);
    return old;
  }
  void floating(llvm::Value* at) {
    llvm::Value* a = builder_.CreateSIToFP(any(narrow_), builder_.getFloatTy());
    llvm::Value* b = builder_.CreateLoad(builder_.getFloatTy(), advance());
    for (int n = pick(4); n >= 0; --n) {
      llvm::Value* next = pick(4) == 0   ? builder_.CreateFDiv(a, b)
                          : pick(2) == 0 ? builder_.CreateFMul(a, b)
                                         : builder_.CreateFAdd(a, b);
      b = std::exchange(a, next);
    }
    builder_.CreateStore(a, at);
  }
  void pointers_from_memory(llvm::Value* at) {
    builder_.CreateStore(builder_.getInt32(1), builder_.CreateLoad(builder_.getPtrTy(), at));
  }

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> builder_;
  std::mt19937_64 random_;
  llvm::Function* function_ = nullptr;
  std::vector<llvm::Value*> ids_, wide_, narrow_, pointers_;
};

}  // namespace

llvm::Function* make_random_body(llvm::Module& module, std::uint64_t seed) {
  return generator(module, seed).make();
}
