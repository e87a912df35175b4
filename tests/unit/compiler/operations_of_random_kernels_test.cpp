// SPDX-License-Identifier: Apache-2.0
// Counts what random kernels compute while they run, and holds what the compiler says against it.
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <pianola/compiler/analyse_arguments.hpp>
#include <pianola/compiler/tally_operations.hpp>
#include <pianola/compiler/unrolled_copy.hpp>

#include "facts_values.hpp"
#include "random_body.hpp"
#include "running_body.hpp"

namespace {

using namespace pianola::compiler;

std::vector<std::uint64_t> runs;  // of each block that computes something

extern "C" {
void test_block(std::uint32_t number) { ++runs[number]; }
std::uint64_t test_any(std::uint64_t address) { return (address * 0x9e3779b97f4a7c15ULL) >> 40; }
}

// Nothing is touched but the function object and the launch: what is read is made up.
void keep_from_memory(llvm::Function& body) {
  llvm::Module& module = *body.getParent();
  llvm::IRBuilder<> b(module.getContext());
  llvm::Type* i64 = b.getInt64Ty();
  const auto any = module.getOrInsertFunction("test_any", i64, i64);
  const auto foreign = module.getOrInsertFunction("test_foreign", i64);
  std::vector<llvm::Instruction*> accesses;
  for (llvm::Instruction& i : llvm::instructions(body)) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i);
    if (load != nullptr &&
        llvm::isa<llvm::Argument>(load->getPointerOperand()->stripInBoundsConstantOffsets()))
      continue;
    if (llvm::isa<llvm::LoadInst, llvm::StoreInst, llvm::AtomicRMWInst, llvm::MemCpyInst>(i))
      accesses.push_back(&i);
  }
  for (llvm::Instruction* i : accesses) {
    b.SetInsertPoint(i);
    if (i->getType()->isPointerTy()) {
      i->replaceAllUsesWith(b.CreateIntToPtr(b.CreateCall(foreign), i->getType()));
    } else if (!i->getType()->isVoidTy()) {
      const llvm::Value* at = llvm::getLoadStorePointerOperand(i);
      if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(i))
        at = update->getPointerOperand();
      llvm::Value* number =
          b.CreateCall(any, {b.CreatePtrToInt(const_cast<llvm::Value*>(at), i64)});
      const auto bits = static_cast<unsigned>(i->getType()->getPrimitiveSizeInBits());
      i->replaceAllUsesWith(
          b.CreateBitCast(b.CreateTrunc(number, b.getIntNTy(bits)), i->getType()));
    }
    i->eraseFromParent();
  }
}

void count_runs(const block_tallies& tallies, llvm::Module& module) {
  llvm::IRBuilder<> b(module.getContext());
  const auto ran = module.getOrInsertFunction("test_block", b.getVoidTy(), b.getInt32Ty());
  std::uint32_t number = 0;
  for (const auto& [block, tally] : tallies) {
    auto& at = const_cast<llvm::BasicBlock&>(*block);
    b.SetInsertPoint(&at, at.getFirstInsertionPt());
    b.CreateCall(ran, {b.getInt32(number++)});
  }
}

struct totals {
  std::uint64_t simple = 0, divisions = 0, functions = 0;
  void add(const operation_tally& t, std::uint64_t times) {
    simple += t.simple * times;
    divisions += t.divisions * times;
    functions += t.functions * times;
  }
};

// Of one work-item; nothing where it does not hold.
std::optional<totals> said(const kernel_uses& uses, const work_item& item) {
  totals all;
  for (const counted_operations& o : uses.operations) {
    const bool narrow = (o.flags & PIANOLA_OPERATIONS_NARROW) != 0;
    const met_conditions conditions = meets(o.conditions, narrow, item);
    if (!conditions.known) return std::nullopt;
    if (!conditions.met) continue;
    std::uint64_t times = 1;
    for (const access_loop& l : o.loops) {
      const auto n = rounds_of(l, narrow, item);
      if (!n) return std::nullopt;
      times *= static_cast<std::uint64_t>(*n);
    }
    all.add(o.each, times);
  }
  return all;
}

TEST(random_kernels, compute_as_much_as_is_said) {
  const char* chosen = std::getenv("PIANOLA_TEST_SEED");
  const std::uint64_t first = chosen != nullptr ? std::strtoull(chosen, nullptr, 10) : 1;
  const char* rounds = std::getenv("PIANOLA_TEST_ROUNDS");
  const std::uint64_t count = rounds != nullptr   ? std::strtoull(rounds, nullptr, 10)
                              : chosen != nullptr ? 1
                                                  : 400;
  std::size_t known = 0, held = 0, in_loops = 0, conditional = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("PIANOLA_TEST_SEED=" + std::to_string(seed));
    auto context = std::make_unique<llvm::LLVMContext>();
    auto module = std::make_unique<llvm::Module>("run", *context);
    module->setDataLayout(random_layout);
    kernel k;
    k.body = make_random_body(*module, seed);
    if (seed % 2 == 0) simplify(*k.body);
    const kernel_uses uses = analyse_arguments(k)[0];
    if ((uses.flags & PIANOLA_KERNEL_OPERATIONS_KNOWN) == 0) continue;
    ++known;
    std::string text;
    llvm::raw_string_ostream out(text);
    print_operations(out, uses);
    module->print(out, nullptr);

    // The same copy that was looked at.
    block_tallies tallies;
    {
      unroller copies;
      if (llvm::Function* copy = copies.copy(*k.body)) {
        copies.forget(*copy);
        k.body->eraseFromParent();
        k.body = copy;
        copy->setName("body");
        copy->setLinkage(llvm::GlobalValue::ExternalLinkage);
      }
    }
    tallies = *tally_operations(*k.body);
    count_runs(tallies, *module);
    keep_from_memory(*k.body);
    ASSERT_FALSE(llvm::verifyModule(*module, &llvm::errs())) << text;
    const running_body body(std::move(module), std::move(context),
                            {{"test_block", reinterpret_cast<void*>(&test_block)},
                             {"test_any", reinterpret_cast<void*>(&test_any)}});
    for (const std::uint64_t big : {std::uint64_t{7}, std::uint64_t{0x40000001}}) {
      const random_object object{
          {base_of(0), base_of(1), base_of(2)},
          {seed % 11, big, 3},
          {static_cast<std::int32_t>(seed % 13) - 4, static_cast<std::int32_t>(big)}};
      const pianola_launch launch{{random_global[0], random_global[1], random_global[2]},
                                  {0, 5, seed % 3}};
      for_each_random_item([&](const std::uint64_t(&id)[3]) {
        const work_item item{object, launch, {id[0], id[1], id[2]}};
        const auto claim = said(uses, item);
        if (!claim) return;
        runs.assign(tallies.size(), 0);
        body.run(item);
        totals counted;
        for (std::size_t i = 0; i < tallies.size(); ++i) counted.add(tallies[i].second, runs[i]);
        EXPECT_EQ(counted.simple, claim->simple) << id[1] << ", " << id[2];
        EXPECT_EQ(counted.divisions, claim->divisions) << id[1] << ", " << id[2];
        EXPECT_EQ(counted.functions, claim->functions) << id[1] << ", " << id[2];
        ++held;
      });
      if (HasFailure()) FAIL() << text;
    }
    for (const counted_operations& o : uses.operations) {
      if (!o.loops.empty()) ++in_loops;
      if (!o.conditions.empty()) ++conditional;
    }
  }
  if (chosen == nullptr) {
    EXPECT_GT(known, 100U);
    EXPECT_GT(held, 4000U);
    EXPECT_GT(in_loops, 20U);
    EXPECT_GT(conditional, 50U);
  }
}

}  // namespace
