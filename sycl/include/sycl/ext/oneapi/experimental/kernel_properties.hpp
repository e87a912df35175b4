// SPDX-License-Identifier: Apache-2.0
// Compile-time properties of kernels (sycl_ext_oneapi_kernel_properties): sub_group_size, work_group_size and
// device_has. They do what the attributes reqd_sub_group_size, reqd_work_group_size and device_has do, and,
// being no attributes, do it with every compiler. A kernel object says them with a member function
//   auto get(properties_tag) const { return properties{sub_group_size<16>}; }
// (const or not), or parallel_for takes them before the kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <sycl/aspect.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext {
namespace oneapi {
namespace experimental {

template <std::uint32_t Size>
struct sub_group_size_value;
template <std::size_t... Sizes>
struct work_group_size_value;
template <std::size_t... Sizes>
struct work_group_size_hint_value;
template <aspect... Aspects>
struct device_has_value;

struct sub_group_size_key {
  template <std::uint32_t Size>
  using value_t = sub_group_size_value<Size>;
};
struct work_group_size_key {
  template <std::size_t... Sizes>
  using value_t = work_group_size_value<Sizes...>;
};
struct work_group_size_hint_key {
  template <std::size_t... Sizes>
  using value_t = work_group_size_hint_value<Sizes...>;
};
struct device_has_key {
  template <aspect... Aspects>
  using value_t = device_has_value<Aspects...>;
};
template <>
struct is_property_key<sub_group_size_key> : std::true_type {};
template <>
struct is_property_key<work_group_size_key> : std::true_type {};
template <>
struct is_property_key<work_group_size_hint_key> : std::true_type {};
template <>
struct is_property_key<device_has_key> : std::true_type {};

template <std::uint32_t Size>
struct sub_group_size_value {
  using key_t = sub_group_size_key;
  using value_t = std::integral_constant<std::uint32_t, Size>;
  static constexpr std::uint32_t value = Size;
  static_assert(Size > 0 && (Size & (Size - 1)) == 0, "sub-group sizes are powers of two");
};
template <std::size_t... Sizes>
struct work_group_size_value {
  using key_t = work_group_size_key;
  static_assert(sizeof...(Sizes) >= 1 && sizeof...(Sizes) <= 3 && ((Sizes > 0) && ...),
                "work-groups have one to three dimensions and at least one work-item");
  constexpr std::size_t operator[](int dimension) const {
    constexpr std::size_t sizes[] = {Sizes...};
    return sizes[dimension];
  }
};
template <std::size_t... Sizes>
struct work_group_size_hint_value : work_group_size_value<Sizes...> {
  using key_t = work_group_size_hint_key;
};

template <aspect... Aspects>
struct device_has_value {
  using key_t = device_has_key;
};

/// Throws exception (errc::kernel_not_supported) where the kernel is submitted if the device has no such
/// sub-groups.
template <std::uint32_t Size>
inline constexpr sub_group_size_value<Size> sub_group_size{};
/// Throws exception (errc::nd_range) where the kernel is submitted with another local range.
template <std::size_t... Sizes>
inline constexpr work_group_size_value<Sizes...> work_group_size{};

/// Changes nothing: kernels run with every local range.
template <std::size_t... Sizes>
inline constexpr work_group_size_hint_value<Sizes...> work_group_size_hint{};

/// Throws exception (errc::kernel_not_supported) where the kernel is submitted if the device lacks one.
template <aspect... Aspects>
inline constexpr device_has_value<Aspects...> device_has{};

/// Of a launch, not of a kernel (work_group_memory.hpp).
struct work_group_scratch_size;

struct properties_tag {};

}  // namespace experimental
}  // namespace oneapi
}  // namespace ext

namespace detail {

/// What the member function get(properties_tag) of a kernel object returns. It is asked for its type only, so that it
/// need not be const.
template <class Kernel, class = void>
struct properties_of_kernel {
  using type = ext::oneapi::experimental::properties<>;
};
template <class Kernel>
struct properties_of_kernel<Kernel, std::void_t<decltype(std::declval<Kernel&>().get(
                                        ext::oneapi::experimental::properties_tag()))>> {
  using type = std::decay_t<decltype(std::declval<Kernel&>().get(
      ext::oneapi::experimental::properties_tag()))>;
};
template <class Kernel>
using properties_of_kernel_t = typename properties_of_kernel<Kernel>::type;

template <class KernelName, class Kernel>
using named_by = std::conditional_t<std::is_void_v<KernelName>, Kernel, KernelName>;

/// A kernel and the properties that parallel_for was given with it.
template <class Kernel, class Properties>
struct kernel_with_properties {
  Kernel kernel;
  template <class... Arguments,
            class = std::enable_if_t<std::is_invocable_v<const Kernel&, const Arguments&...>>>
  __attribute__((always_inline)) void operator()(const Arguments&... arguments) const {
    kernel(arguments...);
  }
  Properties get(ext::oneapi::experimental::properties_tag) const;  // asked for its type only
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
