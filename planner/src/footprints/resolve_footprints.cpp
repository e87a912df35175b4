// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "pianola/planner/footprints.hpp"
#include "pianola/planner/index_values.hpp"

namespace pianola::planner {

namespace {

using model::access_condition;
using model::affine_access;

wide divide_down(wide a, wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }
wide divide_up(wide a, wide b) { return -divide_down(-a, b); }

// Integers of [low, high), cut down.
struct interval {
  wide low, high;
  [[nodiscard]] bool empty() const { return low >= high; }
};

// What is left of [0, n) where scale * x + constant >= 0.
void keep_not_negative(interval& x, wide scale, wide constant) {
  if (scale > 0)
    x.low = std::max(x.low, divide_up(-constant, scale));
  else
    x.high = std::min(x.high, divide_down(constant, -scale) + 1);
}

// The same where it is not 0; false if that is no interval.
bool keep_not_zero(interval& x, wide scale, wide constant) {
  if (constant % scale != 0) return true;
  const wide zero = -constant / scale;
  if (zero < x.low || zero >= x.high) return true;
  if (zero == x.low)
    ++x.low;
  else if (zero == x.high - 1)
    --x.high;
  else
    return false;
  return true;
}

// The work-items that make an access.
class item_set {
 public:
  explicit item_set(const model::launch_geometry& g) : geometry_(&g) {
    for (std::size_t d = 0; d < 3; ++d) {
      ids_[d] = {0, wide{g.global[d]}};
      // Without groups they are never asked for.
      locals_[d] = {0, g.grouped ? wide{g.local[d]} : wide{1}};
    }
  }

  [[nodiscard]] bool empty() const {
    return std::any_of(ids_, ids_ + 3, [](const interval& i) { return i.empty(); }) ||
           std::any_of(locals_, locals_ + 3, [](const interval& i) { return i.empty(); });
  }

  // Leaves out who does not meet the condition `test(interval, scale, constant)`. False if the others are no box.
  template <class Test>
  bool keep(const affine_value& value, Test&& test) {
    int dimension = -1;
    for (int d = 0; d < 3; ++d) {
      const auto at = static_cast<std::size_t>(d);
      if (value.per_id[at] == 0 && value.per_group[at] == 0) continue;
      if (dimension >= 0) return false;
      dimension = d;
    }
    if (dimension < 0) {
      interval one{0, 1};  // all work-items or none
      if (!test(one, wide{0}, value.constant)) return false;
      if (one.empty()) ids_[0].high = ids_[0].low;
      return true;
    }
    const auto d = static_cast<std::size_t>(dimension);
    const wide size = geometry_->grouped ? wide{geometry_->local[d]} : wide{1};
    if (value.per_group[d] == 0) return test(ids_[d], value.per_id[d], value.constant);
    if (value.per_id[d] == 0) {
      interval groups{divide_down(ids_[d].low, size), divide_up(ids_[d].high, size)};
      const interval before = groups;
      if (!test(groups, value.per_group[d], value.constant)) return false;
      if (groups.low > before.low) ids_[d].low = std::max(ids_[d].low, groups.low * size);
      if (groups.high < before.high) ids_[d].high = std::min(ids_[d].high, groups.high * size);
      return true;
    }
    // scale * (id - size * group): the id within the group.
    if (value.per_group[d] != -value.per_id[d] * size) return false;
    return test(locals_[d], value.per_id[d], value.constant);
  }

  // Smallest and largest value.
  [[nodiscard]] interval range_of(const affine_value& value) const {
    interval r{value.constant, value.constant};
    const auto add = [&](wide scale, wide low, wide last) {
      r.low += std::min(scale * low, scale * last);
      r.high += std::max(scale * low, scale * last);
    };
    for (std::size_t d = 0; d < 3; ++d) {
      if (value.per_group[d] == 0) {
        add(value.per_id[d], ids_[d].low, ids_[d].high - 1);
        continue;
      }
      const wide size{geometry_->local[d]};
      add(value.per_id[d] * size + value.per_group[d], divide_down(ids_[d].low, size),
          divide_down(ids_[d].high - 1, size));
      add(value.per_id[d], locals_[d].low, locals_[d].high - 1);
    }
    return r;
  }

  void describe(affine_access& to) const {
    bool all = true;
    for (std::size_t d = 0; d < 3; ++d) {
      to.ids.lo[d] = static_cast<std::uint64_t>(ids_[d].low);
      to.ids.hi[d] = static_cast<std::uint64_t>(ids_[d].high);
      if (geometry_->grouped &&
          (locals_[d].low != 0 || locals_[d].high != wide{geometry_->local[d]}))
        all = false;
    }
    if (all) return;
    for (std::size_t d = 0; d < 3; ++d) {
      to.locals.lo[d] = static_cast<std::uint64_t>(locals_[d].low);
      to.locals.hi[d] = static_cast<std::uint64_t>(locals_[d].high);
    }
  }

 private:
  const model::launch_geometry* geometry_;
  interval ids_[3];
  interval locals_[3];
};

bool is_narrow(const affine_value& value) {
  return !value.is_negative_somewhere && value.largest < narrow_limit;
}

affine_value difference(const affine_value& a, const affine_value& b, wide less) {
  affine_value r;
  r.constant = a.constant - b.constant - less;
  for (std::size_t d = 0; d < 3; ++d) {
    r.per_id[d] = a.per_id[d] - b.per_id[d];
    r.per_group[d] = a.per_group[d] - b.per_group[d];
  }
  return r;
}

class access_resolver {
 public:
  access_resolver(const model::counted_access& access, const launch_values& launch)
      : access_(access), launch_(launch), items_(launch.geometry), certain_(access.certain) {}

  // False if nothing can be said of the access.
  bool resolve(wide byte_offset) {
    if (!meet_conditions()) return false;
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

  // A condition that is not understood may be met by any work-item.
  bool meet_conditions() {
    bool kept[max_conditions];
    if (access_.conditions.size() > max_conditions) {
      certain_ = false;
      return true;
    }
    // Of a != b it depends on the others whether it leaves an interval.
    for (const bool last : {false, true})
      for (std::size_t i = 0; i < access_.conditions.size(); ++i) {
        const access_condition& c = access_.conditions[i];
        if ((c.what == access_condition::kind::different) != last) continue;
        kept[i] = items_.empty() || meet(c);
      }
    if (items_.empty()) return true;
    // What did not leave an interval does so, perhaps, after what came behind it.
    for (std::size_t i = 0; i < access_.conditions.size(); ++i)
      if (!kept[i] && !meet(access_.conditions[i])) certain_ = false;
    return true;
  }

  bool meet(const access_condition& c) {
    const auto not_negative = [](interval& x, wide scale, wide constant) {
      if (scale != 0)
        keep_not_negative(x, scale, constant);
      else if (constant < 0)
        x.high = x.low;
      return true;
    };
    const auto not_zero = [](interval& x, wide scale, wide constant) {
      if (scale != 0) return keep_not_zero(x, scale, constant);
      if (constant == 0) x.high = x.low;
      return true;
    };
    const auto a = value_of(c.a, launch_);
    const auto b = value_of(c.b, launch_);
    if (!a || !b || !fits(*a) || !fits(*b)) return false;
    const bool are_positive = items_.range_of(*a).low >= 0 && items_.range_of(*b).low >= 0;
    switch (c.what) {
      case access_condition::kind::at_least:
        return items_.keep(difference(*a, *b, 0), not_negative);
      case access_condition::kind::greater:
        return items_.keep(difference(*a, *b, 1), not_negative);
      case access_condition::kind::below: {
        if (are_positive) return items_.keep(difference(*b, *a, 1), not_negative);
        if (items_.range_of(*b).low < 0) return false;
        // A negative a is a huge number. Both or none, so that work-items are left out only by the whole condition.
        item_set both = items_;
        if (!both.keep(*a, not_negative)) return false;
        if (!both.empty() && !both.keep(difference(*b, *a, 1), not_negative)) return false;
        items_ = both;
        return true;
      }
      case access_condition::kind::not_below:
        return are_positive && items_.keep(difference(*a, *b, 0), not_negative);
      case access_condition::kind::different:
        return items_.keep(difference(*a, *b, 0), not_zero);
    }
    return false;
  }

  bool add_loop(const model::counted_loop& loop, model::access_loop& out) {
    const auto count = value_of(loop.count, launch_);
    const auto stride = value_of(loop.stride, launch_);
    if (!count || !stride || !fits(*stride) || !stride->is_constant()) return false;
    const bool has_least = loop.least != std::numeric_limits<std::int64_t>::min();
    if (access_.narrow &&
        (count->is_negative_somewhere ||
         count->largest + magnitude(loop.plus) + (has_least ? magnitude(loop.least) : 0) >=
             narrow_limit))
      return false;
    const interval range = items_.range_of(*count);
    if (loop.is_unsigned && range.low < 0) return false;
    // A number of rounds that differs between work-items: the most that any of them makes.
    if (!count->is_constant()) certain_ = false;
    const auto rounds_of = [&](wide sum) {
      if (has_least) sum = std::max(sum, wide{loop.least});
      return divide_down(sum + loop.plus, wide{loop.divisor});
    };
    if (rounds_of(range.low) < 0) return false;
    const wide rounds = rounds_of(range.high) + loop.extra;
    if (rounds == 0) {
      never_ = true;
      return true;
    }
    if (rounds >= address_limit) return false;
    out.count = static_cast<std::uint64_t>(rounds);
    out.stride = static_cast<std::int64_t>(stride->constant);
    // Both are less than 2^62.
    largest_ += magnitude(stride->constant) * (rounds - 1);
    return largest_ < address_limit;
  }

  static constexpr std::size_t max_conditions = 32;

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
