// SPDX-License-Identifier: Apache-2.0
// group_broadcast (SYCL 2020, 4.17.2): every work-item gets the value of one. All work-items of the
// group must call it, with the same id.
#pragma once

#include <cstdint>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/group_functions/exchange_compiled.hpp>
#include <sycl/kernel/group_functions/exchange_fibers.hpp>
#include <sycl/kernel/group_functions/group_traits.hpp>
#include <sycl/kernel/id.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// The value of the first work-item.
template <class Group, class T, class = detail::if_group<Group>>
T group_broadcast(Group g, T x) {
  static_assert(std::is_trivially_copyable_v<T>, "group_broadcast copies values as bytes");
  return detail::broadcast_value(g, x, 0);
}

template <class Group, class T, class = detail::if_group<Group>>
T group_broadcast(Group g, T x, typename Group::linear_id_type local_linear_id) {
  static_assert(std::is_trivially_copyable_v<T>, "group_broadcast copies values as bytes");
  return detail::broadcast_value(g, x, static_cast<std::uint32_t>(local_linear_id));
}

template <class Group, class T, class = detail::if_group<Group>>
T group_broadcast(Group g, T x, typename Group::id_type local_id) {
  static_assert(std::is_trivially_copyable_v<T>, "group_broadcast copies values as bytes");
  return detail::broadcast_value(
      g, x, static_cast<std::uint32_t>(detail::linear_index(g.get_local_range(), local_id)));
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
