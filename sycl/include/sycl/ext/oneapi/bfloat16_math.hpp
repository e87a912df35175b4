// SPDX-License-Identifier: Apache-2.0
// sycl_ext_oneapi_bfloat16_math_functions: functions of bfloat16, and element by element of marrays of them. What is not
// exact is computed in float and rounded.
#pragma once

#include <cstddef>

#include <sycl/detail/mode.hpp>
#include <sycl/ext/oneapi/bfloat16.hpp>
#include <sycl/kernel/builtins/math.hpp>
#include <sycl/kernel/builtins/relational.hpp>
#include <sycl/kernel/marray.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::oneapi::experimental {

inline bool isnan(bfloat16 x) noexcept { return x != x; }
template <std::size_t N>
marray<bool, N> isnan(const marray<bfloat16, N>& x) noexcept {
  marray<bool, N> result{};
  for (std::size_t i = 0; i < N; ++i) result[i] = isnan(x[i]);
  return result;
}

/// Rounded once.
inline bfloat16 fma(bfloat16 a, bfloat16 b, bfloat16 c) noexcept {
  return bfloat16(sycl::detail::sum_for_rounding(
      static_cast<double>(static_cast<float>(a)) * static_cast<float>(b),
      static_cast<double>(static_cast<float>(c))));
}
template <std::size_t N>
marray<bfloat16, N> fma(const marray<bfloat16, N>& a, const marray<bfloat16, N>& b,
                        const marray<bfloat16, N>& c) noexcept {
  marray<bfloat16, N> result{};
  for (std::size_t i = 0; i < N; ++i) result[i] = fma(a[i], b[i], c[i]);
  return result;
}

#define PIANOLA_BFLOAT16_1(name)                                    \
  inline bfloat16 name(bfloat16 x) noexcept {                       \
    return bfloat16(sycl::name(static_cast<float>(x)));             \
  }                                                                 \
  template <std::size_t N>                                          \
  marray<bfloat16, N> name(const marray<bfloat16, N>& x) noexcept { \
    marray<bfloat16, N> result{};                                   \
    for (std::size_t i = 0; i < N; ++i) result[i] = name(x[i]);     \
    return result;                                                  \
  }
#define PIANOLA_BFLOAT16_2(name)                                                                  \
  inline bfloat16 name(bfloat16 x, bfloat16 y) noexcept {                                         \
    return bfloat16(sycl::name(static_cast<float>(x), static_cast<float>(y)));                    \
  }                                                                                               \
  template <std::size_t N>                                                                        \
  marray<bfloat16, N> name(const marray<bfloat16, N>& x, const marray<bfloat16, N>& y) noexcept { \
    marray<bfloat16, N> result{};                                                                 \
    for (std::size_t i = 0; i < N; ++i) result[i] = name(x[i], y[i]);                             \
    return result;                                                                                \
  }

PIANOLA_BFLOAT16_1(ceil)
PIANOLA_BFLOAT16_1(cos)
PIANOLA_BFLOAT16_1(exp)
PIANOLA_BFLOAT16_1(exp10)
PIANOLA_BFLOAT16_1(exp2)
PIANOLA_BFLOAT16_1(fabs)
PIANOLA_BFLOAT16_1(floor)
PIANOLA_BFLOAT16_2(fmax)
PIANOLA_BFLOAT16_2(fmin)
PIANOLA_BFLOAT16_1(log)
PIANOLA_BFLOAT16_1(log10)
PIANOLA_BFLOAT16_1(log2)
PIANOLA_BFLOAT16_1(rint)
PIANOLA_BFLOAT16_1(rsqrt)
PIANOLA_BFLOAT16_1(sin)
PIANOLA_BFLOAT16_1(sqrt)
PIANOLA_BFLOAT16_1(tanh)
PIANOLA_BFLOAT16_1(trunc)

#undef PIANOLA_BFLOAT16_1
#undef PIANOLA_BFLOAT16_2

}  // namespace ext::oneapi::experimental
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
