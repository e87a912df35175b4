// SPDX-License-Identifier: Apache-2.0
// Functions as kernels (sycl_ext_oneapi_free_function_kernels). With g++ any function that returns nothing may be one, whether it
// is decorated or not; what tells decorated ones apart (is_kernel and its kin) is missing there, and so is the
// extension's macro.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/detail/handler/memory_operand.hpp>
#include <sycl/detail/kernels/function_kernels.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/device.hpp>
#include <sycl/ext/oneapi/experimental/enqueue_functions.hpp>
#include <sycl/ext/oneapi/experimental/launch_config.hpp>
#include <sycl/ext/oneapi/free_function_kernel_properties.hpp>
#include <sycl/handler.hpp>
#include <sycl/kernel/nd_range.hpp>
#include <sycl/kernel_bundle.hpp>
#include <sycl/queue.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext {
namespace oneapi {
namespace experimental {

template <auto* Func>
struct kernel_function_s {};
/// A function, to launch.
template <auto* Func>
inline constexpr kernel_function_s<Func> kernel_function{};

}  // namespace experimental
}  // namespace oneapi
}  // namespace ext

namespace detail {

template <auto* Func, class... Parameters>
void launch_function(handler& h, const pianola::model::launch_geometry& geometry,
                     const function_argument<std::decay_t<Parameters>>&... arguments) {
  register_function<Func>();
  handler_access::launch<function_name<Func>, pianola::glue::nd_range_shape<3>>(
      h, function_kernel<Func, Parameters...>{pack<function_argument<std::decay_t<Parameters>>...>(
             arguments...)})
      .geometry = geometry;
}

template <auto* Func, class... Parameters>
template <std::size_t... At>
void function_traits<Func, void (*)(Parameters...)>::launch_with(
    handler& h, const pianola::model::launch_geometry& geometry, const kernel_argument* given,
    std::index_sequence<At...>) {
  launch_function<Func, Parameters...>(h, geometry,
                                       argument_as<std::decay_t<Parameters>>(given[At], At)...);
}

/// Arguments are converted to the parameters' types here, on the host.
template <auto* Func, int Dimensions, class... Parameters>
void launch_converted(handler& h, const nd_range<Dimensions>& r, void (*)(Parameters...),
                      std::decay_t<Parameters>... arguments) {
  launch_function<Func, Parameters...>(
      h, geometry_of(r), function_argument<std::decay_t<Parameters>>::make(arguments, 0)...);
}

template <auto* Func>
kernel function_in(const context& c) {
  return get_kernel_bundle<bundle_state::executable>(c, std::vector<kernel_id>{function_id<Func>()})
      .get_kernel(function_id<Func>());
}

}  // namespace detail

namespace ext {
namespace oneapi {
namespace experimental {

template <auto* Func, class... Arguments>
void single_task(handler& h, kernel_function_s<Func>, Arguments&&... arguments) {
  static_assert(sycl::detail::may_be_single_task_kernel<Func>,
                "single_task: the function is not decorated with single_task_kernel");
  static_assert(std::is_invocable_v<decltype(Func), Arguments...>,
                "single_task: the arguments are not those of the function");
  sycl::detail::launch_converted<Func>(h, nd_range<1>(range<1>(1), range<1>(1)), Func,
                                       std::forward<Arguments>(arguments)...);
}
template <auto* Func, class... Arguments>
void single_task(queue q, kernel_function_s<Func> f, Arguments&&... arguments) {
  q.submit(
      [&](handler& h) { experimental::single_task(h, f, std::forward<Arguments>(arguments)...); });
}
template <auto* Func, int Dimensions, class... Arguments>
void nd_launch(handler& h, nd_range<Dimensions> r, kernel_function_s<Func>,
               Arguments&&... arguments) {
  static_assert(sycl::detail::may_be_nd_range_kernel<Func, Dimensions>,
                "nd_launch: the function is not decorated with nd_range_kernel of the range's "
                "number of dimensions");
  static_assert(std::is_invocable_v<decltype(Func), Arguments...>,
                "nd_launch: the arguments are not those of the function");
  sycl::detail::launch_converted<Func>(h, r, Func, std::forward<Arguments>(arguments)...);
}
template <auto* Func, int Dimensions, class... Arguments>
void nd_launch(queue q, nd_range<Dimensions> r, kernel_function_s<Func> f,
               Arguments&&... arguments) {
  q.submit(
      [&](handler& h) { experimental::nd_launch(h, r, f, std::forward<Arguments>(arguments)...); });
}
template <auto* Func, int Dimensions, class Properties, class... Arguments>
void nd_launch(handler& h, launch_config<nd_range<Dimensions>, Properties> c,
               kernel_function_s<Func> f, Arguments&&... arguments) {
  static_assert(!Properties::template has_property<work_group_scratch_size>(),
                "work_group_scratch_size is for kernels that are function objects");
  experimental::nd_launch(h, c.get_range(), f, std::forward<Arguments>(arguments)...);
}
template <auto* Func, int Dimensions, class Properties, class... Arguments>
void nd_launch(queue q, launch_config<nd_range<Dimensions>, Properties> c,
               kernel_function_s<Func> f, Arguments&&... arguments) {
  q.submit(
      [&](handler& h) { experimental::nd_launch(h, c, f, std::forward<Arguments>(arguments)...); });
}

#define PIANOLA_IF_KERNEL std::enable_if_t<sycl::detail::may_be_kernel<Func>, int> = 0
template <auto* Func, PIANOLA_IF_KERNEL>
kernel_id get_kernel_id() {
  return sycl::detail::function_id<Func>();
}
template <auto* Func, bundle_state State, PIANOLA_IF_KERNEL>
kernel_bundle<State> get_kernel_bundle(const context& c) {
  return sycl::get_kernel_bundle<State>(c, c.get_devices(),
                                        std::vector<kernel_id>{get_kernel_id<Func>()});
}
template <auto* Func, bundle_state State, PIANOLA_IF_KERNEL>
kernel_bundle<State> get_kernel_bundle(const context& c, const std::vector<device>& devices) {
  return sycl::get_kernel_bundle<State>(c, devices, std::vector<kernel_id>{get_kernel_id<Func>()});
}
template <auto* Func, bundle_state State, PIANOLA_IF_KERNEL>
bool has_kernel_bundle(const context& c) {
  return sycl::has_kernel_bundle<State>(c, std::vector<kernel_id>{get_kernel_id<Func>()});
}
template <auto* Func, bundle_state State, PIANOLA_IF_KERNEL>
bool has_kernel_bundle(const context& c, const std::vector<device>& devices) {
  return sycl::has_kernel_bundle<State>(c, devices, std::vector<kernel_id>{get_kernel_id<Func>()});
}
template <auto* Func, PIANOLA_IF_KERNEL>
bool is_compatible(const device& d) {
  return sycl::is_compatible(std::vector<kernel_id>{get_kernel_id<Func>()}, d);
}

template <auto* Func, class Param, PIANOLA_IF_KERNEL>
typename Param::return_type get_kernel_info(const context& c) {
  return sycl::detail::function_in<Func>(c).template get_info<Param>();
}
template <auto* Func, class Param, PIANOLA_IF_KERNEL>
typename Param::return_type get_kernel_info(const context& c, const device& d) {
  return sycl::detail::function_in<Func>(c).template get_info<Param>(d);
}
template <auto* Func, class Param, PIANOLA_IF_KERNEL>
typename Param::return_type get_kernel_info(const queue& q) {
  return experimental::get_kernel_info<Func, Param>(q.get_context(), q.get_device());
}
#undef PIANOLA_IF_KERNEL

}  // namespace experimental
}  // namespace oneapi
}  // namespace ext
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
