// SPDX-License-Identifier: Apache-2.0
// Where ways that part at a branch meet again, of random functions, beside what a look at every pair of ways says.
#include "host/analysis/divergent_joins.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Transforms/Utils/Local.h>

namespace pianola::compiler::host {
namespace {

using block_names = std::set<std::string>;

llvm::CycleInfo cycles_of(llvm::Function& function) {
  llvm::CycleInfo cycles;
  cycles.compute(function);
  return cycles;
}

block_names joins_of(llvm::BasicBlock& branch) {
  block_names found;
  const llvm::CycleInfo cycles = cycles_of(*branch.getParent());
  for (llvm::BasicBlock* join :
       divergent_join_finder(*branch.getParent(), cycles).of(branch).of_ways)
    found.insert(join->getName().str());
  return found;
}

// Every block of which two ways from the branch have nothing in common but both ends.
block_names joins_by_pairs_of_ways(llvm::BasicBlock& branch) {
  using way = std::vector<llvm::BasicBlock*>;
  std::map<llvm::BasicBlock*, std::vector<way>> ways;
  way here;
  const std::function<void(llvm::BasicBlock*)> walk = [&](llvm::BasicBlock* at) {
    for (llvm::BasicBlock* next : llvm::successors(at)) {
      ways[next].push_back(here);
      here.push_back(next);
      walk(next);
      here.pop_back();
    }
  };
  walk(&branch);
  block_names found;
  for (const auto& [block, all] : ways)
    for (std::size_t a = 0; a < all.size(); ++a)
      for (std::size_t b = a + 1; b < all.size(); ++b)
        if (std::none_of(all[a].begin(), all[a].end(), [&](llvm::BasicBlock* on_a) {
              return std::find(all[b].begin(), all[b].end(), on_a) != all[b].end();
            }))
          found.insert(block->getName().str());
  return found;
}

// Blocks whose branches lead to later ones only.
llvm::Function& random_ways(llvm::Module& module, std::mt19937& random) {
  llvm::LLVMContext& context = module.getContext();
  auto* bit = llvm::Type::getInt1Ty(context);
  auto& function =
      *llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), {bit}, false),
                              llvm::Function::ExternalLinkage, "ways", module);
  const unsigned count = 3 + random() % 9;
  std::vector<llvm::BasicBlock*> blocks;
  for (unsigned i = 0; i < count; ++i)
    blocks.push_back(llvm::BasicBlock::Create(context, "b" + std::to_string(i), &function));
  llvm::IRBuilder<> at(context);
  for (unsigned i = 0; i < count; ++i) {
    at.SetInsertPoint(blocks[i]);
    const auto later = [&] { return blocks[i + 1 + random() % std::min(count - i - 1, 4U)]; };
    if (i + 1 == count)
      at.CreateRetVoid();
    else if (random() % 3 == 0)
      at.CreateBr(later());
    else
      at.CreateCondBr(function.getArg(0), later(), later());
  }
  llvm::removeUnreachableBlocks(function);
  return function;
}

TEST(divergent_joins, are_where_two_ways_meet_that_share_nothing) {
  const char* chosen = std::getenv("PIANOLA_TEST_SEED");
  const unsigned first = chosen != nullptr ? static_cast<unsigned>(std::stoul(chosen)) : 1;
  for (unsigned seed = first; seed < first + (chosen != nullptr ? 1 : 400); ++seed) {
    SCOPED_TRACE("PIANOLA_TEST_SEED=" + std::to_string(seed));
    std::mt19937 random(seed);
    llvm::LLVMContext context;
    llvm::Module module("ways", context);
    for (llvm::BasicBlock& block : random_ways(module, random))
      if (block.getTerminator()->getNumSuccessors() == 2 &&
          block.getTerminator()->getSuccessor(0) != block.getTerminator()->getSuccessor(1)) {
        ASSERT_EQ(joins_of(block), joins_by_pairs_of_ways(block)) << block.getName().str();
      }
  }
}

// A function in LLVM's text form, with its loops.
struct parsed {
  explicit parsed(const char* text) {
    llvm::SMDiagnostic mistake;
    module = llvm::parseAssemblyString(text, mistake, context);
    if (module == nullptr) throw std::runtime_error(mistake.getMessage().str());
    cycles.compute(function());
  }
  llvm::Function& function() { return *module->begin(); }
  llvm::BasicBlock& block(llvm::StringRef name) {
    for (llvm::BasicBlock& b : function())
      if (b.getName() == name) return b;
    throw std::runtime_error("no block " + name.str());
  }

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  llvm::CycleInfo cycles;
};

// Some leave the loop, the others in a later round, all by the same door.
TEST(divergent_joins, of_rounds_are_where_a_loop_is_left) {
  parsed loop(R"(
define void @loop(i1 %leaves, i1 %goes_on) {
start:
  br label %head
head:
  br label %choice
choice:
  br i1 %leaves, label %door, label %latch
latch:
  br i1 %goes_on, label %head, label %end
door:
  br label %behind
behind:
  br label %end
end:
  ret void
})");
  llvm::BasicBlock& choice = loop.block("choice");
  const divergent_joins joins = divergent_join_finder(loop.function(), loop.cycles).of(choice);
  block_names of_ways, of_rounds;
  for (llvm::BasicBlock* join : joins.of_ways) of_ways.insert(join->getName().str());
  for (const divergent_joins::exit& exit : joins.of_rounds) {
    of_rounds.insert(exit.to->getName().str());
    EXPECT_EQ(exit.from, loop.cycles.getCycle(&choice));
  }
  // From the latch one comes to the end at once, or by the head in another round.
  EXPECT_EQ(of_rounds, (block_names{"door", "end"}));
  EXPECT_EQ(of_ways, (block_names{"door", "end"}));
}

// The same where the loop begins with the branch, and is left behind it.
TEST(divergent_joins, of_rounds_are_also_of_loops_that_begin_with_the_branch) {
  parsed loop(R"(
define void @loop(i1 %asks, i1 %leaves) {
start:
  br label %head
head:
  br i1 %asks, label %choice, label %latch
choice:
  br i1 %leaves, label %end, label %latch
latch:
  br label %head
end:
  ret void
})");
  llvm::BasicBlock& head = loop.block("head");
  const divergent_joins joins = divergent_join_finder(loop.function(), loop.cycles).of(head);
  ASSERT_EQ(joins.of_rounds.size(), 1U);
  EXPECT_EQ(joins.of_rounds.front().to->getName(), "end");
  EXPECT_EQ(joins.of_rounds.front().from, loop.cycles.getCycle(&head));
}

// Where all have met in front of the exit, they leave together.
TEST(divergent_joins, are_not_where_all_come_by_one_way) {
  parsed loop(R"(
define void @loop(i1 %asks, i1 %leaves) {
start:
  br label %head
head:
  br i1 %asks, label %some, label %others
some:
  br label %met
others:
  br label %met
met:
  br i1 %leaves, label %inner, label %head
inner:
  br i1 %leaves, label %inner, label %end
end:
  ret void
})");
  llvm::BasicBlock& head = loop.block("head");
  const divergent_joins joins = divergent_join_finder(loop.function(), loop.cycles).of(head);
  EXPECT_TRUE(joins.of_rounds.empty());
  ASSERT_EQ(joins.of_ways.size(), 1U);
  EXPECT_EQ(joins.of_ways.front()->getName(), "met");
}

}  // namespace
}  // namespace pianola::compiler::host
