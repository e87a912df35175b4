// SPDX-License-Identifier: Apache-2.0
// What is said to be the same for all work-items, of random functions with loops, beside what some of them compute.
#include "host/analysis/uniformity.hpp"

#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace pianola::compiler::host {
namespace {

using random_engine = std::mt19937;

std::string text_of(const llvm::Value& value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

// Four variables, of which blocks read, change and ask some; any block may follow another.
llvm::Function& random_function(llvm::Module& module, const placeholders& names,
                                random_engine& random) {
  llvm::LLVMContext& context = module.getContext();
  auto* i32 = llvm::Type::getInt32Ty(context);
  auto& function =
      *llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), {i32}, false),
                              llvm::Function::ExternalLinkage, "item", module);
  auto* entry = llvm::BasicBlock::Create(context, "entry", &function);
  const unsigned count = 3 + random() % 10;
  std::vector<llvm::BasicBlock*> blocks;
  for (unsigned i = 0; i < count; ++i)
    blocks.push_back(llvm::BasicBlock::Create(context, "b" + std::to_string(i), &function));
  llvm::IRBuilder<> at(entry);
  llvm::SmallVector<llvm::AllocaInst*, 4> variables;
  for (unsigned i = 0; i < 4; ++i) variables.push_back(at.CreateAlloca(i32));
  for (unsigned i = 0; i < 4; ++i)
    at.CreateStore(at.CreateAdd(function.getArg(0), at.getInt32(i)), variables[i]);
  at.CreateBr(blocks.front());
  const auto variable = [&] { return variables[random() % variables.size()]; };
  const auto read = [&] { return at.CreateLoad(i32, variable()); };
  for (unsigned i = 0; i < count; ++i) {
    at.SetInsertPoint(blocks[i]);
    for (unsigned changes = random() % 3; changes > 0; --changes)
      at.CreateStore(random() % 2 == 0 ? at.CreateAdd(read(), at.getInt32(1 + random() % 3))
                                       : at.CreateXor(at.CreateMul(read(), at.getInt32(3)), read()),
                     variable());
    if (random() % 12 == 0) at.CreateStore(at.CreateCall(names.x), variable());
    // Mostly forward, and rarely to the start of everything.
    const auto next = [&] {
      if (random() % 4 == 0) return blocks[1 + random() % (count - 1)];
      return blocks[std::min<std::size_t>(i + 1 + random() % 3, count - 1)];
    };
    if (i + 1 == count) {
      at.CreateRetVoid();
    } else if (random() % 3 == 0) {
      at.CreateBr(next());
    } else {
      llvm::Value* asked = random() % 4 == 0 ? static_cast<llvm::Value*>(at.CreateCall(names.x))
                                             : static_cast<llvm::Value*>(read());
      at.CreateCondBr(at.CreateICmpEQ(at.CreateAnd(asked, at.getInt32(1 + random() % 3)),
                                      at.getInt32(random() % 2)),
                      next(), next());
    }
  }
  llvm::removeUnreachableBlocks(function);
  llvm::DominatorTree dominators(function);
  llvm::PromoteMemToReg(variables, dominators);
  return function;
}

// Of one work-item: where, in which rounds of the loops around, a value was computed, and what it was.
class run_of_item {
 public:
  run_of_item(llvm::Function& function, const placeholders& names, const llvm::CycleInfo& cycles,
              std::uint32_t argument, std::uint32_t id)
      : names_(names), cycles_(cycles), id_(id) {
    values_[function.getArg(0)] = argument;
    constexpr unsigned most_blocks = 120;
    const llvm::BasicBlock* from = nullptr;
    const llvm::BasicBlock* here = &function.getEntryBlock();
    for (unsigned i = 0; i < most_blocks && here != nullptr; ++i) {
      const llvm::BasicBlock* next = run(*here, from);
      from = here;
      here = next;
    }
  }

  std::map<std::pair<const llvm::Instruction*, std::vector<unsigned>>, std::uint32_t> computed;

 private:
  std::uint32_t value(const llvm::Value* of) const {
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(of))
      return static_cast<std::uint32_t>(constant->getZExtValue());
    const auto found = values_.find(of);
    return found == values_.end() ? 0 : found->second;  // undefined
  }

  std::vector<unsigned> rounds_of(const llvm::BasicBlock& block) const {
    std::vector<unsigned> rounds;
    for (const llvm::Cycle* cycle = cycles_.getCycle(&block); cycle != nullptr;
         cycle = cycle->getParentCycle())
      rounds.push_back(rounds_.at(cycle));
    return rounds;
  }

  std::uint32_t compute(const llvm::Instruction& instruction) const {
    if (names_.is_id(&instruction)) return id_;
    const std::uint32_t a = value(instruction.getOperand(0)), b = value(instruction.getOperand(1));
    switch (instruction.getOpcode()) {
      case llvm::Instruction::Add:
        return a + b;
      case llvm::Instruction::Mul:
        return a * b;
      case llvm::Instruction::And:
        return a & b;
      case llvm::Instruction::Xor:
        return a ^ b;
      default:
        return a == b ? 1 : 0;
    }
  }

  const llvm::BasicBlock* run(const llvm::BasicBlock& block, const llvm::BasicBlock* from) {
    for (const llvm::Cycle* cycle = cycles_.getCycle(&block); cycle != nullptr;
         cycle = cycle->getParentCycle()) {
      if (from == nullptr || !cycle->contains(from)) rounds_[cycle] = 0;
      if (cycle->getHeader() == &block) ++rounds_[cycle];
    }
    const std::vector<unsigned> rounds = rounds_of(block);
    std::map<const llvm::Value*, std::uint32_t> phis;
    for (const llvm::PHINode& phi : block.phis())
      phis[&phi] = value(phi.getIncomingValueForBlock(from));
    for (const llvm::Instruction& instruction : block) {
      if (instruction.isTerminator()) break;
      const std::uint32_t result =
          llvm::isa<llvm::PHINode>(instruction) ? phis.at(&instruction) : compute(instruction);
      values_[&instruction] = result;
      computed[{&instruction, rounds}] = result;
    }
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (branch == nullptr) return nullptr;
    if (branch->isUnconditional()) return branch->getSuccessor(0);
    return branch->getSuccessor(value(branch->getCondition()) != 0 ? 0 : 1);
  }

  const placeholders& names_;
  const llvm::CycleInfo& cycles_;
  std::uint32_t id_;
  std::map<const llvm::Value*, std::uint32_t> values_;
  std::map<const llvm::Cycle*, unsigned> rounds_;
};

TEST(uniformity, says_of_nothing_that_it_is_the_same_for_all_where_some_compute_something_else) {
  const char* chosen = std::getenv("PIANOLA_TEST_SEED");
  const unsigned first = chosen != nullptr ? static_cast<unsigned>(std::stoul(chosen)) : 1;
  std::size_t same = 0, different = 0;
  for (unsigned seed = first; seed < first + (chosen != nullptr ? 1 : 3000); ++seed) {
    SCOPED_TRACE("PIANOLA_TEST_SEED=" + std::to_string(seed));
    random_engine random(seed);
    llvm::LLVMContext context;
    llvm::Module module("items", context);
    const placeholders names(module);
    llvm::Function& function = random_function(module, names, random);
    ASSERT_FALSE(llvm::verifyFunction(function, &llvm::errs()));
    llvm::CycleInfo cycles;
    cycles.compute(function);
    {
      const uniformity u(function, names);
      for (std::uint32_t argument = 0; argument < 3; ++argument) {
        std::map<std::pair<const llvm::Instruction*, std::vector<unsigned>>, std::uint32_t> all;
        for (std::uint32_t id = 0; id < 6; ++id)
          for (const auto& [where, value] :
               run_of_item(function, names, cycles, argument, id).computed)
            if (u.is_uniform(where.first)) {
              const auto [known, is_first] = all.try_emplace(where, value);
              ASSERT_TRUE(is_first || known->second == value) << text_of(*where.first) << "\n"
                                                              << text_of(function);
            }
      }
      for (const llvm::Instruction& instruction : llvm::instructions(function))
        if (!instruction.getType()->isVoidTy()) ++(u.is_uniform(&instruction) ? same : different);
    }
    function.eraseFromParent();
  }
  if (chosen == nullptr) {
    // Both are there, or nothing was tried.
    EXPECT_GT(same, different / 4);
    EXPECT_GT(different, same / 4);
  }
}

}  // namespace
}  // namespace pianola::compiler::host
