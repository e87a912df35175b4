// SPDX-License-Identifier: Apache-2.0
#include "footprints/item_set.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace pianola::planner {

namespace {

using model::access_condition;

constexpr std::size_t max_conditions = 32;
constexpr std::int64_t no_least = std::numeric_limits<std::int64_t>::min();

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

affine_value difference(const affine_value& a, const affine_value& b, wide less) {
  affine_value r;
  r.constant = a.constant - b.constant - less;
  for (std::size_t d = 0; d < 3; ++d) {
    r.per_id[d] = a.per_id[d] - b.per_id[d];
    r.per_group[d] = a.per_group[d] - b.per_group[d];
  }
  return r;
}

// How many x of [0, end) have x % size in the interval, which is within [0, size).
wide count_below(wide end, const interval& locals, wide size) {
  const wide rest = std::clamp(end % size - locals.low, wide{0}, locals.high - locals.low);
  return end / size * (locals.high - locals.low) + rest;
}

}  // namespace

item_set::item_set(const model::launch_geometry& g) : geometry_(&g) {
  for (std::size_t d = 0; d < 3; ++d) {
    ids_[d] = {0, wide{g.global[d]}};
    locals_[d] = {0, g.grouped ? wide{g.local[d]} : wide{1}};
  }
}

bool item_set::empty() const noexcept {
  return std::any_of(ids_, ids_ + 3, [](const interval& i) { return i.empty(); }) ||
         std::any_of(locals_, locals_ + 3, [](const interval& i) { return i.empty(); });
}

wide item_set::count() const noexcept {
  if (empty()) return 0;
  wide all = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    const wide size = geometry_->grouped ? wide{geometry_->local[d]} : wide{1};
    all *= count_below(ids_[d].high, locals_[d], size) - count_below(ids_[d].low, locals_[d], size);
  }
  return all;
}

// Leaves out who does not meet the condition `test(interval, scale, constant)`. False if the others are no box.
template <class Test>
bool item_set::keep(const affine_value& value, Test&& test) {
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

interval item_set::range_of(const affine_value& value) const noexcept {
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

std::optional<wide> item_set::sum_of(const affine_value& value) const noexcept {
  const wide all = count();
  wide sum = value.constant * all;
  for (std::size_t d = 0; d < 3; ++d) {
    if (value.per_group[d] != 0) return std::nullopt;
    if (value.per_id[d] == 0 || all == 0) continue;
    const wide size = geometry_->grouped ? wide{geometry_->local[d]} : wide{1};
    if (locals_[d].low != 0 || locals_[d].high != size) return std::nullopt;
    const wide extent = ids_[d].high - ids_[d].low;
    // Of all that have the same other coordinates, twice.
    const wide twice = extent * (ids_[d].low + ids_[d].high - 1);
    sum += value.per_id[d] * (twice * (all / extent) / 2);
  }
  return sum;
}

void item_set::describe(model::affine_access& to) const noexcept {
  bool all = true;
  for (std::size_t d = 0; d < 3; ++d) {
    to.ids.lo[d] = static_cast<std::uint64_t>(ids_[d].low);
    to.ids.hi[d] = static_cast<std::uint64_t>(ids_[d].high);
    if (geometry_->grouped && (locals_[d].low != 0 || locals_[d].high != wide{geometry_->local[d]}))
      all = false;
  }
  if (all) return;
  for (std::size_t d = 0; d < 3; ++d) {
    to.locals.lo[d] = static_cast<std::uint64_t>(locals_[d].low);
    to.locals.hi[d] = static_cast<std::uint64_t>(locals_[d].high);
  }
}

bool item_set::keep_all(model::array_view<const access_condition> conditions,
                        const launch_values& launch, bool narrow) {
  if (conditions.size() > max_conditions) return false;
  bool kept[max_conditions];
  // Of a != b it depends on the others whether it leaves an interval.
  for (const bool last : {false, true})
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      const access_condition& c = conditions[i];
      if ((c.what == access_condition::kind::different) != last) continue;
      kept[i] = empty() || meet(c, launch, narrow);
    }
  // What did not leave an interval does so, perhaps, after what came behind it.
  bool complete = true;
  for (std::size_t i = 0; i < conditions.size(); ++i)
    if (!empty() && !kept[i] && !meet(conditions[i], launch, narrow)) complete = false;
  return complete || empty();
}

bool item_set::meet(const access_condition& c, const launch_values& launch, bool narrow) {
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
  const auto a = value_of(c.a, launch);
  const auto b = value_of(c.b, launch);
  if (!a || !b || (narrow && !(is_narrow(*a) && is_narrow(*b)))) return false;
  const bool are_positive = range_of(*a).low >= 0 && range_of(*b).low >= 0;
  switch (c.what) {
    case access_condition::kind::at_least:
      return keep(difference(*a, *b, 0), not_negative);
    case access_condition::kind::greater:
      return keep(difference(*a, *b, 1), not_negative);
    case access_condition::kind::below: {
      if (are_positive) return keep(difference(*b, *a, 1), not_negative);
      if (range_of(*b).low < 0) return false;
      // A negative a is a huge number. Both or none, so that work-items are left out only by the whole condition.
      item_set both = *this;
      if (!both.keep(*a, not_negative)) return false;
      if (!both.empty() && !both.keep(difference(*b, *a, 1), not_negative)) return false;
      *this = both;
      return true;
    }
    case access_condition::kind::not_below:
      return are_positive && keep(difference(*a, *b, 0), not_negative);
    case access_condition::kind::different:
      return keep(difference(*a, *b, 0), not_zero);
  }
  return false;
}

bool is_narrow(const affine_value& value) noexcept {
  return !value.is_negative_somewhere && value.largest < narrow_limit;
}

wide loop_rounds::of(wide value) const noexcept {
  if (loop->least != no_least) value = std::max(value, wide{loop->least});
  return divide_down(value + loop->plus, wide{loop->divisor}) + loop->extra;
}

std::optional<loop_rounds> rounds_of(const model::counted_loop& loop, const item_set& items,
                                     const launch_values& launch, bool narrow) {
  const auto sum = value_of(loop.count, launch);
  if (!sum) return std::nullopt;
  const wide others = magnitude(loop.plus) + (loop.least != no_least ? magnitude(loop.least) : 0);
  if (narrow && (sum->is_negative_somewhere || sum->largest + others >= narrow_limit))
    return std::nullopt;
  const loop_rounds rounds{*sum, &loop};
  const wide least = items.range_of(*sum).low;
  if ((loop.is_unsigned && least < 0) || rounds.of(least) < loop.extra) return std::nullopt;
  return rounds;
}

}  // namespace pianola::planner
