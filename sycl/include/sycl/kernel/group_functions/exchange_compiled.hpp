// SPDX-License-Identifier: Apache-2.0
// Compiled mode: work-items of a group see each other's values. Sub-groups shuffle. Work-groups on the
// host write to memory of the group, and one work-item combines; on devices sub-groups shuffle first, and
// their results pass through the group's scratch memory.
//
// Memory of the group is written before a barrier and read behind it, and whoever writes it next does so
// behind another barrier or writes only what it alone has read: two calls in a row never race.
#pragma once

#if defined(__PIANOLACC__)

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include <sycl/detail/mode.hpp>
#include <sycl/glue/intrinsics.hpp>
#include <sycl/kernel/device_copyable.hpp>
#include <sycl/kernel/group_functions/combine.hpp>
#include <sycl/kernel/group_functions/group_traits.hpp>
#include <sycl/kernel/memory_enums.hpp>

#define PIANOLA_GROUP_INLINE inline __attribute__((always_inline))

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

inline constexpr std::uint32_t group_scratch_bytes = 1024;

PIANOLA_GROUP_INLINE void join_group() {
  __pianola_group_barrier(static_cast<std::uint32_t>(memory_scope::work_group));
}

template <class T, std::size_t... Words>
PIANOLA_GROUP_INLINE T shuffle_words(const T& value, std::uint32_t lane,
                                     std::index_sequence<Words...>) {
  std::uint64_t words[sizeof...(Words)] = {};
  std::memcpy(words, &value, sizeof(T));
  ((words[Words] = __pianola_shuffle_64(words[Words], lane)), ...);
  T result = value;
  std::memcpy(&result, words, sizeof(T));
  return result;
}

/// The value of a lane of the caller's sub-group. All lanes must call it.
template <class T>
PIANOLA_GROUP_INLINE T shuffle(const T& value, std::uint32_t lane) {
  static_assert(is_device_copyable_v<T>, "values that work-items exchange are copied as bytes");
  if constexpr (sizeof(T) <= 4) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    bits = __pianola_shuffle_32(bits, lane);
    T result = value;
    std::memcpy(&result, &bits, sizeof(T));
    return result;
  } else {
    return shuffle_words(value, lane, std::make_index_sequence<(sizeof(T) + 7) / 8>());
  }
}

// ---- work-items that combine their values: a whole sub-group, or a part of one. They know `most`, how many they are at
// most, count() of them and the calling one's rank() among them; a part also the lane_of() a rank, and mask(), a bit for
// each of its lanes.

template <class T, class Part>
PIANOLA_GROUP_INLINE T value_from(const Part& part, const T& value, std::uint32_t rank) {
  static_assert(is_device_copyable_v<T>, "values that work-items exchange are copied as bytes");
  constexpr std::size_t count = (sizeof(T) + 3) / 4;
  std::uint32_t words[count] = {};
  std::memcpy(words, &value, sizeof(T));
  const std::uint32_t lane = part.lane_of(rank);
  for (std::uint32_t& word : words) word = __pianola_shuffle_32_among(word, lane, part.mask());
  T result = value;
  std::memcpy(&result, words, sizeof(T));
  return result;
}

struct whole_sub_group {
  static constexpr std::uint32_t most = 64;
  std::uint32_t lane;
  std::uint32_t lanes;

  PIANOLA_GROUP_INLINE std::uint32_t rank() const { return lane; }
  PIANOLA_GROUP_INLINE std::uint32_t count() const { return lanes; }
  PIANOLA_GROUP_INLINE std::uint32_t lane_of(std::uint32_t rank) const { return rank; }
  PIANOLA_GROUP_INLINE std::uint64_t mask() const { return ~std::uint64_t{0}; }
};
template <class T>
PIANOLA_GROUP_INLINE T value_from(const whole_sub_group&, const T& value, std::uint32_t rank) {
  return shuffle(value, rank);
}

/// `apart` on the host where the work-items of the group go on one by one, because some have left.
PIANOLA_GROUP_INLINE std::uint32_t if_apart(std::uint32_t apart, std::uint32_t together) {
  return __pianola_is_device() ? together : __pianola_if_apart(apart, together);
}

PIANOLA_GROUP_INLINE std::uint32_t bits_in(std::uint64_t bits) {
  return static_cast<std::uint32_t>(__builtin_popcountll(bits));
}
/// The position of the bit that has `rank` others below it.
PIANOLA_GROUP_INLINE std::uint32_t position_of_bit(std::uint64_t bits, std::uint32_t rank) {
  std::uint32_t at = 0;
  const auto halve = [&](std::uint32_t width) {
    const std::uint32_t below = bits_in(bits & ((std::uint64_t{1} << width) - 1));
    const bool is_above = rank >= below;
    bits = is_above ? bits >> width : bits;
    rank -= is_above ? below : 0;
    at += is_above ? width : 0;
  };
  halve(32), halve(16), halve(8), halve(4), halve(2), halve(1);
  return at;
}

/// Those of some lanes, of which the calling work-item is `lane`, that have not left. All of them must make it.
template <class Items>
struct those_here {
  static constexpr std::uint32_t most = Items::most;
  Items items;
  std::uint64_t here;

  PIANOLA_GROUP_INLINE std::uint32_t rank() const {
    return if_apart(bits_in(here & ((std::uint64_t{1} << items.lane) - 1)), items.rank());
  }
  PIANOLA_GROUP_INLINE std::uint32_t count() const {
    return if_apart(bits_in(here), items.count());
  }
  PIANOLA_GROUP_INLINE std::uint32_t lane_of(std::uint32_t rank) const {
    return if_apart(position_of_bit(here, rank), items.lane_of(rank));
  }
  PIANOLA_GROUP_INLINE std::uint64_t mask() const { return items.mask(); }
};
template <class Items>
PIANOLA_GROUP_INLINE those_here<Items> without_those_that_left(const Items& items) {
  return {items, __pianola_is_device() ? items.mask() : __pianola_lanes_here() & items.mask()};
}
template <class T>
PIANOLA_GROUP_INLINE T value_from(const those_here<whole_sub_group>& items, const T& value,
                                  std::uint32_t rank) {
  return shuffle(value, items.lane_of(rank));
}

/// The value of the item with this rank among all of `items`; if it has left, the caller's own.
template <class T, class Items>
PIANOLA_GROUP_INLINE T value_if_here(const Items& items, const T& own, std::uint32_t rank) {
  const std::uint64_t here = without_those_that_left(items).here;
  const std::uint32_t lane = items.lane_of(rank);
  const bool is_here = ((here >> (lane & 63)) & 1) != 0;
  return value_from(items, own, if_apart(is_here ? rank : items.rank(), rank));
}
/// The same for all; if it has left, the value of the first one that has not.
template <class T, class Items>
PIANOLA_GROUP_INLINE T value_for_all(const Items& items, const T& own, std::uint32_t rank) {
  const those_here<Items> present = without_those_that_left(items);
  const std::uint32_t lane = items.lane_of(rank);
  const bool is_here = ((present.here >> (lane & 63)) & 1) != 0;
  const std::uint32_t before = bits_in(present.here & ((std::uint64_t{1} << (lane & 63)) - 1));
  return value_from(present, own, if_apart(is_here ? before : 0, rank));
}

/// Each takes in what the one `Distance` above it has.
struct climb {
  template <std::uint32_t Distance, class Items, class T, class Operation>
  static PIANOLA_GROUP_INLINE void step(T& own, const Items& items, const Operation& op) {
    if (Distance >= Items::most || Distance >= __pianola_sub_group_size())
      return;  // known when the code is lowered
    const std::uint32_t rank = items.rank();
    const bool inside = rank + Distance < items.count();
    const T other = value_from(items, own, inside ? rank + Distance : rank);
    if (inside) own = static_cast<T>(op(own, other));
  }
};
/// Each takes in what the one `Distance` below it has.
struct scan {
  template <std::uint32_t Distance, class Items, class T, class Operation>
  static PIANOLA_GROUP_INLINE void step(T& own, const Items& items, const Operation& op) {
    if (Distance >= Items::most || Distance >= __pianola_sub_group_size()) return;
    const std::uint32_t rank = items.rank();
    const bool inside = rank >= Distance;
    const T other = value_from(items, own, inside ? rank - Distance : rank);
    if (inside) own = static_cast<T>(op(other, own));
  }
};

/// After `climb` rank 0 has the total and the others something else, after `scan` all have the total up to themselves.
template <class Way, class Items, class T, class Operation>
PIANOLA_GROUP_INLINE T in_doubling_steps(T own, const Items& items, const Operation& op) {
  Way::template step<1>(own, items, op);
  Way::template step<2>(own, items, op);
  Way::template step<4>(own, items, op);
  Way::template step<8>(own, items, op);
  Way::template step<16>(own, items, op);
  Way::template step<32>(own, items, op);
  return own;
}

/// Where a work-item of a work-group finds itself among the group's sub-groups.
struct lane_position {
  std::uint32_t lane;
  std::uint32_t lanes;  // of its sub-group
  std::uint32_t sub_group;
  std::uint32_t sub_groups;
};
PIANOLA_GROUP_INLINE lane_position position_in_sub_groups(std::uint32_t rank, std::uint32_t count) {
  const std::uint32_t most = __pianola_sub_group_size();
  const std::uint32_t sub_group = rank / most;
  const std::uint32_t rest = count - sub_group * most;
  return {rank % most, rest < most ? rest : most, sub_group, (count + most - 1) / most};
}

template <class T>
inline constexpr std::uint32_t scratch_slots = [] {
  static_assert(sizeof(T) <= group_scratch_bytes,
                "group functions exchange values of at most 1024 bytes");
  return static_cast<std::uint32_t>(group_scratch_bytes / sizeof(T));
}();

/// Numbers 0 .. count-1 belong to one work-item each (where `puts`). Calls use(slots, first, last) for
/// consecutive ranges of numbers, with slots[i - first] holding number i's value.
template <class T, class Use>
PIANOLA_GROUP_INLINE void through_scratch(const T& own, bool puts, std::uint32_t number,
                                          std::uint32_t count, const Use& use) {
  T* const slots = static_cast<T*>(__pianola_group_scratch());
  for (std::uint32_t first = 0; first < count; first += scratch_slots<T>) {
    const std::uint32_t last = count - first < scratch_slots<T> ? count : first + scratch_slots<T>;
    if (puts && number >= first && number < last) slots[number - first] = own;
    join_group();
    use(slots, first, last);
    join_group();
  }
}

// ---- sub-groups

PIANOLA_GROUP_INLINE whole_sub_group all_of_sub_group(const sub_group& g) {
  return {rank_in(g), size_of(g)};
}
template <class T, class Items, class Operation>
PIANOLA_GROUP_INLINE T reduce_lanes(T own, const Items& items, const Operation& op) {
  const auto present = without_those_that_left(items);
  return value_from(present, in_doubling_steps<climb>(own, present, op), 0);
}
template <class T, class Items, class Operation>
PIANOLA_GROUP_INLINE T scan_lanes(T own, const Items& items, const Operation& op) {
  return in_doubling_steps<scan>(own, without_those_that_left(items), op);
}
template <class T, class Items, class Operation>
PIANOLA_GROUP_INLINE scanned_before<T> scan_lanes_before(T own, T first, const Items& items,
                                                         const Operation& op) {
  const auto present = without_those_that_left(items);
  own = in_doubling_steps<scan>(own, present, op);
  const std::uint32_t rank = present.rank();
  const T before = value_from(present, own, rank == 0 ? 0 : rank - 1);
  return {rank == 0 ? first : before, rank == 0};
}

template <class T>
PIANOLA_GROUP_INLINE T value_of(const sub_group& g, T own, std::uint32_t rank) {
  return value_if_here(all_of_sub_group(g), own, rank);
}
template <class T>
PIANOLA_GROUP_INLINE T broadcast_value(const sub_group& g, T own, std::uint32_t rank) {
  return value_for_all(all_of_sub_group(g), own, rank);
}
template <class T, class Operation>
PIANOLA_GROUP_INLINE T reduce_values(const sub_group& g, T own, const Operation& op) {
  return reduce_lanes(own, all_of_sub_group(g), op);
}
template <class T, class Operation>
PIANOLA_GROUP_INLINE T scan_values(const sub_group& g, T own, const Operation& op) {
  return scan_lanes(own, all_of_sub_group(g), op);
}
template <class T, class Operation>
PIANOLA_GROUP_INLINE scanned_before<T> scan_values_before(const sub_group& g, T own, T first,
                                                          const Operation& op) {
  return scan_lanes_before(own, first, all_of_sub_group(g), op);
}
PIANOLA_GROUP_INLINE place_in_group place_there(const sub_group& g) {
  __pianola_sub_group_barrier(static_cast<std::uint32_t>(memory_scope::sub_group));
  const auto present = without_those_that_left(all_of_sub_group(g));
  return {present.rank(), present.count()};
}

// ---- parts of sub-groups

/// Whether part_of(g) gives such a part for a group.
template <class Group>
inline constexpr bool is_part_of_sub_group = false;
template <class Group>
using if_part_of_sub_group = std::enable_if_t<is_part_of_sub_group<Group>>;

template <class Group, class T, class = if_part_of_sub_group<Group>>
PIANOLA_GROUP_INLINE T value_of(const Group& g, T own, std::uint32_t rank) {
  return value_if_here(part_of(g), own, rank);
}
template <class Group, class T, class = if_part_of_sub_group<Group>>
PIANOLA_GROUP_INLINE T broadcast_value(const Group& g, T own, std::uint32_t rank) {
  return value_for_all(part_of(g), own, rank);
}
template <class Group, class T, class Operation, class = if_part_of_sub_group<Group>>
PIANOLA_GROUP_INLINE T reduce_values(const Group& g, T own, const Operation& op) {
  return reduce_lanes(own, part_of(g), op);
}
template <class Group, class T, class Operation, class = if_part_of_sub_group<Group>>
PIANOLA_GROUP_INLINE T scan_values(const Group& g, T own, const Operation& op) {
  return scan_lanes(own, part_of(g), op);
}
template <class Group, class T, class Operation, class = if_part_of_sub_group<Group>>
PIANOLA_GROUP_INLINE scanned_before<T> scan_values_before(const Group& g, T own, T first,
                                                          const Operation& op) {
  return scan_lanes_before(own, first, part_of(g), op);
}
template <class Group, class = if_part_of_sub_group<Group>>
PIANOLA_GROUP_INLINE place_in_group place_there(const Group& g) {
  const auto part = part_of(g);
  __pianola_sub_group_barrier_among(static_cast<std::uint32_t>(memory_scope::sub_group),
                                    part.mask());
  const auto present = without_those_that_left(part);
  return {present.rank(), present.count()};
}

// ---- work-groups

template <int Dimensions>
PIANOLA_GROUP_INLINE place_in_group place_among_those_here(const group<Dimensions>& g) {
  const std::uint32_t rank = rank_in(g), count = size_of(g);
  if (__pianola_is_device()) return {rank, count};
  const std::uint64_t here = __pianola_items_here();
  return {if_apart(static_cast<std::uint32_t>(here), rank),
          if_apart(static_cast<std::uint32_t>(here >> 32), count)};
}
template <int Dimensions>
PIANOLA_GROUP_INLINE place_in_group place_there(const group<Dimensions>& g) {
  join_group();
  return place_among_those_here(g);
}

template <int Dimensions, class T>
PIANOLA_GROUP_INLINE T value_of(const group<Dimensions>& g, T own, std::uint32_t rank) {
  if (__pianola_is_device()) {
    T found = own;
    through_scratch(own, true, rank_in(g), size_of(g),
                    [&](const T* slots, std::uint32_t first, std::uint32_t last) {
                      if (rank >= first && rank < last) found = slots[rank - first];
                    });
    return found;
  }
  // If it has left, the caller's own.
  const std::uint32_t own_rank = rank_in(g);
  rank = if_apart(__pianola_source_here(rank) == rank ? rank : own_rank, rank);
  T* const values = static_cast<T*>(__pianola_group_storage(sizeof(T)));
  values[own_rank] = own;
  join_group();
  const T found = values[rank];
  join_group();
  return found;
}

template <int Dimensions, class T>
PIANOLA_GROUP_INLINE T broadcast_value(const group<Dimensions>& g, T own, std::uint32_t rank) {
  static_assert(sizeof(T) <= group_scratch_bytes,
                "group functions exchange values of at most 1024 bytes");
  // If it has left, the value of the first one that has not.
  if (__pianola_is_device() == 0) rank = if_apart(__pianola_source_here(rank), rank);
  T* const value = static_cast<T*>(__pianola_is_device() ? __pianola_group_scratch()
                                                         : __pianola_group_storage(sizeof(T)));
  if (rank_in(g) == rank) *value = own;
  join_group();
  const T found = *value;
  join_group();
  return found;
}

template <class T, class Operation>
PIANOLA_GROUP_INLINE T reduce_on_device(T own, std::uint32_t rank, std::uint32_t count,
                                        const Operation& op) {
  const lane_position at = position_in_sub_groups(rank, count);
  own = in_doubling_steps<climb>(own, whole_sub_group{at.lane, at.lanes}, op);
  if (at.sub_groups == 1) return shuffle(own, 0);
  T total = own;
  through_scratch(own, at.lane == 0, at.sub_group, at.sub_groups,
                  [&](const T* slots, std::uint32_t first, std::uint32_t last) {
                    for (std::uint32_t i = first; i < last; ++i)
                      total = i == 0 ? slots[0] : static_cast<T>(op(total, slots[i - first]));
                  });
  return total;
}

template <int Dimensions, class T, class Operation>
PIANOLA_GROUP_INLINE T reduce_values(const group<Dimensions>& g, T own, const Operation& op) {
  const auto [rank, count] = place_among_those_here(g);
  if (__pianola_is_device()) return reduce_on_device(own, rank, count, op);
  // The second half has room for the total, away from the values that the next call writes.
  T* const values = static_cast<T*>(__pianola_group_storage(2 * sizeof(T)));
  values[rank] = own;
  join_group();
  if (rank == 0) values[count] = total_of<T>(values, count, op);
  join_group();
  return values[count];
}

/// Inclusive scan of a device's work-group; has_before and before: the scan up to the work-item before.
template <class T>
struct device_scan {
  T upto;
  T before;
  bool has_before;
};
template <class T, class Operation>
PIANOLA_GROUP_INLINE device_scan<T> scan_on_device(T own, std::uint32_t rank, std::uint32_t count,
                                                   const Operation& op) {
  const lane_position at = position_in_sub_groups(rank, count);
  own = in_doubling_steps<scan>(own, whole_sub_group{at.lane, at.lanes}, op);
  device_scan<T> result{own, shuffle(own, at.lane == 0 ? 0 : at.lane - 1), rank != 0};
  if (at.sub_groups == 1) return result;
  T prefix = own;
  through_scratch(own, at.lane + 1 == at.lanes, at.sub_group, at.sub_groups,
                  [&](const T* slots, std::uint32_t first, std::uint32_t last) {
                    for (std::uint32_t i = first; i < last && i < at.sub_group; ++i)
                      prefix = i == 0 ? slots[0] : static_cast<T>(op(prefix, slots[i - first]));
                  });
  if (at.sub_group == 0) return result;
  result.upto = static_cast<T>(op(prefix, own));
  result.before = at.lane == 0 ? prefix : static_cast<T>(op(prefix, result.before));
  return result;
}

template <int Dimensions, class T, class Operation>
PIANOLA_GROUP_INLINE T scan_values(const group<Dimensions>& g, T own, const Operation& op) {
  const auto [rank, count] = place_among_those_here(g);
  if (__pianola_is_device()) return scan_on_device(own, rank, count, op).upto;
  T* const values = static_cast<T*>(__pianola_group_storage(sizeof(T)));
  values[rank] = own;
  join_group();
  if (rank == 0) scan_in_order<T>(values, count, op);
  join_group();
  return values[rank];
}

template <int Dimensions, class T, class Operation>
PIANOLA_GROUP_INLINE scanned_before<T> scan_values_before(const group<Dimensions>& g, T own,
                                                          T first, const Operation& op) {
  const auto [rank, count] = place_among_those_here(g);
  if (__pianola_is_device()) {
    const device_scan<T> scanned = scan_on_device(own, rank, count, op);
    return {scanned.has_before ? scanned.before : first, !scanned.has_before};
  }
  T* const values = static_cast<T*>(__pianola_group_storage(sizeof(T)));
  values[rank] = own;
  join_group();
  if (rank == 0) scan_in_order_before<T>(values, count, first, op);
  join_group();
  return {values[rank], rank == 0};
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

#endif
