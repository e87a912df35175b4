// SPDX-License-Identifier: Apache-2.0
// reduce_over_group and joint_reduce (SYCL 2020, 4.17.3). All work-items of the group must call them.
// Operations must be associative and commutative; they are applied in an unspecified order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/functional.hpp>
#include <sycl/kernel/group_barrier.hpp>
#include <sycl/kernel/group_functions/exchange_compiled.hpp>
#include <sycl/kernel/group_functions/exchange_fibers.hpp>
#include <sycl/kernel/group_functions/group_traits.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Which of the elements 0 .. count-1 a work-item takes: a run of neighbours on the host, every n-th on
/// devices, where neighbouring work-items then read neighbouring memory.
struct element_share {
  std::size_t first;
  std::size_t last;
  std::size_t step;
};
inline element_share run_of_elements(std::size_t rank, std::size_t items, std::size_t count) {
  const std::size_t each = count / items, more = count % items;
  const std::size_t first = rank * each + (rank < more ? rank : more);
  return {first, first + each + (rank < more ? 1 : 0), 1};
}
inline element_share share_of_elements(std::size_t rank, std::size_t items, std::size_t count) {
#if defined(__PIANOLACC__)
  if (__pianola_is_device()) return {rank, count, items};
#endif
  return run_of_elements(rank, items, count);
}

/// The elements of a run, in as many running totals as make a few vectors: one alone waits for each
/// addition. `op` has a known identity for T.
template <class T, class Ptr, class Operation>
T total_of_run(Ptr first, std::size_t from, std::size_t to, const Operation& op) {
  using difference = typename std::iterator_traits<Ptr>::difference_type;
  const T none = known_identity_v<Operation, T>;
  constexpr std::size_t lanes = !std::is_arithmetic_v<T> ? 1 : sizeof(T) > 4 ? 8 : 16;
  std::size_t i = from;
  T part[lanes];
  for (T& p : part) p = none;
  if constexpr (lanes > 1) {
    for (; i + lanes <= to; i += lanes)
      for (std::size_t j = 0; j < lanes; ++j)
        part[j] = static_cast<T>(op(part[j], first[static_cast<difference>(i + j)]));
    for (std::size_t width = lanes / 2; width > 0; width /= 2)
      for (std::size_t j = 0; j < width; ++j)
        part[j] = static_cast<T>(op(part[j], part[j + width]));
  }
  for (; i < to; ++i) part[0] = static_cast<T>(op(part[0], first[static_cast<difference>(i)]));
  return part[0];
}

}  // namespace detail

template <class Group, class T, class BinaryOperation, class = detail::if_group<Group>>
T reduce_over_group(Group g, T x, BinaryOperation binary_op) {
  static_assert(std::is_trivially_copyable_v<T>, "work-items exchange values as bytes");
  return detail::reduce_values(g, x, binary_op);
}

/// binary_op(init, the reduction of all x).
template <class Group, class V, class T, class BinaryOperation, class = detail::if_group<Group>>
T reduce_over_group(Group g, V x, T init, BinaryOperation binary_op) {
  return static_cast<T>(binary_op(init, reduce_over_group(g, static_cast<T>(x), binary_op)));
}

/// Of the elements first .. last-1, which are the same for all work-items.
template <class Group, class Ptr, class T, class BinaryOperation, class = detail::if_group<Group>>
T joint_reduce(Group g, Ptr first, Ptr last, T init, BinaryOperation binary_op) {
  static_assert(has_known_identity_v<BinaryOperation, T>,
                "joint_reduce needs one of SYCL's function objects, with a type that it suits");
  const detail::place_in_group place = detail::place_there(g);  // others may have written them
  const detail::element_share share =
      detail::share_of_elements(place.rank, place.count, static_cast<std::size_t>(last - first));
  T own = known_identity_v<BinaryOperation, T>;
  if (share.step == 1)
    own = detail::total_of_run<T>(first, share.first, share.last, binary_op);
  else
    for (std::size_t i = share.first; i < share.last; i += share.step)
      own = static_cast<T>(binary_op(
          own, first[static_cast<typename std::iterator_traits<Ptr>::difference_type>(i)]));
  return reduce_over_group(g, own, init, binary_op);
}

template <class Group, class Ptr, class BinaryOperation, class = detail::if_group<Group>>
typename std::iterator_traits<Ptr>::value_type joint_reduce(Group g, Ptr first, Ptr last,
                                                            BinaryOperation binary_op) {
  using value = typename std::iterator_traits<Ptr>::value_type;
  return joint_reduce(g, first, last, known_identity<BinaryOperation, value>::value, binary_op);
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
