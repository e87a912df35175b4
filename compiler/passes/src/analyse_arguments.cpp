// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/analyse_arguments.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/raw_ostream.h>

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
  // Every access so far is at `variable` plus an offset in [low, high).
  bool exact = true;
  bool narrow = false;
  std::optional<polynomial> variable;
  std::int64_t low = std::numeric_limits<std::int64_t>::max();
  std::int64_t high = std::numeric_limits<std::int64_t>::min();
};

// Of an access that no interval describes.
constexpr std::uint64_t no_size = std::numeric_limits<std::uint64_t>::max();

std::optional<pianola_index_term> encode(const std::vector<atom>& product,
                                         std::int64_t coefficient) {
  if (product.size() > PIANOLA_TERM_FACTORS) return std::nullopt;
  pianola_index_term term{coefficient, {}};
  std::fill(std::begin(term.factors), std::end(term.factors), make_atom(PIANOLA_FACTOR_ONE));
  int ids = 0;
  for (std::size_t i = 0; i < product.size(); ++i) {
    const std::uint32_t kind = kind_of(product[i]);
    if (kind > PIANOLA_FACTOR_OFFSET) return std::nullopt;
    if (kind == PIANOLA_FACTOR_ID) ++ids;
    term.factors[i] = product[i];
  }
  if (ids > 1) return std::nullopt;
  return term;
}

std::uint64_t magnitude(std::int64_t n) {
  return n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
}

/// Whether the sum of the absolute values of `whole`'s terms bounds that of `part`'s.
bool bounds(const polynomial& whole, const polynomial& part) {
  return std::all_of(part.begin(), part.end(), [&](const auto& term) {
    const auto same = whole.find(term.first);
    return same != whole.end() && magnitude(same->second) >= magnitude(term.second);
  });
}

class analysis {
 public:
  explicit analysis(const llvm::Function& body)
      : body_(body),
        layout_(body.getParent()->getDataLayout()),
        object_(body),
        reader_(body, object_) {}

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
    for (const auto& [offset, all] : arguments_) result.uses.push_back(describe(offset, all));
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
      if (load->isSimple())
        access(*load->getPointerOperand(), true, false, size_of(*load->getType()));
      else
        access(*load->getPointerOperand(), true, load->isAtomic(), no_size);
    } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) {
      if (store->isSimple())
        access(*store->getPointerOperand(), false, true,
               size_of(*store->getValueOperand()->getType()));
      else
        access(*store->getPointerOperand(), store->isAtomic(), true, no_size);
    } else if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&i)) {
      access(*update->getPointerOperand(), true, true, no_size);
    } else if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&i)) {
      access(*exchange->getPointerOperand(), true, true, no_size);
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
    const std::uint64_t bytes = length != nullptr && whole != nullptr && !whole->isVolatile()
                                    ? length->getZExtValue()
                                    : no_size;
    // That the function object is copied is checked by function_object.
    access(*i.getRawDest(), false, true, bytes);
    if (const auto* transfer = llvm::dyn_cast<llvm::AnyMemTransferInst>(&i))
      access(*transfer->getRawSource(), true, false, bytes);
  }

  std::uint64_t size_of(llvm::Type& type) const {
    const llvm::TypeSize size = layout_.getTypeStoreSize(&type);
    return size.isScalable() ? no_size : size.getFixedValue();
  }

  void access(const llvm::Value& pointer, bool reads, bool writes, std::uint64_t bytes) {
    llvm::SmallVector<place, 2> places;
    llvm::SmallPtrSet<const llvm::Value*, 8> seen;
    trace(pointer, index_value{}, places, seen);
    for (place& p : places) {
      switch (p.from) {
        case origin::argument: {
          collected& all = arguments_[p.argument];
          all.read = all.read || reads;
          all.written = all.written || writes;
          collect(all, p.offset, bytes);
          break;
        }
        case origin::object:
        case origin::launch:
          if (writes) known_ = false;
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
    for (const polynomial& p : offset->narrowed)
      if (!bounds(offset->value, p)) return;
    for (const polynomial& p : offset->narrowed_unsigned)
      if (!bounds(offset->value, p) ||
          std::any_of(p.begin(), p.end(), [](const auto& term) { return term.second < 0; }))
        return;
    polynomial variable = offset->value;
    std::int64_t constant = 0;
    if (const auto at = variable.find({}); at != variable.end()) {
      constant = at->second;
      variable.erase(at);
    }
    constexpr std::int64_t far = std::int64_t{1} << 40;
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
    std::vector<pianola_index_term> terms;
    if (all.low != 0) terms.push_back(*encode({}, all.low));
    for (const auto& [product, coefficient] : *all.variable) {
      const auto term = encode(product, coefficient);
      if (!term) return use;
      terms.push_back(*term);
    }
    use.flags |= PIANOLA_USE_ELEMENT_WISE;
    if (all.narrow) use.flags |= PIANOLA_USE_NARROW;
    use.element_bytes = static_cast<std::uint32_t>(all.high - all.low);
    use.terms = std::move(terms);
    return use;
  }

  const llvm::Function& body_;
  const llvm::DataLayout& layout_;
  const function_object object_;
  const index_reader reader_;
  bool known_ = true;
  bool only_ = true;
  std::map<std::uint32_t, collected> arguments_;
  llvm::SmallPtrSet<const llvm::LoadInst*, 8> loads_;  // whose origin is being found
};

void print_factor(llvm::raw_ostream& out, atom factor) {
  static constexpr const char* names[] = {"u64@", "s32@", "u32@", "id", "global", "offset"};
  static constexpr char dimensions[] = "zyx";
  const std::uint32_t where = factor & PIANOLA_FACTOR_WHERE_MASK;
  out << names[kind_of(factor)];
  if (kind_of(factor) >= PIANOLA_FACTOR_ID)
    out << '.' << dimensions[where];
  else
    out << where;
}

}  // namespace

std::vector<kernel_uses> analyse_arguments(llvm::ArrayRef<kernel> outlined) {
  std::vector<kernel_uses> all;
  unroller copies;
  for (const kernel& k : outlined) {
    if (llvm::Function* copy = copies.copy(*k.body)) {
      all.push_back(analysis(*copy).run());
      copies.erase(copy);
    } else {
      all.push_back(analysis(*k.body).run());
    }
  }
  return all;
}

void print(llvm::raw_ostream& out, const kernel_uses& uses) {
  out << ((uses.flags & PIANOLA_KERNEL_USES_KNOWN) == 0  ? "nothing known"
          : (uses.flags & PIANOLA_KERNEL_USES_ONLY) == 0 ? "uses, other memory"
                                                         : "uses only")
      << '\n';
  for (const argument_use& use : uses.uses) {
    out << "  @" << use.offset << ':';
    if ((use.flags & PIANOLA_USE_UNKNOWN) != 0) out << " unknown";
    if ((use.flags & PIANOLA_USE_READ) != 0) out << " read";
    if ((use.flags & PIANOLA_USE_WRITTEN) != 0) out << " written";
    if ((use.flags & PIANOLA_USE_ELEMENT_WISE) != 0) {
      out << ", " << use.element_bytes << " bytes at";
      bool first = true;
      for (const pianola_index_term& term : use.terms) {
        out << (first ? " " : " + ") << term.coefficient;
        for (const std::uint32_t factor : term.factors)
          if (kind_of(factor) != PIANOLA_FACTOR_ONE) print_factor(out << '*', factor);
        first = false;
      }
      if (first) out << " 0";
      if ((use.flags & PIANOLA_USE_NARROW) != 0) out << ", narrow";
    }
    out << '\n';
  }
}

}  // namespace pianola::compiler
