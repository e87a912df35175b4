// SPDX-License-Identifier: Apache-2.0
// Library-only mode: work-items of a group see each other's values. Each leaves the address of its own,
// on the stack of its fiber, and stays inside of the call until nobody needs it any more.
#pragma once

#if !defined(__PIANOLACC__)

#include <cstddef>
#include <cstdint>

#include <sycl/detail/mode.hpp>
#include <sycl/glue/group_context.hpp>
#include <sycl/kernel/group_barrier.hpp>
#include <sycl/kernel/group_functions/combine.hpp>
#include <sycl/kernel/group_functions/group_traits.hpp>
#include <sycl/kernel/index_factory.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Other groups are sub-groups and their parts, whose compiled functions go up a tree.
template <class Group>
inline constexpr bool is_work_group = false;
template <int Dimensions>
inline constexpr bool is_work_group<group<Dimensions>> = true;

inline constexpr std::uint32_t slots_per_item = 2;

/// Addresses of values, by rank in the group; null for work-items that are not there. Each has a second slot.
template <class T>
struct fiber_values {
  void** slots;
  void*& slot(std::uint32_t i) const { return slots[slots_per_item * i]; }
  T& operator[](std::uint32_t i) const { return *static_cast<T*>(slot(i)); }
  fiber_values second() const { return {slots + 1}; }
};

template <int Dimensions>
std::uint32_t first_slot(const group<Dimensions>&) {
  return 0;
}
/// All sub-groups before the caller's are full.
inline std::uint32_t first_slot(const sub_group& g) {
  return g.get_group_linear_id() * static_cast<std::uint32_t>(g.get_max_local_range()[0]);
}

/// Calls use(values) between two barriers of the group. Work-items that have left have no value.
template <class Group, class T, class Use>
void with_values(const Group& g, T& own, const Use& use) {
  const pianola::glue::group_context* context = index_factory::context_of(g);
  if (context == nullptr) {
    void* only[slots_per_item] = {&own, nullptr};
    return use(fiber_values<T>{only});
  }
  const fiber_values<T> values{context->slots(*context) +
                               slots_per_item * std::size_t{first_slot(g)}};
  void*& slot = values.slot(rank_in(g));
  slot = &own;
  group_barrier(g);
  use(values);
  group_barrier(g);
  slot = nullptr;  // for who comes to another barrier while the others are here
}

/// Whether nobody before this rank is there.
template <class Values>
bool is_first_there(const Values& values, std::uint32_t rank) {
  for (std::uint32_t i = 0; i < rank; ++i)
    if (values.slot(i) != nullptr) return false;
  return true;
}

/// Calls work(values, how many) with the values that are there, in their order.
template <class Values, class Work>
void work_without_gaps(const Values& values, std::uint32_t count, const Work& work) {
  std::uint32_t there = 0;
  for (std::uint32_t i = 0; i < count; ++i)
    if (void* const value = values.slot(i)) values.second().slot(there++) = value;
  work(values.second(), there);
}

/// The first work-item that is there calls work(values, count), with the values of all who are there, in the order of the
/// group. Returns whether the caller is that one.
template <class Group, class T, class Work>
bool work_on_values(const Group& g, T& own, const Work& work) {
  bool is_first = false;
  with_values(g, own, [&](const auto& values) {
    const std::uint32_t rank = rank_in(g);
    is_first = rank == 0 || is_first_there(values, rank);
    if (!is_first) return;
    const std::uint32_t count = size_of(g);
    std::uint32_t there = 0;
    while (there < count && values.slot(there) != nullptr) ++there;
    if (there == count) return work(values, count);
    work_without_gaps(values, count, work);
  });
  return is_first;
}

/// The caller's own value if that work-item has left.
template <class Group, class T>
T value_of(const Group& g, T own, std::uint32_t rank) {
  T found = own;
  with_values(g, own, [&](const auto& values) {
    if (values.slot(rank) != nullptr) found = values[rank];
  });
  return found;
}

/// If that work-item has left, the value of the first one that is there.
template <class Group, class T>
T broadcast_value(const Group& g, T own, std::uint32_t rank) {
  T found = own;
  with_values(g, own, [&](const auto& values) {
    std::uint32_t source = rank;
    if (values.slot(source) == nullptr)
      for (source = 0; values.slot(source) == nullptr;) ++source;
    found = values[source];
  });
  return found;
}

template <class Group, class T, class Operation>
T reduce_values(const Group& g, T own, const Operation& op) {
  work_on_values(g, own, [&](const auto& values, std::uint32_t count) {
    T total = own;
    if constexpr (!is_work_group<Group>) {
      climb_tree<T>(values, count, op);
      total = own;
    } else {
      total = total_of<T>(values, count, op);
    }
    for (std::uint32_t i = 0; i < count; ++i) values[i] = total;
  });
  return own;
}

/// Inclusive.
template <class Group, class T, class Operation>
T scan_values(const Group& g, T own, const Operation& op) {
  work_on_values(g, own, [&](const auto& values, std::uint32_t count) {
    if constexpr (!is_work_group<Group>)
      scan_by_doubling<T>(values, count, op);
    else
      scan_in_order<T>(values, count, op);
  });
  return own;
}

/// Inclusive scan of all before the caller; `first` for the first work-item.
template <class Group, class T, class Operation>
scanned_before<T> scan_values_before(const Group& g, T own, T first, const Operation& op) {
  const bool is_first = work_on_values(g, own, [&](const auto& values, std::uint32_t count) {
    if constexpr (!is_work_group<Group>) {
      scan_by_doubling<T>(values, count, op);
      for (std::uint32_t i = count - 1; i > 0; --i) values[i] = values[i - 1];
      values[0] = first;
    } else {
      scan_in_order_before<T>(values, count, first, op);
    }
  });
  return {own, is_first};
}

inline bool may_some_have_left(const pianola::glue::group_context* context) {
  return context != nullptr && context->some_have_left != nullptr &&
         context->some_have_left(*context);
}
template <int Dimensions>
bool may_some_have_left(const group<Dimensions>& g) {
  return may_some_have_left(index_factory::context_of(g));
}
inline bool may_some_have_left(const sub_group& g) {
  return may_some_have_left(index_factory::context_of(g));
}

/// Waits for the group as well.
template <class Group>
place_in_group place_there(const Group& g) {
  place_in_group own{rank_in(g), size_of(g)};
  group_barrier(g);
  if (!may_some_have_left(g)) return own;
  work_on_values(g, own, [&](const auto& values, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) values[i] = {i, count};
  });
  return own;
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

#endif
