// SPDX-License-Identifier: Apache-2.0
// Runs random kernels with every access reported instead of made, and holds what the compiler says against it.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <pianola/abi/launch.h>
#include <pianola/compiler/analyse_arguments.hpp>

#include "random_body.hpp"

namespace {

using namespace pianola::compiler;

struct position {
  std::uint64_t group[3];
  std::uint32_t local[3];
  std::uint32_t size[3];
};
struct touch {
  std::uint64_t address, bytes;
  bool writes;
};
position here;
std::vector<touch> touched;

// Arguments point so far apart that the nearest one tells which of them an address was made of.
constexpr unsigned slot_bits = 59;
constexpr std::uint64_t base_of(std::uint64_t slot) {
  return ((2 * slot + 1) << (slot_bits - 1)) & ~std::uint64_t{15};
}
constexpr std::uint64_t foreign_slot = 7;

extern "C" {
std::uint64_t test_touch(std::uint64_t address, std::uint64_t bytes, std::uint32_t writes) {
  touched.push_back({address, bytes, writes != 0});
  return (address * 0x9e3779b97f4a7c15ULL) >> 40;
}
std::uint64_t test_foreign() { return base_of(foreign_slot); }
std::uint64_t test_group_x() { return here.group[2]; }
std::uint64_t test_group_y() { return here.group[1]; }
std::uint32_t test_local_x() { return here.local[2]; }
std::uint32_t test_local_y() { return here.local[1]; }
std::uint32_t test_size_x() { return here.size[2]; }
std::uint32_t test_size_y() { return here.size[1]; }
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
        result = b.CreateTruncOrBitCast(result, load->getType());
      load->replaceAllUsesWith(result);
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(i)) {
      call(store->getPointerOperand(), size(store->getValueOperand()->getType()), true);
    } else if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(i)) {
      call(update->getPointerOperand(), 4, false);
      call(update->getPointerOperand(), 4, true);
    } else if (auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(i)) {
      const std::uint64_t n = llvm::cast<llvm::ConstantInt>(copy->getLength())->getZExtValue();
      call(copy->getRawSource(), n, false);
      call(copy->getRawDest(), n, true);
    }
    i->eraseFromParent();
  }
}

void simplify(llvm::Function& body) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.run(body, functions);
}

constexpr const char* layout =
    "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";
constexpr std::uint64_t global[3] = {1, 4, 6};
constexpr std::uint32_t local[3] = {1, 2, 3};

struct sum {
  std::uint64_t value = 0;
  double largest = 0;
  bool is_narrow = true;  // absolute values add up to less than 2^31
};
std::uint64_t magnitude(std::int64_t n) {
  return n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
}

std::optional<sum> evaluate(const index_sum& terms, const random_object& object,
                            const pianola_launch& launch, const std::uint64_t (&id)[3]) {
  sum s;
  double largest = 0;
  for (const pianola_index_term& t : terms) {
    auto product = static_cast<std::uint64_t>(t.coefficient);
    double bound = static_cast<double>(magnitude(t.coefficient));
    for (const std::uint32_t f : t.factors) {
      const std::uint32_t where = f & PIANOLA_FACTOR_WHERE_MASK;
      std::uint64_t value = 1, most = 1;
      std::int32_t small;
      const auto* bytes = reinterpret_cast<const unsigned char*>(&object);
      switch (f >> PIANOLA_FACTOR_KIND_SHIFT) {
        case PIANOLA_FACTOR_U64:
          std::memcpy(&value, bytes + where, 8);
          most = value;
          break;
        case PIANOLA_FACTOR_S32:
          std::memcpy(&small, bytes + where, 4);
          if (small < 0) s.is_narrow = false;
          value = static_cast<std::uint64_t>(std::int64_t{small});
          most = magnitude(small);
          break;
        case PIANOLA_FACTOR_U32:
          std::memcpy(&small, bytes + where, 4);
          most = value = static_cast<std::uint32_t>(small);
          break;
        case PIANOLA_FACTOR_ID:
          value = id[where];
          most = global[where] - 1;
          break;
        case PIANOLA_FACTOR_GLOBAL:
          most = value = launch.global[where];
          break;
        case PIANOLA_FACTOR_OFFSET:
          most = value = launch.offset[where];
          break;
        case PIANOLA_FACTOR_GROUP:
          value = id[where] / local[where];
          most = global[where] / local[where] - 1;
          break;
        case PIANOLA_FACTOR_LOCAL_SIZE:
          most = value = local[where];
          break;
        case PIANOLA_FACTOR_GROUPS:
          most = value = global[where] / local[where];
          break;
        case PIANOLA_FACTOR_ONE:
          break;
        default:
          return std::nullopt;
      }
      product *= value;
      bound *= static_cast<double>(most);
    }
    s.value += product;
    largest += bound;
  }
  s.largest = largest;
  s.is_narrow = s.is_narrow && largest < 2147483648.0;
  return s;
}

bool is_met(std::uint64_t kind, std::uint64_t a, std::uint64_t b) {
  const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
  switch (kind) {
    case PIANOLA_CONDITION_AT_LEAST:
      return x >= y;
    case PIANOLA_CONDITION_GREATER:
      return x > y;
    case PIANOLA_CONDITION_BELOW:
      return a < b;
    case PIANOLA_CONDITION_NOT_BELOW:
      return a >= b;
    default:
      return a != b;
  }
}

// Bytes, from where the pointer points.
using byte_set = std::set<std::uint64_t>;

struct named_bytes {
  byte_set read, written;                // may be
  byte_set surely_read, surely_written;  // are
};

// What the accesses of a pointer name for one work-item. Nothing where that does not hold, or is of no use: indices that are
// too large.
std::optional<named_bytes> name_bytes(const argument_use& use, const random_object& object,
                                      const pianola_launch& launch, const std::uint64_t (&id)[3]) {
  named_bytes named;
  for (const argument_access& a : use.accesses) {
    const bool narrow = (a.flags & PIANOLA_ACCESS_NARROW) != 0;
    bool met = true, holds = true;
    const auto value = [&](const index_sum& terms) {
      const auto s = evaluate(terms, object, launch, id);
      if (!s || s->largest > 4e18 || (narrow && !s->is_narrow)) holds = false;
      return s ? *s : sum{};
    };
    // Who resolves the list takes a condition that does not hold for one that may be met.
    for (const access_condition& c : a.conditions) {
      holds = true;
      const sum x = value(c.a), y = value(c.b);
      if (holds && !is_met(c.kind, x.value, y.value)) met = false;
    }
    bool certain = (a.flags & PIANOLA_ACCESS_CERTAIN) != 0;
    for (const access_condition& c : a.conditions) {
      holds = true;
      (void)value(c.a), (void)value(c.b);
      if (!holds) certain = false;
    }
    if (!met) continue;
    holds = true;
    const sum start = value(a.start);
    double largest = start.largest + a.bytes;
    std::vector<std::uint64_t> places{start.value};
    for (const access_loop& l : a.loops) {
      const sum count = value(l.count), stride = value(l.stride);
      std::int64_t n = static_cast<std::int64_t>(count.value);
      if ((l.flags & PIANOLA_LOOP_UNSIGNED) != 0 && n < 0) return std::nullopt;
      const double least = l.least == std::numeric_limits<std::int64_t>::min()
                               ? 0
                               : static_cast<double>(magnitude(l.least));
      if (narrow && count.largest + static_cast<double>(magnitude(l.plus)) + least >= 2147483648.0)
        return std::nullopt;
      if (n > 100000) return std::nullopt;
      n = std::max(n, l.least) + l.plus;
      if (n < 0) return std::nullopt;
      n = n / static_cast<std::int64_t>(l.divisor) + l.extra;
      if (n * static_cast<std::int64_t>(places.size()) > 100000) return std::nullopt;
      std::vector<std::uint64_t> further;
      for (std::int64_t k = 0; k < n; ++k)
        for (const std::uint64_t p : places)
          further.push_back(p + static_cast<std::uint64_t>(k) * stride.value);
      places = std::move(further);
      if (n > 0) largest += stride.largest * static_cast<double>(n - 1);
    }
    if (!holds || largest > 4e18 || (narrow && largest >= 2147483648.0)) return std::nullopt;
    for (const std::uint64_t p : places)
      for (std::uint32_t i = 0; i < a.bytes; ++i) {
        if ((a.flags & PIANOLA_ACCESS_READ) != 0) {
          named.read.insert(p + i);
          if (certain) named.surely_read.insert(p + i);
        }
        if ((a.flags & PIANOLA_ACCESS_WRITTEN) != 0) {
          named.written.insert(p + i);
          if (certain) named.surely_written.insert(p + i);
        }
      }
  }
  return named;
}

// Empty if the lists of accesses are true of what was touched.
std::string contradiction_of_lists(const kernel_uses& uses, const random_object& object,
                                   const pianola_launch& launch, const std::uint64_t (&id)[3],
                                   std::size_t& listed, std::size_t& certain) {
  if ((uses.flags & PIANOLA_KERNEL_USES_ONLY) == 0) return "";
  for (const touch& t : touched)
    if (t.address >> slot_bits > 2) return "";  // an index that led astray
  for (const argument_use& use : uses.uses) {
    if ((use.flags & PIANOLA_USE_LISTED) == 0) continue;
    const auto named = name_bytes(use, object, launch, id);
    if (!named) continue;
    // What a work-item has written itself need not be there before.
    byte_set read, needed, written;
    const std::uint64_t slot = use.offset / 8;
    for (const touch& t : touched) {
      if (t.address >> slot_bits != slot) continue;
      const std::uint64_t from = t.address - object.pointers[slot];
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
std::string contradiction(const kernel_uses& uses, const random_object& object,
                          const pianola_launch& launch, const std::uint64_t (&id)[3],
                          std::size_t& described) {
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
    const auto s = evaluate(use->terms, object, launch, id);
    if (!s) return where + " has a factor that nobody knows";
    if ((use->flags & PIANOLA_USE_NARROW) != 0 &&
        (!s->is_narrow || s->largest + use->element_bytes >= 2147483648.0))
      continue;
    const std::uint64_t from = t.address - object.pointers[slot] - s->value;
    if (from + t.bytes > use->element_bytes || from + t.bytes < from)
      return where + " is touched " + std::to_string(static_cast<std::int64_t>(from)) +
             " bytes from its element";
    ++described;
  }
  return "";
}

TEST(random_kernels, what_is_said_of_random_kernels_is_true) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
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
      analysed.setDataLayout(layout);
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
    module->setDataLayout(layout);
    llvm::Function& run = *make_random_body(*module, seed);
    // Simplified as well: accesses that make no difference are gone from it.
    if (seed % 2 == 0) simplify(run);
    report_accesses(run);
    auto jit = llvm::cantFail(llvm::orc::LLJITBuilder().create());
    llvm::orc::SymbolMap symbols;
    const auto define = [&](const char* name, auto* function) {
      symbols[jit->mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                                             llvm::JITSymbolFlags::Exported};
    };
    define("test_touch", &test_touch);
    define("test_foreign", &test_foreign);
    define("__pianola_group_id_x", &test_group_x);
    define("__pianola_group_id_y", &test_group_y);
    define("__pianola_local_id_x", &test_local_x);
    define("__pianola_local_id_y", &test_local_y);
    define("__pianola_local_size_x", &test_size_x);
    define("__pianola_local_size_y", &test_size_y);
    llvm::cantFail(jit->getMainJITDylib().define(llvm::orc::absoluteSymbols(symbols)));
    llvm::cantFail(
        jit->addIRModule(llvm::orc::ThreadSafeModule(std::move(module), std::move(context))));
    auto* const body = llvm::cantFail(jit->lookup("body"))
                           .toPtr<void (*)(const random_object*, const pianola_launch*)>();

    for (const std::uint64_t big : {std::uint64_t{7}, std::uint64_t{0x40000001}}) {
      random_object object{
          {base_of(0), base_of(1), base_of(2)},
          {seed % 11, big, 3},
          {static_cast<std::int32_t>(seed % 13) - 4, static_cast<std::int32_t>(big)}};
      const pianola_launch launch{{global[0], global[1], global[2]}, {0, 5, seed % 3}};
      for (std::uint64_t y = 0; y < global[1]; ++y)
        for (std::uint64_t x = 0; x < global[2]; ++x) {
          here = {{0, y / local[1], x / local[2]},
                  {0, static_cast<std::uint32_t>(y % local[1]),
                   static_cast<std::uint32_t>(x % local[2])},
                  {local[0], local[1], local[2]}};
          touched.clear();
          body(&object, &launch);
          std::string wrong = contradiction(uses, object, launch, {0, y, x}, described);
          if (wrong.empty())
            wrong = contradiction_of_lists(uses, object, launch, {0, y, x}, listed, certain);
          ASSERT_EQ(wrong, "") << "work-item (" << y << ", " << x << ") of\n" << text;
        }
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
