// SPDX-License-Identifier: Apache-2.0
// Library-only mode: work-items of a group see each other's values. Each leaves the address of its own,
// on the stack of its fiber, and stays inside of the call until nobody needs it any more.
#pragma once

#if !defined(__PIANOLACC__)

#include <cstdint>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/glue/group_context.hpp>
#include <sycl/kernel/group_barrier.hpp>
#include <sycl/kernel/group_functions/combine.hpp>
#include <sycl/kernel/group_functions/group_traits.hpp>
#include <sycl/kernel/index_factory.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

template <class T>
struct fiber_values {
  void** slots;
  T& operator[](std::uint32_t i) const { return *static_cast<T*>(slots[i]); }
};

template <int Dimensions>
std::uint32_t first_slot(const group<Dimensions>&) {
  return 0;
}
/// All sub-groups before the caller's are full.
inline std::uint32_t first_slot(const sub_group& g) {
  return g.get_group_linear_id() * static_cast<std::uint32_t>(g.get_max_local_range()[0]);
}

/// Calls use(values) between two barriers of the group.
template <class Group, class T, class Use>
void with_values(const Group& g, T& own, const Use& use) {
  const pianola::glue::group_context* context = index_factory::context_of(g);
  void* only = &own;
  if (context == nullptr) return use(fiber_values<T>{&only});
  void** slots = context->slots(*context) + first_slot(g);
  slots[rank_in(g)] = &own;
  group_barrier(g);
  use(fiber_values<T>{slots});
  group_barrier(g);
}

template <class Group, class T>
T value_of(const Group& g, T own, std::uint32_t rank) {
  T found = own;
  with_values(g, own, [&](const auto& values) { found = values[rank]; });
  return found;
}

template <class Group, class T>
T broadcast_value(const Group& g, T own, std::uint32_t rank) {
  return value_of(g, own, rank);
}

template <class Group, class T, class Operation>
T reduce_values(const Group& g, T own, const Operation& op) {
  with_values(g, own, [&](const auto& values) {
    if (!g.leader()) return;
    const std::uint32_t count = size_of(g);
    T total = own;
    if constexpr (std::is_same_v<Group, sub_group>) {
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
  with_values(g, own, [&](const auto& values) {
    if (!g.leader()) return;
    if constexpr (std::is_same_v<Group, sub_group>)
      scan_by_doubling<T>(values, size_of(g), op);
    else
      scan_in_order<T>(values, size_of(g), op);
  });
  return own;
}

/// Inclusive scan of all before the caller; `first` for the first work-item.
template <class Group, class T, class Operation>
T scan_values_before(const Group& g, T own, T first, const Operation& op) {
  with_values(g, own, [&](const auto& values) {
    if (!g.leader()) return;
    const std::uint32_t count = size_of(g);
    if constexpr (std::is_same_v<Group, sub_group>) {
      scan_by_doubling<T>(values, count, op);
      for (std::uint32_t i = count - 1; i > 0; --i) values[i] = values[i - 1];
      values[0] = first;
    } else {
      scan_in_order_before<T>(values, count, first, op);
    }
  });
  return own;
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

#endif
