// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <vector>

#include "footprints/item_set.hpp"
#include "pianola/planner/footprints.hpp"
#include "pianola/planner/index_values.hpp"

namespace pianola::planner {

namespace {

using model::affine_access;

class access_resolver {
 public:
  access_resolver(const model::counted_access& access, const launch_values& launch)
      : access_(access), launch_(launch), items_(launch.geometry), certain_(access.certain) {}

  // False if nothing can be said of the access.
  bool resolve(wide byte_offset) {
    // A condition that is not understood may be met by any work-item.
    if (!items_.keep_all(access_.conditions, launch_, access_.narrow)) certain_ = false;
    if (items_.empty()) return true;
    auto start = value_of(access_.start, launch_);
    if (!start || !fits(*start)) return false;
    largest_ = start->largest + access_.length;
    std::size_t n = 0;
    for (const model::counted_loop& loop : access_.loops) {
      if (n == affine_access::max_loops || !add_loop(loop, out_.loops[n++])) return false;
      if (never_) return true;
    }
    if (access_.narrow && largest_ >= narrow_limit) return false;
    largest_ += magnitude(byte_offset);
    if (largest_ >= address_limit) return false;
    out_.start = static_cast<std::int64_t>(start->constant + byte_offset);
    for (std::size_t d = 0; d < 3; ++d) {
      out_.stride[d] = static_cast<std::int64_t>(start->per_id[d]);
      out_.group_stride[d] = static_cast<std::int64_t>(start->per_group[d]);
    }
    out_.length = access_.length;
    out_.read = access_.read;
    out_.written = access_.written;
    out_.reduction = access_.reduction;
    items_.describe(out_);
    return true;
  }

  [[nodiscard]] bool never() const { return never_ || items_.empty(); }
  [[nodiscard]] bool certain() const { return certain_; }
  [[nodiscard]] const affine_access& result() const { return out_; }

 private:
  // Numbers of 32 bits are what they seem to be.
  [[nodiscard]] bool fits(const affine_value& value) const {
    return !access_.narrow || is_narrow(value);
  }

  bool add_loop(const model::counted_loop& loop, model::access_loop& out) {
    const auto rounds = rounds_of(loop, items_, launch_, access_.narrow);
    const auto stride = value_of(loop.stride, launch_);
    if (!rounds || !stride || !fits(*stride) || !stride->is_constant()) return false;
    // A number of rounds that differs between work-items: the most that any of them makes.
    if (!rounds->sum.is_constant()) certain_ = false;
    const wide most = rounds->of(items_.range_of(rounds->sum).high);
    if (most == 0) {
      never_ = true;
      return true;
    }
    if (most >= address_limit) return false;
    out.count = static_cast<std::uint64_t>(most);
    out.stride = static_cast<std::int64_t>(stride->constant);
    // Both are less than 2^62.
    largest_ += magnitude(stride->constant) * (most - 1);
    return largest_ < address_limit;
  }

  const model::counted_access& access_;
  const launch_values& launch_;
  item_set items_;
  affine_access out_{};
  wide largest_ = 0;
  bool certain_;
  bool never_ = false;
};

}  // namespace

model::array_view<const model::footprint> resolve_footprints(const model::kernel_command& kernel,
                                                             std::size_t requirements,
                                                             model::arena& storage) {
  if (kernel.kernel == nullptr || kernel.kernel->facts == nullptr) return {};
  const model::kernel_facts& facts = *kernel.kernel->facts;
  if (!facts.only_uses || volume(kernel.geometry.global) == 0) return {};
  const launch_values launch{kernel.arguments.bytes, kernel.arguments.size, kernel.geometry};
  std::vector<model::footprint> found;
  std::vector<affine_access> accesses;
  for (std::uint32_t r = 0; r < requirements; ++r) {
    accesses.clear();
    bool known = false;
    model::footprint f;
    f.requirement = r;
    f.writes_all = true;
    for (const model::argument_slot& slot : kernel.slots) {
      if (slot.what == model::argument_slot::kind::texture && slot.requirement == r) {
        known = false;
        break;
      }
      if (slot.what != model::argument_slot::kind::buffer || slot.requirement != r) continue;
      known = true;
      const model::argument_use* use = facts.at(slot.offset);
      if (use == nullptr) continue;  // never loaded
      known = use->listed && !use->unknown;
      for (const model::counted_access& a : use->accesses) {
        if (!known) break;
        access_resolver one(a, launch);
        known = one.resolve(wide{slot.byte_offset});
        if (!known || one.never()) continue;
        accesses.push_back(one.result());
        if (a.written && !one.certain()) f.writes_all = false;
      }
      if (!known) break;
    }
    if (!known) continue;
    if (kernel.geometry.grouped) f.group = kernel.geometry.local;
    f.accesses = storage.copy(model::array_view<const affine_access>(accesses));
    found.push_back(f);
  }
  return storage.copy(model::array_view<const model::footprint>(found));
}

}  // namespace pianola::planner
