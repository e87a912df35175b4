// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include <sycl/detail/mode.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/kernel/nd_range.hpp>
#include <sycl/kernel/range.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

template <class T>
struct is_launch_range : std::false_type {};
template <int Dimensions>
struct is_launch_range<range<Dimensions>> : std::true_type {};
template <int Dimensions>
struct is_launch_range<nd_range<Dimensions>> : std::true_type {};

}  // namespace detail

namespace ext {
namespace oneapi {
namespace experimental {

/// How a kernel is launched (sycl_ext_oneapi_enqueue_functions). Properties of the kernel itself are the kernel's.
template <class Range, class Properties = empty_properties_t>
class launch_config {
  static_assert(sycl::detail::is_launch_range<Range>::value,
                "a launch_config is of a range or an nd_range");
  static_assert(is_property_list_v<Properties>, "the properties are a properties<...>");

 public:
  launch_config(Range r, Properties given = {}) : range_(r), properties_(given) {}

  /// Pianola's own.
  const Range& get_range() const noexcept { return range_; }
  const Properties& get_properties() const noexcept { return properties_; }

 private:
  Range range_;
  Properties properties_;
};
template <class Range>
launch_config(Range) -> launch_config<Range>;
template <class Range, class Properties>
launch_config(Range, Properties) -> launch_config<Range, Properties>;

}  // namespace experimental
}  // namespace oneapi
}  // namespace ext
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
