// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/analyse_arguments.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include "facts/count_operations.hpp"
#include "facts/list_accesses.hpp"
#include "facts/reductions.hpp"
#include "pianola/compiler/escapes.hpp"
#include "pianola/compiler/index_polynomial.hpp"
#include "pianola/compiler/unrolled_copy.hpp"

namespace pianola::compiler {

namespace {

/// Where a pointer comes from.
enum class origin {
  argument,  // stored in the function object
  object,    // the function object itself
  launch,    // the second parameter
  own,       // memory of the work-item or of its group, constants
  foreign,   // memory that others may see, not reached through an argument
  unknown    // could be anything, the place an argument points to included
};

struct place {
  origin from;
  std::uint32_t argument;             // origin::argument: its offset
  std::optional<index_value> offset;  // in bytes; nothing if it cannot be told
};

/// All accesses through one pointer of the function object.
struct collected {
  bool read = false;
  bool written = false;
  bool unknown = false;
  bool listed = true;  // every access is among those of access_lister
  std::string unlisted_for;
  // Every access so far is at `variable` plus an offset in [low, high).
  bool exact = true;
  bool narrow = false;
  std::optional<polynomial> variable;
  std::int64_t low = std::numeric_limits<std::int64_t>::max();
  std::int64_t high = std::numeric_limits<std::int64_t>::min();
};

// Of an access that no interval describes.
constexpr std::uint64_t no_size = std::numeric_limits<std::uint64_t>::max();

bool has_groups(const polynomial& p) {
  return std::any_of(p.begin(), p.end(), [](const auto& term) {
    return std::any_of(term.first.begin(), term.first.end(),
                       [](atom a) { return kind_of(a) > PIANOLA_FACTOR_OFFSET; });
  });
}

class analysis {
 public:
  analysis(llvm::Function& body, llvm::FunctionAnalysisManager& analyses)
      : body_(body),
        layout_(body.getParent()->getDataLayout()),
        object_(body),
        loops_(analyses.getResult<llvm::LoopAnalysis>(body)),
        reader_(body, object_, loops_),
        lister_(layout_, object_, reader_, loops_,
                analyses.getResult<llvm::DominatorTreeAnalysis>(body),
                analyses.getResult<llvm::PostDominatorTreeAnalysis>(body),
                analyses.getResult<llvm::ScalarEvolutionAnalysis>(body)),
        counter_(body, reader_, loops_, analyses.getResult<llvm::DominatorTreeAnalysis>(body),
                 analyses.getResult<llvm::PostDominatorTreeAnalysis>(body),
                 analyses.getResult<llvm::ScalarEvolutionAnalysis>(body)) {}

  kernel_uses run() {
    known_ = object_.is_followed();
    for (const llvm::Instruction& i : llvm::instructions(body_)) {
      if (!known_) break;
      note_pointer(i);
      look_at(i);
    }
    kernel_uses result;
    if (!known_) return result;
    result.flags = PIANOLA_KERNEL_USES_KNOWN;
    if (only_) result.flags |= PIANOLA_KERNEL_USES_ONLY;
    for (const auto& [offset, all] : arguments_) {
      result.uses.push_back(describe(offset, all));
      result.uses.back().unlisted_for =
          all.unknown ? "a pointer that is not followed" : all.unlisted_for;
      if (all.unknown || !all.listed) continue;
      auto accesses = lister_.accesses(offset);
      result.uses.back().unlisted_for = accesses ? "" : "more accesses than a list may hold";
      if (!accesses) continue;
      result.uses.back().flags |= PIANOLA_USE_LISTED;
      result.uses.back().accesses = std::move(*accesses);
    }
    if (auto operations = counter_.count()) {
      result.flags |= PIANOLA_KERNEL_OPERATIONS_KNOWN;
      result.operations = std::move(*operations);
    }
    return result;
  }

 private:
  // A pointer that is loaded is listed, whatever becomes of it.
  void note_pointer(const llvm::Instruction& i) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i);
    if (load == nullptr || !load->getType()->isPointerTy()) return;
    if (const auto offset = object_.offset_of(*load->getPointerOperand())) {
      collected& all = arguments_[*offset];
      all.unknown = all.unknown || escapes(*load);
    }
  }

  void look_at(const llvm::Instruction& i) {
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
      access({i, *load->getPointerOperand(), size_of(*load->getType()), true, load->isAtomic(),
              load->isSimple(), true, reduction_of(*load)});
    } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) {
      access({i, *store->getPointerOperand(), size_of(*store->getValueOperand()->getType()),
              store->isAtomic(), true, store->isSimple()});
    } else if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&i)) {
      access({i, *update->getPointerOperand(), size_of(*update->getValOperand()->getType()), true,
              true, false, true, reduction_by(*update)});
    } else if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&i)) {
      access({i, *exchange->getPointerOperand(), size_of(*exchange->getNewValOperand()->getType()),
              true, true, false, false});
    } else if (const auto* memory = llvm::dyn_cast<llvm::AnyMemIntrinsic>(&i)) {
      look_at_block(*memory);
    } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) {
      if (!touches_no_memory(*call)) only_ = false;
    } else if (i.mayReadOrWriteMemory() && !llvm::isa<llvm::FenceInst>(i)) {
      only_ = false;
    }
  }

  void look_at_block(const llvm::AnyMemIntrinsic& i) {
    const auto* length = llvm::dyn_cast<llvm::ConstantInt>(i.getLength());
    const auto* whole = llvm::dyn_cast<llvm::MemIntrinsic>(&i);
    const std::uint64_t bytes = length != nullptr ? length->getZExtValue() : no_size;
    const bool simple = whole != nullptr && !whole->isVolatile();
    // That the function object is copied is checked by function_object.
    access({i, *i.getRawDest(), bytes, false, true, simple});
    if (const auto* transfer = llvm::dyn_cast<llvm::AnyMemTransferInst>(&i))
      access({i, *transfer->getRawSource(), bytes, true, false, simple});
  }

  pianola_reduction reduction_of(const llvm::LoadInst& load) const {
    return reduction_by(load, loops_, [&](const llvm::Value& a, const llvm::Value& b) {
      return lister_.are_same(a, b);
    });
  }

  std::uint64_t size_of(llvm::Type& type) const {
    const llvm::TypeSize size = layout_.getTypeStoreSize(&type);
    return size.isScalable() ? no_size : size.getFixedValue();
  }

  struct accessed {
    const llvm::Instruction& at;
    const llvm::Value& pointer;
    std::uint64_t bytes;
    bool reads, writes;
    bool simple;          // neither atomic nor volatile
    bool certain = true;  // whenever the instruction is reached
    pianola_reduction by = PIANOLA_REDUCTION_NONE;
  };

  void access(const accessed& a) {
    llvm::SmallVector<place, 2> places;
    llvm::SmallPtrSet<const llvm::Value*, 8> seen;
    trace(a.pointer, index_value{}, places, seen);
    const bool through_argument = std::any_of(
        places.begin(), places.end(), [](const place& p) { return p.from == origin::argument; });
    const bool listed = through_argument && a.bytes != no_size &&
                        lister_.add(a.at, a.pointer, a.bytes, a.reads, a.writes, a.certain, a.by);
    for (place& p : places) {
      switch (p.from) {
        case origin::argument: {
          collected& all = arguments_[p.argument];
          all.read = all.read || a.reads;
          all.written = all.written || a.writes;
          if (all.listed && !listed)
            all.unlisted_for =
                a.bytes == no_size ? "a block of a length that is not known" : lister_.reason();
          all.listed = all.listed && listed;
          collect(all, p.offset, a.simple ? a.bytes : no_size);
          break;
        }
        case origin::object:
        case origin::launch:
          if (a.writes) known_ = false;
          break;
        case origin::own:
          break;
        case origin::foreign:
          only_ = false;
          break;
        case origin::unknown:
          known_ = false;
          break;
      }
    }
  }

  /// Adds to `out` every place that the pointer may be, `offset` bytes behind each of them.
  void trace(const llvm::Value& pointer, std::optional<index_value> offset,
             llvm::SmallVectorImpl<place>& out, llvm::SmallPtrSetImpl<const llvm::Value*>& seen) {
    if (const auto* step = llvm::dyn_cast<llvm::GEPOperator>(&pointer))
      return trace(*step->getPointerOperand(), advance(std::move(offset), *step), out, seen);
    if (const auto* same = llvm::dyn_cast<llvm::Operator>(&pointer))
      if (const unsigned opcode = same->getOpcode(); opcode == llvm::Instruction::BitCast ||
                                                     opcode == llvm::Instruction::AddrSpaceCast ||
                                                     opcode == llvm::Instruction::Freeze)
        return trace(*same->getOperand(0), std::move(offset), out, seen);
    if (llvm::isa<llvm::PHINode, llvm::SelectInst>(&pointer)) {
      if (!seen.insert(&pointer).second) return;
      const auto* choice = llvm::cast<llvm::Instruction>(&pointer);
      const unsigned first = llvm::isa<llvm::SelectInst>(choice) ? 1 : 0;
      for (unsigned i = first; i < choice->getNumOperands(); ++i)
        trace(*choice->getOperand(i), std::nullopt, out, seen);
      return;
    }
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&pointer)) {
      if (const auto argument = object_.offset_of(*load->getPointerOperand()))
        out.push_back({origin::argument, *argument, std::move(offset)});
      else if (loads_.insert(load).second) {
        // A pointer that is followed from node to node leads back here, which tells nothing new.
        out.push_back({origin_of_stored(*load->getPointerOperand()), 0, std::nullopt});
        loads_.erase(load);
      }
      return;
    }
    // From nowhere a number leads anywhere.
    const bool from_nowhere = llvm::isa<llvm::ConstantPointerNull>(pointer) &&
                              (!offset || offset->value.size() > 1 ||
                               (!offset->value.empty() && !offset->value.contains({})));
    out.push_back({from_nowhere ? origin::unknown : origin_of(pointer), 0, std::nullopt});
  }

  origin origin_of(const llvm::Value& base) const {
    if (&base == body_.getArg(0)) return origin::object;
    if (&base == body_.getArg(1)) return origin::launch;
    if (object_.holds(base)) return origin::own;
    if (llvm::isa<llvm::AllocaInst, llvm::ConstantPointerNull, llvm::UndefValue>(base))
      return origin::own;
    if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(&base))
      return global->isConstant() ? origin::own : origin::foreign;
    if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&base))
      if (const llvm::Function* callee = call->getCalledFunction())
        if (is_group_memory(callee->getName())) return origin::own;
    return origin::unknown;
  }

  /// Of a pointer that was loaded from `where`, not from a known place of the function object.
  origin origin_of_stored(const llvm::Value& where) {
    llvm::SmallVector<place, 2> places;
    llvm::SmallPtrSet<const llvm::Value*, 8> seen;
    trace(where, std::nullopt, places, seen);
    // Arguments that go into shared memory are unknown already; those in variables are not.
    const bool shared =
        !places.empty() && std::all_of(places.begin(), places.end(), [](const place& p) {
          return p.from == origin::argument || p.from == origin::foreign;
        });
    return shared ? origin::foreign : origin::unknown;
  }

  std::optional<index_value> advance(std::optional<index_value> offset,
                                     const llvm::GEPOperator& step) const {
    llvm::MapVector<llvm::Value*, llvm::APInt> variable;
    llvm::APInt constant(64, 0);
    if (!offset || !step.collectOffset(layout_, 64, variable, constant)) return std::nullopt;
    add(offset->value, {{{}, 1}}, constant.getSExtValue());
    for (const auto& [index, scale] : variable) {
      std::optional<index_value> number = reader_.read(*index);
      if (!number) return std::nullopt;
      add(offset->value, number->value, scale.getSExtValue());
      offset->narrowed.insert(offset->narrowed.end(), number->narrowed.begin(),
                              number->narrowed.end());
      offset->narrowed_unsigned.insert(offset->narrowed_unsigned.end(),
                                       number->narrowed_unsigned.begin(),
                                       number->narrowed_unsigned.end());
    }
    return offset;
  }

  static void collect(collected& all, const std::optional<index_value>& offset,
                      std::uint64_t bytes) {
    if (!all.exact) return;
    all.exact = false;
    if (!offset || bytes > std::numeric_limits<std::uint32_t>::max()) return;
    if (!bounds_narrowed(offset->value, *offset)) return;
    polynomial variable = offset->value;
    std::int64_t constant = 0;
    if (const auto at = variable.find({}); at != variable.end()) {
      constant = at->second;
      variable.erase(at);
    }
    if (constant > far || constant < -far) return;
    if (all.variable && *all.variable != variable) return;
    all.variable = std::move(variable);
    all.narrow = all.narrow || !offset->narrowed.empty() || !offset->narrowed_unsigned.empty();
    all.low = std::min(all.low, constant);
    all.high = std::max(all.high, constant + static_cast<std::int64_t>(bytes));
    all.exact = true;
  }

  static argument_use describe(std::uint32_t offset, const collected& all) {
    argument_use use;
    use.offset = offset;
    use.flags = PIANOLA_USE_POINTER;
    if (all.read) use.flags |= PIANOLA_USE_READ;
    if (all.written) use.flags |= PIANOLA_USE_WRITTEN;
    if (all.unknown) {
      use.flags |= PIANOLA_USE_READ | PIANOLA_USE_WRITTEN | PIANOLA_USE_UNKNOWN;
      return use;
    }
    if (!all.exact || !all.variable ||
        all.high - all.low > std::int64_t{std::numeric_limits<std::int32_t>::max()})
      return use;
    polynomial position = *all.variable;
    if (all.low != 0) position[{}] = all.low;
    auto terms = encode(position);
    // What belongs to a group is no position of an item.
    if (!terms || has_groups(position)) return use;
    use.flags |= PIANOLA_USE_ELEMENT_WISE;
    if (all.narrow) use.flags |= PIANOLA_USE_NARROW;
    use.element_bytes = static_cast<std::uint32_t>(all.high - all.low);
    use.terms = std::move(*terms);
    return use;
  }

  const llvm::Function& body_;
  const llvm::DataLayout& layout_;
  const function_object object_;
  const llvm::LoopInfo& loops_;
  const index_reader reader_;
  access_lister lister_;
  const operation_counter counter_;
  bool known_ = true;
  bool only_ = true;
  std::map<std::uint32_t, collected> arguments_;
  llvm::SmallPtrSet<const llvm::LoadInst*, 8> loads_;  // whose origin is being found
};

}  // namespace

std::vector<kernel_uses> analyse_arguments(llvm::ArrayRef<kernel> outlined) {
  std::vector<kernel_uses> all;
  if (outlined.empty()) return all;
  llvm::Module& module = *outlined.front().body->getParent();
  llvm::SmallPtrSet<const llvm::Function*, 32> before;
  for (const llvm::Function& f : module) before.insert(&f);
  unroller copies;
  for (const kernel& k : outlined) {
    if (llvm::Function* copy = copies.copy(*k.body)) {
      all.push_back(analysis(*copy, copies.analyses()).run());
      copies.erase(copy);
    } else {
      all.push_back(analysis(*k.body, copies.analyses()).run());
      copies.forget(*k.body);
    }
  }
  // What was done to copies may have declared functions that nobody calls now.
  for (llvm::Function& f : llvm::make_early_inc_range(module))
    if (f.isDeclaration() && f.use_empty() && !before.contains(&f)) f.eraseFromParent();
  return all;
}

}  // namespace pianola::compiler
