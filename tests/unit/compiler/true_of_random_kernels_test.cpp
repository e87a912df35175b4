// SPDX-License-Identifier: Apache-2.0
// Runs random kernels with every access reported instead of made, and holds what the compiler says against it.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <pianola/compiler/analyse_arguments.hpp>

#include "facts_values.hpp"
#include "random_body.hpp"
#include "running_body.hpp"

namespace {

using namespace pianola::compiler;

struct touch {
  std::uint64_t address, bytes;
  bool writes;
};
std::vector<touch> touched;

extern "C" {
std::uint64_t test_touch(std::uint64_t address, std::uint64_t bytes, std::uint32_t writes) {
  touched.push_back({address, bytes, writes != 0});
  return (address * 0x9e3779b97f4a7c15ULL) >> 40;
}
}

// Every access but those to the function object and the launch becomes a call of test_touch.
void report_accesses(llvm::Function& body) {
  llvm::Module& module = *body.getParent();
  llvm::IRBuilder<> b(module.getContext());
  llvm::Type* i64 = b.getInt64Ty();
  const auto report = module.getOrInsertFunction("test_touch", i64, i64, i64, b.getInt32Ty());
  const auto foreign = module.getOrInsertFunction("test_foreign", i64);
  const auto call = [&](llvm::Value* address, std::uint64_t bytes, bool writes) {
    return b.CreateCall(report,
                        {b.CreatePtrToInt(address, i64), b.getInt64(bytes), b.getInt32(writes)});
  };
  const auto as = [&](llvm::Value* number, llvm::Type* type) {
    const auto bits = static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue());
    return b.CreateBitCast(b.CreateTrunc(number, b.getIntNTy(bits)), type);
  };
  std::vector<llvm::Instruction*> accesses;
  for (llvm::Instruction& i : llvm::instructions(body)) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&i))
      if (llvm::isa<llvm::Argument>(load->getPointerOperand()->stripInBoundsConstantOffsets()))
        continue;
    if (llvm::isa<llvm::LoadInst, llvm::StoreInst, llvm::AtomicRMWInst, llvm::MemCpyInst>(i))
      accesses.push_back(&i);
  }
  for (llvm::Instruction* i : accesses) {
    b.SetInsertPoint(i);
    const auto size = [&](llvm::Type* t) {
      return module.getDataLayout().getTypeStoreSize(t).getFixedValue();
    };
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(i)) {
      llvm::Value* result = call(load->getPointerOperand(), size(load->getType()), false);
      if (load->getType()->isPointerTy())
        result = b.CreateIntToPtr(b.CreateCall(foreign), load->getType());
      else
        result = as(result, load->getType());
      load->replaceAllUsesWith(result);
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(i)) {
      call(store->getPointerOperand(), size(store->getValueOperand()->getType()), true);
    } else if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(i)) {
      llvm::Value* old = call(update->getPointerOperand(), 4, false);
      call(update->getPointerOperand(), 4, true);
      update->replaceAllUsesWith(as(old, update->getType()));
    } else if (auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(i)) {
      const std::uint64_t n = llvm::cast<llvm::ConstantInt>(copy->getLength())->getZExtValue();
      call(copy->getRawSource(), n, false);
      call(copy->getRawDest(), n, true);
    }
    i->eraseFromParent();
  }
}

// Bytes, from where the pointer points.
using byte_set = std::set<std::uint64_t>;

struct named_bytes {
  byte_set read, written;                // may be
  byte_set surely_read, surely_written;  // are
};

// What the accesses of a pointer name for one work-item. Nothing where that does not hold.
std::optional<named_bytes> name_bytes(const argument_use& use, const work_item& item) {
  named_bytes named;
  for (const argument_access& a : use.accesses) {
    const auto places = places_of(a, item);
    if (!places) return std::nullopt;
    for (const std::uint64_t p : places->at)
      for (std::uint32_t i = 0; i < a.bytes; ++i) {
        if ((a.flags & PIANOLA_ACCESS_READ) != 0) {
          named.read.insert(p + i);
          if (places->certain) named.surely_read.insert(p + i);
        }
        if ((a.flags & PIANOLA_ACCESS_WRITTEN) != 0) {
          named.written.insert(p + i);
          if (places->certain) named.surely_written.insert(p + i);
        }
      }
  }
  return named;
}

// Empty if the lists of accesses are true of what was touched.
std::string contradiction_of_lists(const kernel_uses& uses, const work_item& item,
                                   std::size_t& listed, std::size_t& certain) {
  if ((uses.flags & PIANOLA_KERNEL_USES_ONLY) == 0) return "";
  for (const touch& t : touched)
    if (t.address >> slot_bits > 2) return "";  // an index that led astray
  for (const argument_use& use : uses.uses) {
    if ((use.flags & PIANOLA_USE_LISTED) == 0) continue;
    const auto named = name_bytes(use, item);
    if (!named) continue;
    // What a work-item has written itself need not be there before.
    byte_set read, needed, written;
    const std::uint64_t slot = use.offset / 8;
    for (const touch& t : touched) {
      if (t.address >> slot_bits != slot) continue;
      const std::uint64_t from = t.address - item.object.pointers[slot];
      for (std::uint64_t i = 0; i < t.bytes; ++i) {
        (t.writes ? written : read).insert(from + i);
        if (!t.writes && !written.contains(from + i)) needed.insert(from + i);
      }
    }
    const auto holds = [](const byte_set& all, const byte_set& part) {
      return std::includes(all.begin(), all.end(), part.begin(), part.end());
    };
    const std::string where = "argument " + std::to_string(slot);
    if (!holds(named->read, needed)) return where + " is read elsewhere";
    if (!holds(named->written, written)) return where + " is written elsewhere";
    if (!holds(written, named->surely_written)) return where + " is not written everywhere";
    if (!holds(read, named->surely_read)) return where + " is not read everywhere";
    listed += read.size() + written.size();
    certain += named->surely_read.size() + named->surely_written.size();
  }
  return "";
}

// Empty if what `uses` says is true of what was touched.
std::string contradiction(const kernel_uses& uses, const work_item& item, std::size_t& described) {
  if ((uses.flags & PIANOLA_KERNEL_USES_ONLY) == 0) return "";
  byte_set own;  // what the work-item has written itself need not be there before
  for (const touch& t : touched) {
    bool needed = t.writes;
    for (std::uint64_t i = 0; i < t.bytes; ++i) {
      needed = needed || !own.contains(t.address + i);
      if (t.writes) own.insert(t.address + i);
    }
    if (!needed) continue;
    const std::uint64_t slot = t.address >> slot_bits;
    if (slot == foreign_slot) return "other memory is touched";
    if (slot > 2) return "";  // an index that led astray
    const argument_use* use = nullptr;
    for (const argument_use& u : uses.uses)
      if (u.offset == 8 * slot) use = &u;
    const std::string where = "argument " + std::to_string(slot);
    if (use == nullptr) return where + " is touched and not listed";
    if ((use->flags & PIANOLA_USE_UNKNOWN) != 0) continue;
    if ((use->flags & (t.writes ? PIANOLA_USE_WRITTEN : PIANOLA_USE_READ)) == 0)
      return where + (t.writes ? " is written" : " is read");
    if ((use->flags & PIANOLA_USE_ELEMENT_WISE) == 0) continue;
    const auto s = evaluate(use->terms, item);
    if (!s) return where + " has a factor that nobody knows";
    if ((use->flags & PIANOLA_USE_NARROW) != 0 &&
        (!s->is_narrow || s->largest + use->element_bytes >= 2147483648.0))
      continue;
    const std::uint64_t from = t.address - item.object.pointers[slot] - s->value;
    if (from + t.bytes > use->element_bytes || from + t.bytes < from)
      return where + " is touched " + std::to_string(static_cast<std::int64_t>(from)) +
             " bytes from its element";
    ++described;
  }
  return "";
}

TEST(random_kernels, what_is_said_of_random_kernels_is_true) {
  const char* chosen = std::getenv("PIANOLA_TEST_SEED");
  const std::uint64_t first = chosen != nullptr ? std::strtoull(chosen, nullptr, 10) : 1;
  const char* rounds = std::getenv("PIANOLA_TEST_ROUNDS");
  const std::uint64_t count = rounds != nullptr   ? std::strtoull(rounds, nullptr, 10)
                              : chosen != nullptr ? 1
                                                  : 400;
  std::size_t described = 0, followed = 0, listed = 0, certain = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("PIANOLA_TEST_SEED=" + std::to_string(seed));
    auto context = std::make_unique<llvm::LLVMContext>();
    kernel_uses uses;
    std::string text;
    {
      llvm::Module analysed("analysed", *context);
      analysed.setDataLayout(random_layout);
      kernel k;
      k.body = make_random_body(analysed, seed);
      ASSERT_FALSE(llvm::verifyModule(analysed, &llvm::errs()));
      if (seed % 2 == 0) simplify(*k.body);
      uses = analyse_arguments(k)[0];
      llvm::raw_string_ostream out(text);
      print(out, uses);
      print_accesses(out, uses);
      analysed.print(out, nullptr);
    }
    if ((uses.flags & PIANOLA_KERNEL_USES_ONLY) != 0) ++followed;

    auto module = std::make_unique<llvm::Module>("run", *context);
    module->setDataLayout(random_layout);
    llvm::Function& run = *make_random_body(*module, seed);
    // Simplified as well: accesses that make no difference are gone from it.
    if (seed % 2 == 0) simplify(run);
    report_accesses(run);
    const running_body body(std::move(module), std::move(context),
                            {{"test_touch", reinterpret_cast<void*>(&test_touch)}});

    for (const std::uint64_t big : {std::uint64_t{7}, std::uint64_t{0x40000001}}) {
      random_object object{
          {base_of(0), base_of(1), base_of(2)},
          {seed % 11, big, 3},
          {static_cast<std::int32_t>(seed % 13) - 4, static_cast<std::int32_t>(big)}};
      const pianola_launch launch{{random_global[0], random_global[1], random_global[2]},
                                  {0, 5, seed % 3}};
      std::string wrong;
      for_each_random_item([&](const std::uint64_t(&id)[3]) {
        if (!wrong.empty()) return;
        const work_item item{object, launch, {id[0], id[1], id[2]}};
        touched.clear();
        body.run(item);
        wrong = contradiction(uses, item, described);
        if (wrong.empty()) wrong = contradiction_of_lists(uses, item, listed, certain);
        if (!wrong.empty())
          wrong += " by (" + std::to_string(id[1]) + ", " + std::to_string(id[2]) + ")";
      });
      ASSERT_EQ(wrong, "") << text;
    }
  }
  if (chosen == nullptr) {
    EXPECT_GT(followed, 150U);
    EXPECT_GT(described, 5000U);
    EXPECT_GT(listed, 20000U);
    EXPECT_GT(certain, 10000U);
  }
}

}  // namespace
