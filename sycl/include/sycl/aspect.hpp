// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <pianola/model/aspects.hpp>

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// SYCL 2020, 4.6.4, and the aspects of extensions.
enum class aspect { PIANOLA_ASPECTS(PIANOLA_ENUMERATOR) };

namespace detail {

// Which devices there will be is not known when a program is compiled.
constexpr bool every_device_has(aspect a) noexcept {
  return a == aspect::fp16 || a == aspect::fp64 || a == aspect::atomic64 ||
         a == aspect::online_compiler || a == aspect::online_linker ||
         a == aspect::queue_profiling || a == aspect::ext_oneapi_limited_graph ||
         a == aspect::ext_oneapi_graph || a == aspect::image ||
         a == aspect::ext_oneapi_clock_sub_group || a == aspect::ext_oneapi_clock_work_group;
}
constexpr bool no_device_has(aspect a) noexcept {
  return a == aspect::custom ||
         (a >= aspect::ext_oneapi_is_composite && a < aspect::ext_intel_device_info_uuid) ||
         a == aspect::ext_intel_matrix;
}

}  // namespace detail

/// SYCL 2020, 5.7: whether a device may have the aspect, and whether all devices have it. They must not be specialised.
template <aspect Aspect>
struct any_device_has : std::bool_constant<!detail::no_device_has(Aspect)> {};
template <aspect Aspect>
struct all_devices_have : std::bool_constant<detail::every_device_has(Aspect)> {};

template <aspect Aspect>
inline constexpr bool any_device_has_v = any_device_has<Aspect>::value;
template <aspect Aspect>
inline constexpr bool all_devices_have_v = all_devices_have<Aspect>::value;

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
