// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sycl/detail/handler/memory_operand.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/kernel/range.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext {
namespace oneapi {
namespace experimental {

/// A local range for nd_range that stands for one which Pianola chooses: of the fastest dimensions as much as divides the
/// global range, up to 256 work-items in all (sycl_ext_oneapi_auto_local_range).
template <int Dimensions>
inline range<Dimensions> auto_range() {
  range<Dimensions> chosen = range<Dimensions>();
  for (int d = 0; d < Dimensions; ++d) chosen[d] = sycl::detail::automatic_extent;
  return chosen;
}

}  // namespace experimental
}  // namespace oneapi
}  // namespace ext
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
