// SPDX-License-Identifier: Apache-2.0
// How kernel functions are decorated (sycl_ext_oneapi_free_function_kernels).
#pragma once

#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>

/// Decorates a kernel function: SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((nd_range_kernel<1>)) void f(...). For the reader only.
#ifndef SYCL_EXT_ONEAPI_FUNCTION_PROPERTY
#define SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(property)
#endif

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext {
namespace oneapi {
namespace experimental {

struct nd_range_kernel_key {
  template <int Dimensions>
  using value_t = property_value<nd_range_kernel_key, std::integral_constant<int, Dimensions>>;
};
template <int Dimensions>
struct property_value<nd_range_kernel_key, std::integral_constant<int, Dimensions>> {
  using key_t = nd_range_kernel_key;
  static constexpr int dimensions = Dimensions;
};
struct single_task_kernel_key {
  using value_t = property_value<single_task_kernel_key>;
};
template <>
struct is_property_key<nd_range_kernel_key> : std::true_type {};
template <>
struct is_property_key<single_task_kernel_key> : std::true_type {};

template <int Dimensions>
inline constexpr nd_range_kernel_key::value_t<Dimensions> nd_range_kernel{};
inline constexpr single_task_kernel_key::value_t single_task_kernel{};

}  // namespace experimental
}  // namespace oneapi
}  // namespace ext
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
