// SPDX-License-Identifier: Apache-2.0
// Runs random kernels with a memory of their own. Where the compiler says that what is read serves nothing but to be combined
// with what is written there, the same work-item runs with other numbers there: nothing else may change, and the numbers
// only by that operation.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <pianola/compiler/analyse_arguments.hpp>

#include "facts_values.hpp"
#include "random_body.hpp"
#include "running_body.hpp"

namespace {

using namespace pianola::compiler;

using bytes = std::map<std::uint64_t, std::uint8_t>;
struct event {
  std::uint64_t address, size;
  bool writes;
  friend bool operator==(const event&, const event&) = default;
};
bytes contents;  // what has been written, or put there before
std::vector<event> events;

std::uint64_t read_number(std::uint64_t address, std::uint64_t size) {
  std::uint64_t number = 0;
  for (std::uint64_t i = 0; i < size; ++i) {
    const auto at = contents.find(address + i);
    const std::uint64_t byte =
        at != contents.end() ? at->second : ((address + i) * 0x9e3779b97f4a7c15ULL) >> 56;
    number |= byte << (8 * i);
  }
  return number;
}
void write_number(std::uint64_t address, std::uint64_t size, std::uint64_t number) {
  for (std::uint64_t i = 0; i < size; ++i)
    contents[address + i] = static_cast<std::uint8_t>(number >> (8 * i));
}

extern "C" {
std::uint64_t test_load(std::uint64_t address, std::uint64_t size) {
  events.push_back({address, size, false});
  return read_number(address, size);
}
void test_store(std::uint64_t address, std::uint64_t size, std::uint64_t number) {
  events.push_back({address, size, true});
  write_number(address, size, number);
}
void test_copy(std::uint64_t to, std::uint64_t from, std::uint64_t size) {
  events.push_back({from, size, false});
  events.push_back({to, size, true});
  std::vector<std::uint8_t> all;
  for (std::uint64_t i = 0; i < size; ++i)
    all.push_back(static_cast<std::uint8_t>(read_number(from + i, 1)));
  for (std::uint64_t i = 0; i < size; ++i) contents[to + i] = all[i];
}
}

// Atomics as what they are where nobody else is around.
llvm::Value* updated(llvm::IRBuilder<>& b, llvm::AtomicRMWInst& i, llvm::Value* old) {
  llvm::Value* x = i.getValOperand();
  switch (i.getOperation()) {
    case llvm::AtomicRMWInst::Add:
      return b.CreateAdd(old, x);
    case llvm::AtomicRMWInst::Sub:
      return b.CreateSub(old, x);
    case llvm::AtomicRMWInst::And:
      return b.CreateAnd(old, x);
    case llvm::AtomicRMWInst::Or:
      return b.CreateOr(old, x);
    case llvm::AtomicRMWInst::Xor:
      return b.CreateXor(old, x);
    case llvm::AtomicRMWInst::Min:
      return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, old, x);
    case llvm::AtomicRMWInst::Max:
      return b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, old, x);
    case llvm::AtomicRMWInst::UMin:
      return b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, old, x);
    case llvm::AtomicRMWInst::UMax:
      return b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, old, x);
    default:
      return x;
  }
}

// Every access but those to the function object and the launch goes to `contents`.
void give_memory(llvm::Function& body) {
  llvm::Module& module = *body.getParent();
  llvm::IRBuilder<> b(module.getContext());
  llvm::Type* i64 = b.getInt64Ty();
  const auto load = module.getOrInsertFunction("test_load", i64, i64, i64);
  const auto store = module.getOrInsertFunction("test_store", b.getVoidTy(), i64, i64, i64);
  const auto copy = module.getOrInsertFunction("test_copy", b.getVoidTy(), i64, i64, i64);
  const auto foreign = module.getOrInsertFunction("test_foreign", i64);
  const auto bits_of = [](llvm::Type* type) {
    return type->isPointerTy() ? 64U : static_cast<unsigned>(type->getPrimitiveSizeInBits());
  };
  const auto read = [&](llvm::Value* at, llvm::Type* type) -> llvm::Value* {
    const unsigned bits = bits_of(type);
    llvm::Value* number = b.CreateCall(load, {b.CreatePtrToInt(at, i64), b.getInt64(bits / 8)});
    if (type->isPointerTy()) return b.CreateIntToPtr(b.CreateCall(foreign), type);
    return b.CreateBitCast(b.CreateTrunc(number, b.getIntNTy(bits)), type);
  };
  const auto write = [&](llvm::Value* at, llvm::Value* value) {
    const unsigned bits = bits_of(value->getType());
    llvm::Value* number = value->getType()->isPointerTy()
                              ? b.CreatePtrToInt(value, i64)
                              : b.CreateZExt(b.CreateBitCast(value, b.getIntNTy(bits)), i64);
    b.CreateCall(store, {b.CreatePtrToInt(at, i64), b.getInt64(bits / 8), number});
  };
  std::vector<llvm::Instruction*> accesses;
  for (llvm::Instruction& i : llvm::instructions(body)) {
    const auto* one = llvm::dyn_cast<llvm::LoadInst>(&i);
    if (one != nullptr &&
        llvm::isa<llvm::Argument>(one->getPointerOperand()->stripInBoundsConstantOffsets()))
      continue;
    if (llvm::isa<llvm::LoadInst, llvm::StoreInst, llvm::AtomicRMWInst, llvm::MemCpyInst>(i))
      accesses.push_back(&i);
  }
  for (llvm::Instruction* i : accesses) {
    b.SetInsertPoint(i);
    if (auto* one = llvm::dyn_cast<llvm::LoadInst>(i)) {
      one->replaceAllUsesWith(read(one->getPointerOperand(), one->getType()));
    } else if (auto* put = llvm::dyn_cast<llvm::StoreInst>(i)) {
      write(put->getPointerOperand(), put->getValueOperand());
    } else if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(i)) {
      llvm::Value* old = read(update->getPointerOperand(), update->getType());
      write(update->getPointerOperand(), updated(b, *update, old));
      update->replaceAllUsesWith(old);
    } else if (auto* block = llvm::dyn_cast<llvm::MemCpyInst>(i)) {
      b.CreateCall(copy, {b.CreatePtrToInt(block->getRawDest(), i64),
                          b.CreatePtrToInt(block->getRawSource(), i64), block->getLength()});
    }
    i->eraseFromParent();
  }
}

std::uint32_t neutral_of(std::uint32_t by) {
  switch (by) {
    case PIANOLA_REDUCTION_MULTIPLY:
      return 1;
    case PIANOLA_REDUCTION_AND:
    case PIANOLA_REDUCTION_UNSIGNED_MINIMUM:
      return 0xffffffffU;
    case PIANOLA_REDUCTION_MINIMUM:
      return 0x7fffffffU;
    case PIANOLA_REDUCTION_MAXIMUM:
      return 0x80000000U;
    default:
      return 0;
  }
}
std::uint32_t combined(std::uint32_t by, std::uint32_t a, std::uint32_t b) {
  const auto x = static_cast<std::int32_t>(a), y = static_cast<std::int32_t>(b);
  switch (by) {
    case PIANOLA_REDUCTION_ADD:
      return a + b;
    case PIANOLA_REDUCTION_MULTIPLY:
      return a * b;
    case PIANOLA_REDUCTION_AND:
      return a & b;
    case PIANOLA_REDUCTION_OR:
      return a | b;
    case PIANOLA_REDUCTION_XOR:
      return a ^ b;
    case PIANOLA_REDUCTION_MINIMUM:
      return static_cast<std::uint32_t>(std::min(x, y));
    case PIANOLA_REDUCTION_MAXIMUM:
      return static_cast<std::uint32_t>(std::max(x, y));
    case PIANOLA_REDUCTION_UNSIGNED_MINIMUM:
      return std::min(a, b);
    default:
      return std::max(a, b);
  }
}

// Numbers of 32 bits, and by what they are combined; those that are also read for something else are left out.
using numbers = std::map<std::uint64_t, std::uint32_t>;
bool find_numbers(const kernel_uses& uses, const work_item& item, numbers& found) {
  std::map<std::uint64_t, int> named;  // by how many reads of different kinds each byte
  std::map<std::pair<std::uint64_t, std::uint32_t>, int> kinds;
  for (const argument_use& use : uses.uses) {
    if ((use.flags & PIANOLA_USE_LISTED) == 0) continue;
    for (const argument_access& a : use.accesses) {
      if ((a.flags & PIANOLA_ACCESS_READ) == 0) continue;
      const auto places = places_of(a, item);
      if (!places) return false;
      std::uint32_t by = a.flags >> PIANOLA_ACCESS_REDUCTION_SHIFT;
      if (by > PIANOLA_REDUCTION_UNSIGNED_MAXIMUM) by = PIANOLA_REDUCTION_NONE;  // they round
      for (const std::uint64_t p : places->at) {
        const std::uint64_t address = item.object.pointers[use.offset / 8] + p;
        if (by != PIANOLA_REDUCTION_NONE && a.bytes == 4 &&
            !kinds.try_emplace({address, by}).second)
          continue;
        if (by != PIANOLA_REDUCTION_NONE && a.bytes == 4) found[address] = by;
        for (std::uint32_t i = 0; i < a.bytes; ++i) ++named[address + i];
      }
    }
  }
  std::erase_if(found, [&](const auto& n) {
    for (std::uint64_t i = 0; i < 4; ++i)
      if (named[n.first + i] != 1) return true;
    return std::any_of(events.begin(), events.end(), [&](const event& e) {
      return e.address < n.first + 4 && n.first < e.address + e.size &&
             (e.address != n.first || e.size != 4);
    });
  });
  return true;
}

struct outcome {
  std::vector<event> events;
  bytes contents;
};
outcome run_with(const running_body& body, const work_item& item, const numbers& at,
                 const std::function<std::uint32_t(std::uint32_t)>& number) {
  contents.clear();
  events.clear();
  for (const auto& [address, by] : at) write_number(address, 4, number(by));
  body.run(item);
  return {events, contents};
}

// Empty if all is as it was said.
std::string contradiction(const running_body& body, const work_item& item, const kernel_uses& uses,
                          std::map<std::uint32_t, std::size_t>& checked) {
  run_with(body, item, {}, {});
  for (const event& e : events)
    if (const std::uint64_t slot = e.address >> slot_bits; slot > 2 && slot != foreign_slot)
      return "";  // an index that led astray
  numbers found;
  if (!find_numbers(uses, item, found) || found.empty()) return "";
  const outcome a = run_with(body, item, found, neutral_of);
  const std::uint32_t other = 0x5a3c17e9U;
  const outcome b = run_with(body, item, found, [&](std::uint32_t) { return other; });
  if (a.events != b.events) return "other places are touched";
  if (a.contents.size() != b.contents.size()) return "other bytes are written";
  const auto of = [](const outcome& o, std::uint64_t address) {
    contents = o.contents;
    return static_cast<std::uint32_t>(read_number(address, 4));
  };
  bytes left_a = a.contents, left_b = b.contents;
  for (const auto& [address, by] : found) {
    const std::uint32_t x = of(a, address), y = of(b, address);
    // On some ways it is written anew.
    if (y != combined(by, other, x) && y != x)
      return "reduction " + std::to_string(by) + " made " + std::to_string(y) + " of " +
             std::to_string(other) + " and " + std::to_string(x);
    for (std::uint64_t i = 0; i < 4; ++i) left_a.erase(address + i), left_b.erase(address + i);
    if (y != other) ++checked[by];
  }
  return left_a == left_b ? "" : "what is read went elsewhere, too";
}

TEST(random_kernels, change_nothing_but_by_the_operation_that_is_said) {
  const char* chosen = std::getenv("PIANOLA_TEST_SEED");
  const std::uint64_t first = chosen != nullptr ? std::strtoull(chosen, nullptr, 10) : 1;
  const char* rounds = std::getenv("PIANOLA_TEST_ROUNDS");
  const std::uint64_t count = rounds != nullptr   ? std::strtoull(rounds, nullptr, 10)
                              : chosen != nullptr ? 1
                                                  : 600;
  std::map<std::uint32_t, std::size_t> checked;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("PIANOLA_TEST_SEED=" + std::to_string(seed));
    auto context = std::make_unique<llvm::LLVMContext>();
    auto module = std::make_unique<llvm::Module>("run", *context);
    module->setDataLayout(random_layout);
    kernel k;
    k.body = make_random_body(*module, seed);
    if (seed % 2 == 0) simplify(*k.body);
    const kernel_uses uses = analyse_arguments(k)[0];
    if ((uses.flags & PIANOLA_KERNEL_USES_ONLY) == 0) continue;
    std::string text;
    llvm::raw_string_ostream out(text);
    print_accesses(out, uses);
    if (text.find(" for ") == std::string::npos) continue;
    module->print(out, nullptr);
    give_memory(*k.body);
    ASSERT_FALSE(llvm::verifyModule(*module, &llvm::errs())) << text;
    const running_body body(std::move(module), std::move(context),
                            {{"test_load", reinterpret_cast<void*>(&test_load)},
                             {"test_store", reinterpret_cast<void*>(&test_store)},
                             {"test_copy", reinterpret_cast<void*>(&test_copy)}});
    const random_object object{{base_of(0), base_of(1), base_of(2)},
                               {seed % 11, 7, 3},
                               {static_cast<std::int32_t>(seed % 13) - 4, 7}};
    const pianola_launch launch{{random_global[0], random_global[1], random_global[2]},
                                {0, 5, seed % 3}};
    std::string wrong;
    for_each_random_item([&](const std::uint64_t(&id)[3]) {
      if (!wrong.empty()) return;
      wrong = contradiction(body, {object, launch, {id[0], id[1], id[2]}}, uses, checked);
      if (!wrong.empty())
        wrong += " by (" + std::to_string(id[1]) + ", " + std::to_string(id[2]) + ")";
    });
    ASSERT_EQ(wrong, "") << text;
  }
  if (chosen != nullptr) return;
  for (std::uint32_t by = PIANOLA_REDUCTION_ADD; by <= PIANOLA_REDUCTION_UNSIGNED_MAXIMUM; ++by)
    EXPECT_GT(checked[by], 4U) << "reduction " << by;
}

}  // namespace
