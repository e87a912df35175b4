// SPDX-License-Identifier: Apache-2.0
// How kernel functions are decorated (sycl_ext_oneapi_free_function_kernels).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/ext/oneapi/experimental/kernel_properties.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>

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
  static_assert(Dimensions >= 1 && Dimensions <= 3, "nd_range_kernel: 1, 2 or 3 dimensions");
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

namespace detail {

// Attributes are all that can stand where the macro does, and the alignment is the one of them that a program can ask a
// function for, by Clang's __builtin_is_aligned. So it says what kind of kernel the function is: rare numbers
// and, for code that few programs have more than a dozen pieces of, harmless ones.
inline constexpr std::size_t single_task_alignment = 128;
constexpr std::size_t nd_range_alignment(int dimensions) {
  return single_task_alignment << dimensions;
}

/// 1, which changes no alignment, for properties that do not say the kind.
template <class Property>
constexpr std::size_t alignment_of_function(const Property&) {
  static_assert(ext::oneapi::experimental::is_property_value_v<Property>,
                "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY takes a property in parentheses, such as "
                "((nd_range_kernel<1>))");
  return 1;
}
constexpr std::size_t alignment_of_function(
    const ext::oneapi::experimental::single_task_kernel_key::value_t&) {
  return single_task_alignment;
}
template <int Dimensions>
constexpr std::size_t alignment_of_function(
    const ext::oneapi::experimental::property_value<ext::oneapi::experimental::nd_range_kernel_key,
                                                    std::integral_constant<int, Dimensions>>&) {
  return nd_range_alignment(Dimensions);
}

// What the other properties ask for, 0 if nothing. Dimensions 0, 1, 2 as in model::kernel_requirements.
template <class Property>
constexpr std::uint64_t sub_group_size_of_function(const Property&) {
  return 0;
}
template <std::uint32_t Size>
constexpr std::uint64_t sub_group_size_of_function(
    const ext::oneapi::experimental::sub_group_size_value<Size>&) {
  return Size;
}
template <class Property>
constexpr std::uint64_t work_group_size_of_function(const Property&, std::size_t) {
  return 0;
}
template <std::size_t... Sizes>
constexpr std::uint64_t work_group_size_of_function(
    const ext::oneapi::experimental::work_group_size_value<Sizes...>&, std::size_t dimension) {
  constexpr std::size_t sizes[] = {Sizes...};
  constexpr std::size_t given = sizeof...(Sizes);
  return dimension + given < 3 ? 1 : sizes[dimension + given - 3];
}
template <std::size_t... Sizes>
constexpr std::uint64_t work_group_size_of_function(
    const ext::oneapi::experimental::work_group_size_hint_value<Sizes...>&, std::size_t) {
  return 0;
}
template <class Property>
constexpr std::uint64_t aspects_of_function(const Property&) {
  return 0;
}
template <aspect... Aspects>
constexpr std::uint64_t aspects_of_function(
    const ext::oneapi::experimental::device_has_value<Aspects...>&) {
  return (std::uint64_t{0} | ... | (std::uint64_t{1} << static_cast<unsigned>(Aspects)));
}

#if defined(__clang__)
/// Whether the function is decorated with the property of this alignment or of a larger one.
template <auto* Func, std::size_t Alignment>
inline constexpr bool is_function_aligned =
    __builtin_constant_p(__builtin_is_aligned(reinterpret_cast<const void*>(Func), Alignment));
#endif

}  // namespace detail

namespace ext {
namespace oneapi {
namespace experimental {

#if defined(SYCL_EXT_ONEAPI_FREE_FUNCTION_KERNELS)
/// Whether the function is decorated with nd_range_kernel<Dims>.
template <auto* Func, int Dims>
struct is_nd_range_kernel
    : std::bool_constant<
          sycl::detail::is_function_aligned<Func, sycl::detail::nd_range_alignment(Dims)> &&
          !sycl::detail::is_function_aligned<Func, sycl::detail::nd_range_alignment(Dims + 1)>> {};
/// Whether the function is decorated with single_task_kernel.
template <auto* Func>
struct is_single_task_kernel
    : std::bool_constant<
          sycl::detail::is_function_aligned<Func, sycl::detail::single_task_alignment> &&
          !sycl::detail::is_function_aligned<Func, sycl::detail::nd_range_alignment(1)>> {};
/// Whether it is decorated with either.
template <auto* Func>
struct is_kernel
    : std::bool_constant<is_single_task_kernel<Func>::value || is_nd_range_kernel<Func, 1>::value ||
                         is_nd_range_kernel<Func, 2>::value || is_nd_range_kernel<Func, 3>::value> {
};

template <auto* Func, int Dims>
inline constexpr bool is_nd_range_kernel_v = is_nd_range_kernel<Func, Dims>::value;
template <auto* Func>
inline constexpr bool is_single_task_kernel_v = is_single_task_kernel<Func>::value;
template <auto* Func>
inline constexpr bool is_kernel_v = is_kernel<Func>::value;
#endif

}  // namespace experimental
}  // namespace oneapi
}  // namespace ext

namespace detail {

// g++ has nothing by which a template could ask for a function's attributes: there, every function may be a kernel of any
// kind.
#if defined(__clang__)
template <auto* Func>
inline constexpr bool may_be_kernel = ext::oneapi::experimental::is_kernel_v<Func>;
template <auto* Func>
inline constexpr bool may_be_single_task_kernel =
    ext::oneapi::experimental::is_single_task_kernel_v<Func>;
template <auto* Func, int Dimensions>
inline constexpr bool may_be_nd_range_kernel =
    ext::oneapi::experimental::is_nd_range_kernel_v<Func, Dimensions>;
#else
template <auto* Func>
inline constexpr bool may_be_kernel = true;
template <auto* Func>
inline constexpr bool may_be_single_task_kernel = true;
template <auto* Func, int Dimensions>
inline constexpr bool may_be_nd_range_kernel = true;
#endif

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

/// Decorates a kernel function: SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((nd_range_kernel<1>)) void f(...).
#if defined(__PIANOLACC__)
#define SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(property)                         \
  __attribute__((                                                           \
      aligned(::sycl::detail::alignment_of_function((property))),           \
      annotate("pianola.function_sub_group_size",                           \
               ::sycl::detail::sub_group_size_of_function((property))),     \
      annotate("pianola.function_work_group_size",                          \
               ::sycl::detail::work_group_size_of_function((property), 0),  \
               ::sycl::detail::work_group_size_of_function((property), 1),  \
               ::sycl::detail::work_group_size_of_function((property), 2)), \
      annotate("pianola.function_aspects", ::sycl::detail::aspects_of_function((property)))))
#elif defined(__clang__)
#define SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(property) \
  __attribute__((aligned(::sycl::detail::alignment_of_function((property)))))
#else
#define SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(property)
#endif
