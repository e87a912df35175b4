// SPDX-License-Identifier: Apache-2.0
// Scans over a group in the order of its work-items (SYCL 2020, 4.17.3). All work-items
// of the group must call them. Operations must be associative.
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
#include <sycl/kernel/group_functions/reduce.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

template <class Group, class T, class BinaryOperation, class = detail::if_group<Group>>
T inclusive_scan_over_group(Group g, T x, BinaryOperation binary_op) {
  static_assert(std::is_trivially_copyable_v<T>, "work-items exchange values as bytes");
  return detail::scan_values(g, x, binary_op);
}

template <class Group, class V, class BinaryOperation, class T, class = detail::if_group<Group>>
T inclusive_scan_over_group(Group g, V x, BinaryOperation binary_op, T init) {
  return static_cast<T>(
      binary_op(init, inclusive_scan_over_group(g, static_cast<T>(x), binary_op)));
}

template <class Group, class V, class T, class BinaryOperation, class = detail::if_group<Group>>
T exclusive_scan_over_group(Group g, V x, T init, BinaryOperation binary_op) {
  static_assert(std::is_trivially_copyable_v<T>, "work-items exchange values as bytes");
  const auto before = detail::scan_values_before(g, static_cast<T>(x), init, binary_op);
  return before.is_first ? init : static_cast<T>(binary_op(init, before.value));
}

template <class Group, class T, class BinaryOperation, class = detail::if_group<Group>>
T exclusive_scan_over_group(Group g, T x, BinaryOperation binary_op) {
  static_assert(std::is_trivially_copyable_v<T>, "work-items exchange values as bytes");
  static_assert(has_known_identity_v<BinaryOperation, T>,
                "an exclusive scan without init needs an operation with a known identity");
  return detail::scan_values_before(g, x, known_identity<BinaryOperation, T>::value, binary_op)
      .value;
}

namespace detail {

/// What a joint scan without init adds up in: the results' type, which the operation returns.
template <class BinaryOperation, class InPtr, class OutPtr>
using scanned_t = std::conditional_t<
    has_known_identity_v<BinaryOperation, typename std::iterator_traits<OutPtr>::value_type>,
    typename std::iterator_traits<OutPtr>::value_type,
    typename std::iterator_traits<InPtr>::value_type>;

/// Scans the elements of a run behind `running`, the total of all before. Eight at a time, so that only one
/// operation in eight waits for the one before.
template <bool Inclusive, class InPtr, class OutPtr, class T, class Operation>
void scan_run(InPtr first, OutPtr result, std::size_t from, std::size_t to, T running,
              const Operation& op) {
  using in_difference = typename std::iterator_traits<InPtr>::difference_type;
  using out_difference = typename std::iterator_traits<OutPtr>::difference_type;
  std::size_t i = from;
  if constexpr (std::is_arithmetic_v<T>) {
    constexpr std::size_t block = 8;
    for (; i + block <= to; i += block) {
      T x[block];
      for (std::size_t j = 0; j < block; ++j)
        x[j] = static_cast<T>(first[static_cast<in_difference>(i + j)]);
      for (std::size_t d = 1; d < block; d *= 2)
        for (std::size_t j = 0; j < block; ++j)
          if ((j & d) != 0) x[j] = static_cast<T>(op(x[(j & ~(d - 1)) - 1], x[j]));
      for (T& sum : x) sum = static_cast<T>(op(running, sum));
      for (std::size_t j = 0; j < block; ++j)
        result[static_cast<out_difference>(i + j)] =
            Inclusive ? x[j] : (j == 0 ? running : x[j == 0 ? 0 : j - 1]);
      running = x[block - 1];
    }
  }
  for (; i < to; ++i) {
    const T next = static_cast<T>(op(running, first[static_cast<in_difference>(i)]));
    result[static_cast<out_difference>(i)] = Inclusive ? next : running;
    running = next;
  }
}

/// Each work-item scans a run of neighbouring elements, starting with the total of all runs before, so
/// that result may be first. Returns the end of the results.
template <bool Inclusive, class Group, class InPtr, class OutPtr, class T, class BinaryOperation>
OutPtr joint_scan(const Group& g, InPtr first, InPtr last, OutPtr result, T init,
                  const BinaryOperation& op) {
  static_assert(has_known_identity_v<BinaryOperation, T>,
                "joint scans need one of SYCL's function objects, with a type that it suits");
  using out_difference = typename std::iterator_traits<OutPtr>::difference_type;
  const auto count = static_cast<std::size_t>(last - first);
  const place_in_group own = place_there(g);  // waits: others may have written the elements
  const element_share share = run_of_elements(own.rank, own.count, count);
  // Nobody asks for the total of the last run.
  const T total = own.rank + 1 == own.count ? T(known_identity_v<BinaryOperation, T>)
                                            : total_of_run<T>(first, share.first, share.last, op);
  const T before = exclusive_scan_over_group(g, total, init, op);
  scan_run<Inclusive>(first, result, share.first, share.last, before, op);
  group_barrier(g);  // everybody may read the results
  return result + static_cast<out_difference>(count);
}

}  // namespace detail

/// Of the elements first .. last-1, which are the same for all work-items; results are visible to the
/// group on return. `result` may be `first`. Returns result + (last - first).
template <class Group, class InPtr, class OutPtr, class T, class BinaryOperation,
          class = detail::if_group<Group>>
OutPtr joint_exclusive_scan(Group g, InPtr first, InPtr last, OutPtr result, T init,
                            BinaryOperation binary_op) {
  return detail::joint_scan<false>(g, first, last, result, init, binary_op);
}

template <class Group, class InPtr, class OutPtr, class BinaryOperation,
          class = detail::if_group<Group>>
OutPtr joint_exclusive_scan(Group g, InPtr first, InPtr last, OutPtr result,
                            BinaryOperation binary_op) {
  using value = detail::scanned_t<BinaryOperation, InPtr, OutPtr>;
  return detail::joint_scan<false>(g, first, last, result,
                                   known_identity<BinaryOperation, value>::value, binary_op);
}

template <class Group, class InPtr, class OutPtr, class BinaryOperation, class T,
          class = detail::if_group<Group>>
OutPtr joint_inclusive_scan(Group g, InPtr first, InPtr last, OutPtr result,
                            BinaryOperation binary_op, T init) {
  return detail::joint_scan<true>(g, first, last, result, init, binary_op);
}

template <class Group, class InPtr, class OutPtr, class BinaryOperation,
          class = detail::if_group<Group>>
OutPtr joint_inclusive_scan(Group g, InPtr first, InPtr last, OutPtr result,
                            BinaryOperation binary_op) {
  using value = detail::scanned_t<BinaryOperation, InPtr, OutPtr>;
  return detail::joint_scan<true>(g, first, last, result,
                                  known_identity<BinaryOperation, value>::value, binary_op);
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
