// SPDX-License-Identifier: Apache-2.0
// Functions as kernels (sycl_ext_oneapi_free_function_kernels), as far as a library can: any function may be launched, whether
// it is decorated or not, and what tells decorated ones apart (is_kernel and its kin) is missing. So the extension's
// macro is not defined.
#pragma once

#include <type_traits>
#include <utility>

#include <sycl/detail/mode.hpp>
#include <sycl/ext/oneapi/experimental/enqueue_functions.hpp>
#include <sycl/ext/oneapi/experimental/launch_config.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/handler.hpp>
#include <sycl/kernel/nd_item.hpp>
#include <sycl/kernel/nd_range.hpp>
#include <sycl/queue.hpp>

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

template <auto* Func>
struct kernel_function_s {};
/// A function, to launch.
template <auto* Func>
inline constexpr kernel_function_s<Func> kernel_function{};

}  // namespace experimental
}  // namespace oneapi
}  // namespace ext

namespace detail {

/// Arguments are converted to the parameters' types here, on the host.
template <auto* Func, class... Parameters>
void launch_function(handler& h, void (*)(Parameters...), std::decay_t<Parameters>... arguments) {
  h.single_task([=] { Func(arguments...); });
}
template <auto* Func, int Dimensions, class... Parameters>
void launch_function(handler& h, const nd_range<Dimensions>& r, void (*)(Parameters...),
                     std::decay_t<Parameters>... arguments) {
  h.parallel_for(r, [=](nd_item<Dimensions>) { Func(arguments...); });
}

}  // namespace detail

namespace ext {
namespace oneapi {
namespace experimental {

template <auto* Func, class... Arguments>
void single_task(handler& h, kernel_function_s<Func>, Arguments&&... arguments) {
  sycl::detail::launch_function<Func>(h, Func, std::forward<Arguments>(arguments)...);
}
template <auto* Func, class... Arguments>
void single_task(queue q, kernel_function_s<Func>, Arguments&&... arguments) {
  q.submit([&](handler& h) {
    sycl::detail::launch_function<Func>(h, Func, std::forward<Arguments>(arguments)...);
  });
}
template <auto* Func, int Dimensions, class... Arguments>
void nd_launch(handler& h, nd_range<Dimensions> r, kernel_function_s<Func>,
               Arguments&&... arguments) {
  sycl::detail::launch_function<Func>(h, r, Func, std::forward<Arguments>(arguments)...);
}
template <auto* Func, int Dimensions, class... Arguments>
void nd_launch(queue q, nd_range<Dimensions> r, kernel_function_s<Func>, Arguments&&... arguments) {
  q.submit([&](handler& h) {
    sycl::detail::launch_function<Func>(h, r, Func, std::forward<Arguments>(arguments)...);
  });
}
template <auto* Func, int Dimensions, class Properties, class... Arguments>
void nd_launch(handler& h, launch_config<nd_range<Dimensions>, Properties> c,
               kernel_function_s<Func>, Arguments&&... arguments) {
  sycl::detail::launch_function<Func>(h, c.get_range(), Func,
                                      std::forward<Arguments>(arguments)...);
}
template <auto* Func, int Dimensions, class Properties, class... Arguments>
void nd_launch(queue q, launch_config<nd_range<Dimensions>, Properties> c, kernel_function_s<Func>,
               Arguments&&... arguments) {
  q.submit([&](handler& h) {
    sycl::detail::launch_function<Func>(h, c.get_range(), Func,
                                        std::forward<Arguments>(arguments)...);
  });
}

}  // namespace experimental
}  // namespace oneapi
}  // namespace ext
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
