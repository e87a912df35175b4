// SPDX-License-Identifier: Apache-2.0
// sycl_ext_oneapi_native_math: native tanh of float and half, native exp2 of half as well.
#pragma once

#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/builtins/native.hpp>
#include <sycl/kernel/builtins/shapes.hpp>
#include <sycl/kernel/half.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

template <class X>
using several_small_floats =
    std::enable_if_t<is_several_v<X> && is_genfloat_v<X> &&
                         !std::is_same_v<element_type_t<value_type_of_t<X>>, double>,
                     value_type_of_t<X>>;

}  // namespace detail

namespace ext::oneapi::experimental::native {

inline float exp2(float x) noexcept { return sycl::detail::native_scalar::exp2(x); }
inline half exp2(half x) noexcept { return half(exp2(static_cast<float>(x))); }
inline float tanh(float x) noexcept { return sycl::detail::native_scalar::tanh(x); }
inline half tanh(half x) noexcept { return half(tanh(static_cast<float>(x))); }

// The functions of half in namespace sycl would be found, too, if these were not named in full.
#define PIANOLA_NATIVE_SEVERAL(name)                                  \
  template <class X, class R = sycl::detail::several_small_floats<X>> \
  R name(const X& x) noexcept {                                       \
    R result{};                                                       \
    for (int i = 0; i < sycl::detail::element_count_v<R>; ++i)        \
      result[i] = ext::oneapi::experimental::native::name(x[i]);      \
    return result;                                                    \
  }
PIANOLA_NATIVE_SEVERAL(exp2)
PIANOLA_NATIVE_SEVERAL(tanh)
#undef PIANOLA_NATIVE_SEVERAL

}  // namespace ext::oneapi::experimental::native
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
