// SPDX-License-Identifier: Apache-2.0
#include "commands/usm_accesses.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <pianola/model/arena.hpp>
#include <pianola/model/kernel_facts.hpp>
#include <pianola/planner/footprints.hpp>

namespace pianola::runtime {

namespace {

// More pieces count as everything between the first and the last.
constexpr std::uint64_t most_pieces_of_pointer = 64;

struct repetition {
  std::uint64_t stride;
  std::uint64_t count;
};

bool depends_on_ids(const model::index_sum& sum) {
  for (const model::index_term& t : sum)
    for (const model::index_factor& f : t.factors)
      if (f.what == model::index_factor::kind::id || f.what == model::index_factor::kind::group)
        return true;
  return false;
}

// What is read through the pointer is read for certain.
bool reads_all(const model::argument_use& use) {
  for (const model::counted_access& a : use.accesses) {
    if (!a.read) continue;
    if (!a.certain || a.conditions.size() != 0 || a.reduction != model::reduction_operation::none)
      return false;
    for (const model::counted_loop& l : a.loops)
      if (depends_on_ids(l.count)) return false;
  }
  return true;
}

using pieces_of_memory = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

// The bytes of an access, in pieces; false: these are none, or the first ones of more.
bool pieces_of(const model::affine_access& a, pieces_of_memory& to) {
  std::int64_t begin = a.start;
  std::vector<repetition> repeated;
  const auto repeat = [&](std::int64_t stride, std::uint64_t count) {
    if (count <= 1 || stride == 0) return;
    if (stride < 0) begin += stride * static_cast<std::int64_t>(count - 1);
    repeated.push_back({static_cast<std::uint64_t>(stride < 0 ? -stride : stride), count});
  };
  bool simple = true;
  for (int d = 0; d < 3; ++d) {
    begin += a.stride[d] * static_cast<std::int64_t>(a.ids.lo.c[d]);
    repeat(a.stride[d], a.ids.hi.c[d] - a.ids.lo.c[d]);
    if (a.group_stride[d] != 0 || a.locals.lo.c[d] != 0 ||
        a.locals.hi.c[d] != model::all_work_items)
      simple = false;
  }
  if (!simple) return false;
  for (const model::access_loop& l : a.loops) repeat(l.stride, l.count);
  std::sort(repeated.begin(), repeated.end(),
            [](const repetition& x, const repetition& y) { return x.stride < y.stride; });
  std::uint64_t length = a.length, pieces = 1;
  auto next = repeated.begin();
  for (; next != repeated.end() && next->stride <= length; ++next)
    length += next->stride * (next->count - 1);
  bool all = true;
  for (auto r = next; r != repeated.end(); ++r) {
    if (r->count > most_pieces_of_pointer / pieces) {
      all = false;
      r->count = most_pieces_of_pointer / pieces;
    }
    pieces *= r->count;
  }
  std::vector<std::uint64_t> starts{static_cast<std::uint64_t>(begin)};
  for (auto r = next; r != repeated.end(); ++r) {
    const std::size_t before = starts.size();
    for (std::uint64_t k = 1; k < r->count; ++k)
      for (std::size_t i = 0; i < before; ++i) starts.push_back(starts[i] + k * r->stride);
  }
  for (const std::uint64_t s : starts) to.emplace_back(s, s + length);
  return all;
}

}  // namespace

std::vector<pointer_access> pointer_accesses(const model::kernel_command& kernel,
                                             const model::argument_block& arguments,
                                             std::size_t requirements) {
  std::vector<pointer_access> found;
  if (kernel.kernel == nullptr || kernel.kernel->facts == nullptr || arguments.bytes == nullptr)
    return found;
  const model::kernel_facts& facts = *kernel.kernel->facts;
  if (!facts.only_uses) return found;
  // Each pointer as if it were a buffer that begins at address 0.
  std::vector<model::argument_slot> slots;
  std::vector<const model::argument_use*> uses;
  std::vector<std::uint64_t> pointers;
  for (const model::argument_use& use : facts.uses) {
    if (use.offset + sizeof(std::uint64_t) > arguments.size ||
        std::any_of(kernel.slots.begin(), kernel.slots.end(),
                    [&](const model::argument_slot& s) { return s.offset == use.offset; }))
      continue;
    std::uint64_t pointer = 0;
    std::memcpy(&pointer, static_cast<const unsigned char*>(arguments.bytes) + use.offset,
                sizeof pointer);
    if (pointer < 4096 || pointer >> 47 != 0) continue;
    slots.push_back({use.offset, model::argument_slot::kind::buffer,
                     static_cast<std::uint32_t>(requirements + uses.size()), pointer});
    uses.push_back(&use);
    pointers.push_back(pointer);
  }
  if (uses.empty()) return found;
  model::kernel_command whole = kernel;
  whole.arguments = arguments;
  whole.slots = slots;
  model::arena storage{4096};
  std::vector<char> told(uses.size(), 0);
  for (const model::footprint& f :
       planner::resolve_footprints(whole, requirements + uses.size(), storage)) {
    if (f.requirement < requirements) continue;
    const std::size_t u = f.requirement - requirements;
    std::vector<pointer_access> of;
    pieces_of_memory pieces;
    const bool all_are_read = reads_all(*uses[u]);
    bool known = true;
    for (const model::affine_access& a : f.accesses) {
      pieces.clear();
      known = known && pieces_of(a, pieces);
      if (!known) break;
      const bool exact = (!a.written || f.writes_all) && (!a.read || all_are_read) &&
                         a.reduction == model::reduction_operation::none;
      for (const auto& [begin, end] : pieces)
        of.push_back({pointers[u], begin, end, a.read, a.written, exact});
    }
    if (!known) continue;
    told[u] = 1;
    found.insert(found.end(), of.begin(), of.end());
  }
  for (std::size_t u = 0; u < uses.size(); ++u)
    if (told[u] == 0) {
      const model::argument_use& use = *uses[u];
      found.push_back(
          {pointers[u], 0, 0, use.read || use.unknown, use.written || use.unknown, false});
    }
  return found;
}

std::vector<certain_read> certain_reads(const model::kernel_command& kernel,
                                        const model::argument_block& arguments,
                                        model::array_view<const model::argument_slot> slots,
                                        std::size_t requirements) {
  std::vector<certain_read> found;
  if (kernel.kernel == nullptr || kernel.kernel->facts == nullptr || arguments.bytes == nullptr ||
      requirements == 0)
    return found;
  const model::kernel_facts& facts = *kernel.kernel->facts;
  model::kernel_command whole = kernel;
  whole.arguments = arguments;
  whole.slots = slots;
  model::arena storage{4096};
  pieces_of_memory pieces;
  for (const model::footprint& f : planner::resolve_footprints(whole, requirements, storage)) {
    const bool is_certain =
        std::all_of(slots.begin(), slots.end(), [&](const model::argument_slot& s) {
          const model::argument_use* use =
              s.requirement == f.requirement ? facts.at(s.offset) : nullptr;
          return use == nullptr || reads_all(*use);
        });
    if (!is_certain) continue;
    for (const model::affine_access& a : f.accesses) {
      if (!a.read) continue;
      pieces.clear();
      static_cast<void>(pieces_of(a, pieces));
      for (const auto& [begin, end] : pieces)
        if (static_cast<std::int64_t>(begin) >= 0) found.push_back({f.requirement, begin, end});
    }
  }
  return found;
}

}  // namespace pianola::runtime
