// SPDX-License-Identifier: Apache-2.0
// shift_group_left, shift_group_right, permute_group_by_xor and select_from_group (SYCL 2020, 4.17.3), for work-groups
// as well as for sub-groups. All work-items of the group must call them. Where
// the spec leaves a result unspecified (there is no such work-item), a work-item gets its own value back.
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
namespace detail {

template <class Group, class T>
T value_or_own(const Group& g, const T& x, std::uint64_t source) {
  static_assert(std::is_trivially_copyable_v<T>, "work-items exchange values as bytes");
  return value_of(g, x, source < size_of(g) ? static_cast<std::uint32_t>(source) : rank_in(g));
}

}  // namespace detail

/// The value of the work-item `delta` behind the caller.
template <class Group, class T, class = detail::if_group<Group>>
T shift_group_left(Group g, T x, typename Group::linear_id_type delta = 1) {
  return detail::value_or_own(g, x, std::uint64_t{detail::rank_in(g)} + delta);
}

/// The value of the work-item `delta` before the caller.
template <class Group, class T, class = detail::if_group<Group>>
T shift_group_right(Group g, T x, typename Group::linear_id_type delta = 1) {
  return detail::value_or_own(g, x, std::uint64_t{detail::rank_in(g)} - delta);
}

/// The value of the work-item whose linear id is the caller's with the bits of `mask` flipped.
template <class Group, class T, class = detail::if_group<Group>>
T permute_group_by_xor(Group g, T x, typename Group::linear_id_type mask) {
  return detail::value_or_own(g, x, detail::rank_in(g) ^ std::uint64_t{mask});
}

/// The value of the given work-item, which may be another for every caller.
template <class Group, class T, class = detail::if_group<Group>>
T select_from_group(Group g, T x, typename Group::id_type remote_local_id) {
  return detail::value_or_own(g, x, detail::linear_index(g.get_local_range(), remote_local_id));
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
