// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/linear_strips.hpp"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopRotationUtils.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace pianola::compiler {

namespace {

// Widest first: the number of floats, or of the smallest vectors' floats, in a vector.
constexpr unsigned widths[] = {16, 8, 4};
constexpr unsigned most_strip_instructions = 200;

// A fact about copies of a loop: they are not changed again.
constexpr llvm::StringLiteral copy_mark = "pianola.strips";

/// `index op operand`: index grows by one per iteration, operand is the same for all.
struct bit_operation {
  llvm::BinaryOperator* instruction;
  const llvm::SCEVAddRecExpr* index;
  llvm::Value* operand;
};

/// What an operation is within a strip that begins at a multiple of the strip's width.
enum class shape { unknown, grows_by_one, same };

struct loop_plan {
  llvm::Loop* loop;
  llvm::SmallVector<bit_operation, 4> operations;
  struct counter {
    llvm::PHINode* phi;
    const llvm::SCEVAddRecExpr* value;
  };
  llvm::SmallVector<counter, 4> counters;
};

shape shape_of(const bit_operation& o, unsigned width) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(o.operand);
  const std::uint64_t mask = width - 1;
  const auto low_bits = [&] { return constant->getValue().extractBitsAsZExtValue(4, 0) & mask; };
  if (o.instruction->getType()->getIntegerBitWidth() < 16) return shape::unknown;
  switch (o.instruction->getOpcode()) {
    case llvm::Instruction::And:
      if (constant == nullptr || low_bits() == mask) return shape::grows_by_one;
      return low_bits() == 0 ? shape::same : shape::unknown;
    case llvm::Instruction::Or:
    case llvm::Instruction::Xor:
    case llvm::Instruction::URem:
      return constant == nullptr || low_bits() == 0 ? shape::grows_by_one : shape::unknown;
    case llvm::Instruction::UDiv:
      return constant == nullptr || low_bits() == 0 ? shape::same : shape::unknown;
    case llvm::Instruction::LShr:
      // A shift by what is not a constant is as likely to be too short.
      return constant != nullptr && constant->getValue().uge(llvm::Log2_32(width)) ? shape::same
                                                                                   : shape::unknown;
    default:
      return shape::unknown;
  }
}

// When that holds.
llvm::Value* condition_for(const bit_operation& o, unsigned width, llvm::IRBuilder<>& at) {
  if (llvm::isa<llvm::ConstantInt>(o.operand)) return at.getTrue();
  llvm::Type* type = o.operand->getType();
  llvm::Value* mask = llvm::ConstantInt::get(type, width - 1);
  llvm::Value* low_bits = at.CreateAnd(o.operand, mask);
  switch (o.instruction->getOpcode()) {
    case llvm::Instruction::And:
      return at.CreateICmpEQ(low_bits, mask);
    case llvm::Instruction::URem:
    case llvm::Instruction::UDiv:
      return at.CreateAnd(at.CreateIsNull(low_bits), at.CreateIsNotNull(o.operand));
    default:
      return at.CreateIsNull(low_bits);
  }
}

bool reaches_address(llvm::Instruction& start, const llvm::Loop& loop) {
  llvm::SmallSetVector<llvm::Instruction*, 16> work;
  work.insert(&start);
  for (std::size_t i = 0; i < work.size(); ++i)
    for (llvm::User* user : work[i]->users()) {
      auto* instruction = llvm::cast<llvm::Instruction>(user);
      if (!loop.contains(instruction)) continue;
      if (llvm::getLoadStorePointerOperand(instruction) == work[i]) return true;
      if (llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::GetElementPtrInst>(instruction))
        work.insert(instruction);
    }
  return false;
}

bool is_closed(const llvm::Loop& loop) {
  unsigned count = 0;
  for (llvm::BasicBlock* block : loop.blocks())
    for (llvm::Instruction& instruction : *block) {
      if (++count > most_strip_instructions) return false;
      for (llvm::User* user : instruction.users())
        if (!loop.contains(llvm::cast<llvm::Instruction>(user))) return false;
    }
  return true;
}

std::optional<loop_plan> plan(llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  if (!loop.isInnermost() || !loop.isLoopSimplifyForm() || !loop.isAnnotatedParallel() ||
      loop.getExitingBlock() != loop.getLoopLatch() || !loop.isSafeToClone() ||
      llvm::getBooleanLoopAttribute(&loop, "llvm.loop.isvectorized") || !is_closed(loop) ||
      !loop.getUniqueExitBlock()->phis().empty() ||
      !llvm::isa<llvm::BranchInst>(loop.getLoopLatch()->getTerminator()))
    return std::nullopt;
  loop_plan result{&loop, {}, {}};
  for (llvm::BasicBlock* block : loop.blocks())
    for (llvm::Instruction& instruction : *block) {
      auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
      if (binary == nullptr || !binary->getType()->isIntegerTy()) continue;
      for (const unsigned side : {0U, 1U}) {
        if (side == 1 && !binary->isCommutative()) break;
        llvm::Value* operand = binary->getOperand(1 - side);
        bit_operation o{binary, nullptr, operand};
        if (!loop.isLoopInvariant(operand) ||
            llvm::none_of(widths, [&](unsigned w) { return shape_of(o, w) != shape::unknown; }))
          continue;
        o.index = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(binary->getOperand(side)));
        if (o.index == nullptr || o.index->getLoop() != &loop || !o.index->isAffine() ||
            !o.index->getStepRecurrence(evolution)->isOne() || !reaches_address(*binary, loop))
          continue;
        result.operations.push_back(o);
        break;
      }
    }
  if (result.operations.empty()) return std::nullopt;
  const llvm::SCEV* taken = evolution.getBackedgeTakenCount(&loop);
  if (llvm::isa<llvm::SCEVCouldNotCompute>(taken) || taken->getType()->getIntegerBitWidth() > 64)
    return std::nullopt;
  for (llvm::PHINode& phi : loop.getHeader()->phis()) {
    if (!phi.getType()->isIntegerTy()) return std::nullopt;
    const auto* value = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(&phi));
    if (value == nullptr || value->getLoop() != &loop || !value->isAffine() ||
        !llvm::isa<llvm::SCEVConstant>(value->getStepRecurrence(evolution)))
      return std::nullopt;
    result.counters.push_back({&phi, value});
  }
  return result;
}

class strip_maker {
 public:
  strip_maker(const loop_plan& p, llvm::ScalarEvolution& evolution)
      : plan_(p),
        evolution_(evolution),
        function_(*p.loop->getHeader()->getParent()),
        context_(function_.getContext()),
        at_(p.loop->getLoopPreheader()->getTerminator()) {}

  bool make() {
    llvm::SCEVExpander expander(evolution_, function_.getDataLayout(), "items");
    llvm::Instruction* before = plan_.loop->getLoopPreheader()->getTerminator();
    const llvm::SCEV* taken = evolution_.getBackedgeTakenCount(plan_.loop);
    llvm::SmallVector<const llvm::SCEV*, 8> needed{taken};
    for (const bit_operation& o : plan_.operations) needed.push_back(o.index->getStart());
    for (const auto& c : plan_.counters) needed.push_back(c.value->getStart());
    for (const llvm::SCEV* part : needed)
      if (!expander.isSafeToExpandAt(part, before)) return false;
    const auto expand = [&](const llvm::SCEV* s) {
      return expander.expandCodeFor(s, nullptr, before);
    };
    llvm::Type* i64 = at_.getInt64Ty();
    count_ = at_.CreateAdd(at_.CreateZExt(expand(taken), i64), at_.getInt64(1), "items.count");
    for (const bit_operation& o : plan_.operations) starts_.push_back(expand(o.index->getStart()));
    for (const auto& c : plan_.counters) counter_starts_.push_back(expand(c.value->getStart()));
    llvm::Value* first = at_.CreateZExtOrTrunc(starts_[0], i64);
    llvm::Value* width = at_.getInt64(0);
    llvm::SmallVector<unsigned, 3> useful;
    for (const unsigned w : llvm::reverse(widths)) {
      llvm::Value* condition = nullptr;
      for (std::size_t i = 0; i < plan_.operations.size(); ++i) {
        if (shape_of(plan_.operations[i], w) == shape::unknown) continue;
        llvm::Value* one = condition_for(plan_.operations[i], w, at_);
        condition = condition == nullptr ? one : at_.CreateAnd(condition, one);
        llvm::Value* distance =
            at_.CreateSub(at_.CreateZExtOrTrunc(starts_[i], i64), first, "", false, false);
        condition = at_.CreateAnd(condition,
                                  at_.CreateIsNull(at_.CreateAnd(distance, at_.getInt64(w - 1))));
      }
      if (condition == nullptr) continue;
      useful.push_back(w);
      width = at_.CreateSelect(condition, at_.getInt64(w), width, "strip.width");
    }
    write_loops(first, width, useful);
    return true;
  }

 private:
  llvm::BasicBlock* block(const llvm::Twine& name) {
    return llvm::BasicBlock::Create(context_, name, &function_, plan_.loop->getUniqueExitBlock());
  }

  void write_loops(llvm::Value* first, llvm::Value* width, llvm::ArrayRef<unsigned> useful) {
    llvm::BasicBlock* before = plan_.loop->getLoopPreheader();
    llvm::BasicBlock* exit = plan_.loop->getUniqueExitBlock();
    llvm::BasicBlock* head = block("strips");
    llvm::BasicBlock* rest = block("strips.rest");
    llvm::BasicBlock* choice = block("strips.choice");
    llvm::BasicBlock* next = block("strips.next");
    llvm::BasicBlock* impossible = block("strips.none");
    before->getTerminator()->eraseFromParent();
    at_.SetInsertPoint(before);
    at_.CreateBr(head);
    at_.SetInsertPoint(impossible);
    at_.CreateUnreachable();

    at_.SetInsertPoint(head);
    llvm::PHINode* done = at_.CreatePHI(at_.getInt64Ty(), 2, "items.done");
    done->addIncoming(at_.getInt64(0), before);
    llvm::Value* left = at_.CreateSub(count_, done, "items.left", true, true);
    llvm::Value* behind = at_.CreateAnd(at_.CreateAdd(first, done),
                                        at_.CreateSub(width, at_.getInt64(1)), "strip.behind");
    llvm::Value* is_whole =
        at_.CreateAnd(at_.CreateIsNotNull(width),
                      at_.CreateAnd(at_.CreateIsNull(behind), at_.CreateICmpUGE(left, width)));
    at_.CreateCondBr(is_whole, choice, rest);

    at_.SetInsertPoint(next);
    llvm::PHINode* reached = at_.CreatePHI(at_.getInt64Ty(), 4, "items.reached");
    done->addIncoming(reached, next);
    at_.CreateCondBr(at_.CreateICmpULT(reached, count_), head, exit);

    // Up to where a strip begins.
    at_.SetInsertPoint(rest);
    llvm::Value* some = at_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left,
                                                  at_.CreateSub(width, behind), nullptr, "");
    some = at_.CreateSelect(at_.CreateIsNull(width), left, some);
    llvm::Value* after_some = at_.CreateAdd(done, some, "", true, true);
    llvm::BasicBlock* rest_end = block("strips.rest.end");
    copy_loop(rest, rest_end, done, some, 0);
    at_.SetInsertPoint(rest_end);
    at_.CreateBr(next);
    reached->addIncoming(after_some, rest_end);

    at_.SetInsertPoint(choice);
    auto* choose = at_.CreateSwitch(width, impossible);
    for (const unsigned w : useful) {
      llvm::BasicBlock* strip = block("strip");
      llvm::BasicBlock* end = block("strip.end");
      choose->addCase(at_.getInt64(w), strip);
      at_.SetInsertPoint(strip);
      llvm::PHINode* begin = at_.CreatePHI(at_.getInt64Ty(), 2, "strip.begin");
      begin->addIncoming(done, choice);
      copy_loop(strip, end, begin, at_.getInt64(w), w);
      at_.SetInsertPoint(end);
      llvm::Value* after = at_.CreateAdd(begin, at_.getInt64(w), "", true, true);
      begin->addIncoming(after, end);
      reached->addIncoming(after, end);
      at_.CreateCondBr(at_.CreateICmpUGE(at_.CreateSub(count_, after), at_.getInt64(w)), strip,
                       next);
    }
  }

  // Iterations from `begin` on, `count` of them, as a loop from the end of `from` to `to`.
  void copy_loop(llvm::BasicBlock* from, llvm::BasicBlock* to, llvm::Value* begin,
                 llvm::Value* count, unsigned width) {
    const llvm::Loop& loop = *plan_.loop;
    llvm::ValueToValueMapTy values;
    llvm::SmallVector<llvm::BasicBlock*, 8> copies;
    at_.SetInsertPoint(from);
    llvm::SmallVector<llvm::Value*, 4> bases;
    for (std::size_t i = 0; i < plan_.counters.size(); ++i) {
      const llvm::SCEVAddRecExpr* value = plan_.counters[i].value;
      llvm::Value* grown = times_step(at_.CreateZExtOrTrunc(begin, value->getType()), value);
      bases.push_back(add(counter_starts_[i], grown, value));
    }
    llvm::SmallVector<llvm::Value*, 4> strip_values;
    if (width != 0)
      for (std::size_t i = 0; i < plan_.operations.size(); ++i) {
        const bit_operation& o = plan_.operations[i];
        llvm::Value* index =
            at_.CreateAdd(starts_[i], at_.CreateZExtOrTrunc(begin, starts_[i]->getType()));
        strip_values.push_back(shape_of(o, width) == shape::unknown
                                   ? nullptr
                                   : at_.CreateBinOp(o.instruction->getOpcode(), index, o.operand));
      }
    for (llvm::BasicBlock* original : loop.blocks()) {
      llvm::BasicBlock* copy = llvm::CloneBasicBlock(original, values, "", &function_);
      copy->moveBefore(to);
      values[original] = copy;
      copies.push_back(copy);
    }
    auto* header = llvm::cast<llvm::BasicBlock>(values[loop.getHeader()]);
    auto* latch = llvm::cast<llvm::BasicBlock>(values[loop.getLoopLatch()]);
    at_.CreateBr(header);
    for (const auto& c : plan_.counters) {
      auto* phi = llvm::cast<llvm::PHINode>(values[c.phi]);
      values.erase(c.phi);
      phi->eraseFromParent();
    }
    at_.SetInsertPoint(header, header->begin());
    llvm::PHINode* number = at_.CreatePHI(at_.getInt64Ty(), 2, "item");
    for (std::size_t i = 0; i < plan_.counters.size(); ++i) {
      const llvm::SCEVAddRecExpr* value = plan_.counters[i].value;
      llvm::Value* grown = times_step(at_.CreateZExtOrTrunc(number, value->getType()), value);
      values[plan_.counters[i].phi] = add(bases[i], grown, value);
    }
    llvm::SmallVector<llvm::Instruction*, 4> replaced;
    for (std::size_t i = 0; i < strip_values.size(); ++i) {
      if (strip_values[i] == nullptr) continue;
      llvm::BinaryOperator* original = plan_.operations[i].instruction;
      replaced.push_back(llvm::cast<llvm::Instruction>(values[original]));
      // The lowest bits of the strip's value are zero.
      values[original] =
          shape_of(plan_.operations[i], width) == shape::same
              ? strip_values[i]
              : at_.CreateAdd(strip_values[i], at_.CreateZExtOrTrunc(number, original->getType()),
                              "", true, true);
    }
    for (llvm::Instruction* instruction : replaced) instruction->eraseFromParent();
    llvm::remapInstructionsInBlocks(copies, values);
    auto* old_end = llvm::cast<llvm::BranchInst>(latch->getTerminator());
    at_.SetInsertPoint(old_end);
    llvm::Value* following = at_.CreateAdd(number, at_.getInt64(1), "", true, true);
    llvm::Instruction* end = at_.CreateCondBr(at_.CreateICmpULT(following, count), header, to);
    end->setDebugLoc(old_end->getDebugLoc());
    number->addIncoming(at_.getInt64(0), from);
    number->addIncoming(following, latch);
    end->setMetadata(llvm::LLVMContext::MD_loop, facts());
    llvm::Value* condition = old_end->isConditional() ? old_end->getCondition() : nullptr;
    old_end->eraseFromParent();
    if (condition != nullptr) llvm::RecursivelyDeleteTriviallyDeadInstructions(condition);
  }

  // Of one loop, so not shared by copies.
  llvm::MDNode* facts() {
    const llvm::MDNode* old = plan_.loop->getLoopID();
    llvm::SmallVector<llvm::Metadata*, 8> operands{nullptr};
    operands.append(old->op_begin() + 1, old->op_end());
    operands.push_back(llvm::MDNode::get(context_, llvm::MDString::get(context_, copy_mark)));
    llvm::MDNode* copy = llvm::MDNode::getDistinct(context_, operands);
    copy->replaceOperandWith(0, copy);
    return copy;
  }

  llvm::Value* times_step(llvm::Value* number, const llvm::SCEVAddRecExpr* value) {
    const auto* step = llvm::cast<llvm::SCEVConstant>(value->getStepRecurrence(evolution_));
    return step->isOne() ? number : at_.CreateMul(number, step->getValue());
  }

  llvm::Value* add(llvm::Value* a, llvm::Value* b, const llvm::SCEVAddRecExpr* value) {
    // What holds for each number of the loop holds for the sums that make it.
    const bool is_one = value->getStepRecurrence(evolution_)->isOne();
    return at_.CreateAdd(a, b, "", is_one && value->hasNoUnsignedWrap(),
                         is_one && value->hasNoSignedWrap());
  }

  const loop_plan& plan_;
  llvm::ScalarEvolution& evolution_;
  llvm::Function& function_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> at_;
  llvm::Value* count_ = nullptr;
  llvm::SmallVector<llvm::Value*, 4> starts_, counter_starts_;
};

// A quick look, before anything is changed for it.
bool has_operations(const llvm::Loop& loop) {
  for (llvm::BasicBlock* block : loop.blocks())
    for (llvm::Instruction& instruction : *block)
      if (auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
          binary != nullptr && binary->getType()->isIntegerTy())
        for (const unsigned side : {0U, 1U}) {
          const bit_operation o{binary, nullptr, binary->getOperand(1 - side)};
          if (side == 1 && !binary->isCommutative()) break;
          if (loop.isLoopInvariant(o.operand) &&
              llvm::any_of(widths, [&](unsigned w) { return shape_of(o, w) != shape::unknown; }) &&
              reaches_address(*binary, loop))
            return true;
        }
  return false;
}

// The question whether to go on at the end of the loop, as the vectoriser will have it, too.
bool bring_into_form(llvm::Loop& loop, llvm::Function& function,
                     llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto& assumptions = analyses.getResult<llvm::AssumptionAnalysis>(function);
  auto& costs = analyses.getResult<llvm::TargetIRAnalysis>(function);
  bool changed =
      llvm::simplifyLoop(&loop, &dominators, &loops, &evolution, &assumptions, nullptr, false);
  changed = llvm::formLCSSA(loop, dominators, &loops, &evolution) || changed;
  constexpr unsigned most_copied_instructions = 16;
  const llvm::SimplifyQuery query(function.getDataLayout(), nullptr, &dominators, &assumptions);
  return llvm::LoopRotation(&loop, &loops, &costs, &assumptions, &dominators, &evolution, nullptr,
                            query, false, most_copied_instructions, false) ||
         changed;
}

// True: one loop was changed, and all analyses are out of date.
bool change_one_loop(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  bool changed = false;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !loop->isAnnotatedParallel() ||
        llvm::findOptionMDForLoop(loop, copy_mark) != nullptr || !has_operations(*loop))
      continue;
    changed = bring_into_form(*loop, function, analyses) || changed;
    auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
    const std::optional<loop_plan> p = plan(*loop, evolution);
    if (!p || !strip_maker(*p, evolution).make()) continue;
    // Nothing leads to the old one any more.
    llvm::removeUnreachableBlocks(function);
    return true;
  }
  if (changed) analyses.invalidate(function, llvm::PreservedAnalyses::none());
  return false;
}

}  // namespace

llvm::PreservedAnalyses linear_strips::run(llvm::Function& function,
                                           llvm::FunctionAnalysisManager& analyses) {
  if (analyses.getResult<llvm::LoopAnalysis>(function).empty())
    return llvm::PreservedAnalyses::all();
  bool changed = false;
  while (change_one_loop(function, analyses)) {
    changed = true;
    analyses.invalidate(function, llvm::PreservedAnalyses::none());
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace pianola::compiler
