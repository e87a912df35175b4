// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/range.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// A global range cut into work-groups (SYCL 2020, 4.9.1.2). Whether the local range divides the
/// global one is checked when a kernel is submitted, not here.
template <int Dimensions = 1>
class nd_range {
 public:
  static constexpr int dimensions = Dimensions;

  /// Nothing: all zero, as programs for AdaptiveCpp expect; SYCL 2020 has no such constructor.
  constexpr nd_range() = default;
  /// `offset` is deprecated by SYCL 2020.
  constexpr nd_range(range<Dimensions> global, range<Dimensions> local,
                     id<Dimensions> offset = id<Dimensions>())
      : global_(global), local_(local), offset_(offset) {}

  constexpr range<Dimensions> get_global_range() const { return global_; }
  constexpr range<Dimensions> get_local_range() const { return local_; }
  /// Number of work-groups per dimension; zero where the local range is.
  constexpr range<Dimensions> get_group_range() const {
    range<Dimensions> groups;
    for (int d = 0; d < Dimensions; ++d)
      groups[d] = local_.get(d) == 0 ? 0 : global_.get(d) / local_.get(d);
    return groups;
  }
  constexpr id<Dimensions> get_offset() const { return offset_; }

  friend constexpr bool operator==(const nd_range& a, const nd_range& b) {
    return a.global_ == b.global_ && a.local_ == b.local_ && a.offset_ == b.offset_;
  }
  friend constexpr bool operator!=(const nd_range& a, const nd_range& b) { return !(a == b); }

 private:
  range<Dimensions> global_;
  range<Dimensions> local_;
  id<Dimensions> offset_;
};

template <int Dimensions>
nd_range(range<Dimensions>, range<Dimensions>) -> nd_range<Dimensions>;
template <int Dimensions>
nd_range(range<Dimensions>, range<Dimensions>, id<Dimensions>) -> nd_range<Dimensions>;

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
