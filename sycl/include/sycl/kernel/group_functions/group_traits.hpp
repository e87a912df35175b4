// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/group.hpp>
#include <sycl/kernel/sub_group.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// Whether T can be given to group functions (SYCL 2020, 4.17.2).
template <class T>
struct is_group : std::false_type {};
template <int Dimensions>
struct is_group<group<Dimensions>> : std::true_type {};
template <>
struct is_group<sub_group> : std::true_type {};

template <class T>
inline constexpr bool is_group_v = is_group<T>::value;

namespace detail {

template <class Group>
using if_group = std::enable_if_t<is_group_v<std::decay_t<Group>>>;

/// Position of the calling work-item in its group, and the group's size. Both fit 32 bits: a work-group
/// has at most as many work-items as its device says.
template <class Group>
std::uint32_t rank_in(const Group& g) {
  return static_cast<std::uint32_t>(g.get_local_linear_id());
}
template <class Group>
std::uint32_t size_of(const Group& g) {
  return static_cast<std::uint32_t>(g.get_local_linear_range());
}

// Work-items that have left a kernel take no part in group functions that the others still call. SYCL demands that all
// call them, or none; but programs are written so.

/// Of a work-item among those of its group that are there, and how many they are.
struct place_in_group {
  std::uint32_t rank;
  std::uint32_t count;
};

/// Of a work-item in a scan of all before it.
template <class T>
struct scanned_before {
  T value;
  bool is_first;  // nobody is before it
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
