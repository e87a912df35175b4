// SPDX-License-Identifier: Apache-2.0
// What one work-item does with the values of its whole group, and how the lanes of a sub-group come to
// the same result together. Values: indexable, values[i] is a T&. The order of operations depends on the
// number of values only, so that a kernel gives the same bits in both compile modes.
#pragma once

#include <cstdint>

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Eight running totals, which can be one vector; for a commutative operation.
template <class T, class Values, class Operation>
T total_of(const Values& values, std::uint32_t count, const Operation& op) {
  if (count < 8) {
    T total = values[0];
    for (std::uint32_t i = 1; i < count; ++i) total = static_cast<T>(op(total, values[i]));
    return total;
  }
  T part[8] = {values[0], values[1], values[2], values[3],
               values[4], values[5], values[6], values[7]};
  std::uint32_t i = 8;
  for (; i + 8 <= count; i += 8)
    for (std::uint32_t j = 0; j < 8; ++j) part[j] = static_cast<T>(op(part[j], values[i + j]));
  for (; i < count; ++i) part[0] = static_cast<T>(op(part[0], values[i]));
  for (std::uint32_t width = 4; width > 0; width /= 2)
    for (std::uint32_t j = 0; j < width; ++j)
      part[j] = static_cast<T>(op(part[j], part[j + width]));
  return part[0];
}

/// The tree that the lanes of a sub-group climb: after step d, value i stands for values i .. i+2d-1.
/// Leaves the total in values[0].
template <class T, class Values, class Operation>
void climb_tree(const Values& values, std::uint32_t count, const Operation& op) {
  for (std::uint32_t d = 1; d < count; d *= 2)
    for (std::uint32_t i = 0; i + d < count; i += 2 * d)
      values[i] = static_cast<T>(op(values[i], values[i + d]));
}

/// The inclusive scan of the lanes of a sub-group, in place.
template <class T, class Values, class Operation>
void scan_by_doubling(const Values& values, std::uint32_t count, const Operation& op) {
  for (std::uint32_t d = 1; d < count; d *= 2)
    for (std::uint32_t i = count - 1; i >= d; --i)
      values[i] = static_cast<T>(op(values[i - d], values[i]));
}

template <class T, class Values, class Operation>
void scan_in_order(const Values& values, std::uint32_t count, const Operation& op) {
  T total = values[0];
  for (std::uint32_t i = 1; i < count; ++i) {
    total = static_cast<T>(op(total, values[i]));
    values[i] = total;
  }
}

/// Value i becomes what scan_in_order makes of value i-1, and value 0 becomes `first`.
template <class T, class Values, class Operation>
void scan_in_order_before(const Values& values, std::uint32_t count, const T& first,
                          const Operation& op) {
  T total = values[0];
  values[0] = first;
  for (std::uint32_t i = 1; i < count; ++i) {
    const T own = values[i];
    values[i] = total;
    total = static_cast<T>(op(total, own));
  }
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
