// SPDX-License-Identifier: Apache-2.0
// Functions of one float or double that are few instructions, in forms that every compiler makes vectors of.
#pragma once

#include <cstdint>

#include <sycl/detail/mode.hpp>
#include <sycl/glue/intrinsics.hpp>

// Without SSE 4.1 there is no instruction that rounds, and g++ calls the library for each number.
#if !defined(__clang__) && defined(__x86_64__) && !defined(__SSE4_1__) && !defined(__FAST_MATH__)
#define PIANOLA_ROUNDS_BY_ADDING 1
#else
#define PIANOLA_ROUNDS_BY_ADDING 0
#endif
// Where square roots may set errno, g++ makes no vectors of them. These, which are the same instruction, do not: it takes
// each of its functions' names for a function of its own.
#if !defined(__clang__) && defined(__has_builtin)
#if __has_builtin(__builtin_sqrtf32) && __has_builtin(__builtin_sqrtf64)
#define PIANOLA_SQUARE_ROOT_WITHOUT_ERRNO 1
extern "C" {
decltype(__builtin_sqrtf32(1.0F)) __builtin_sqrtf32(decltype(__builtin_sqrtf32(1.0F))) noexcept
    __attribute__((const));
decltype(__builtin_sqrtf64(1.0)) __builtin_sqrtf64(decltype(__builtin_sqrtf64(1.0))) noexcept
    __attribute__((const));
}
#endif
#endif
#if !defined(PIANOLA_SQUARE_ROOT_WITHOUT_ERRNO)
#define PIANOLA_SQUARE_ROOT_WITHOUT_ERRNO 0
#endif

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail::scalar {

inline float fabs(float x) noexcept { return __builtin_fabsf(x); }
inline double fabs(double x) noexcept { return __builtin_fabs(x); }
inline float copysign(float x, float y) noexcept { return __builtin_copysignf(x, y); }
inline double copysign(double x, double y) noexcept { return __builtin_copysign(x, y); }
inline bool signbit(float x) noexcept { return __builtin_signbitf(x) != 0; }
inline bool signbit(double x) noexcept { return __builtin_signbit(x) != 0; }

/// Both are computed. g++ would move arithmetic of `yes` and `no` behind a branch, and then make no vectors of a
/// loop: what may not be needed might trap. It knows nothing of the kind of bits.
inline float choose(bool which, float yes, float no) noexcept {
#if defined(__clang__)
  return which ? yes : no;
#else
  const std::uint32_t mask = -static_cast<std::uint32_t>(which);
  return __builtin_bit_cast(float, (__builtin_bit_cast(std::uint32_t, yes) & mask) |
                                       (__builtin_bit_cast(std::uint32_t, no) & ~mask));
#endif
}
inline double choose(bool which, double yes, double no) noexcept {
#if defined(__clang__)
  return which ? yes : no;
#else
  const std::uint64_t mask = -static_cast<std::uint64_t>(which);
  return __builtin_bit_cast(double, (__builtin_bit_cast(std::uint64_t, yes) & mask) |
                                        (__builtin_bit_cast(std::uint64_t, no) & ~mask));
#endif
}

#if PIANOLA_SQUARE_ROOT_WITHOUT_ERRNO
inline float sqrt(float x) noexcept { return static_cast<float>(__builtin_sqrtf32(x)); }
inline double sqrt(double x) noexcept { return static_cast<double>(__builtin_sqrtf64(x)); }
#else
inline float sqrt(float x) noexcept { return __builtin_sqrtf(x); }
inline double sqrt(double x) noexcept { return __builtin_sqrt(x); }
#endif

#if PIANOLA_ROUNDS_BY_ADDING

/// From here on, numbers are whole; adding it to a smaller one rounds to the unit, half to even.
template <class T>
inline constexpr T first_whole = sizeof(T) == 4 ? static_cast<T>(0x1p23) : static_cast<T>(0x1p52);

/// Magnitude of rint(x).
template <class T>
inline T rounded_magnitude(T x) noexcept {
  const T a = fabs(x);
  const T rounded = (a + first_whole<T>)-first_whole<T>;
  return choose(a < first_whole<T>, rounded, a);
}
template <class T>
inline T rint(T x) noexcept {
  return copysign(rounded_magnitude(x), x);
}
template <class T>
inline T trunc(T x) noexcept {
  const T rounded = rounded_magnitude(x);
  return copysign(rounded - choose(rounded > fabs(x), T(1), T(0)), x);
}
template <class T>
inline T floor(T x) noexcept {
  const T rounded = scalar::rint(x);
  return copysign(rounded - choose(rounded > x, T(1), T(0)), x);
}
template <class T>
inline T ceil(T x) noexcept {
  const T rounded = scalar::rint(x);
  return copysign(rounded + choose(rounded < x, T(1), T(0)), x);
}

#else

inline float rint(float x) noexcept { return __builtin_rintf(x); }
inline double rint(double x) noexcept { return __builtin_rint(x); }
inline float trunc(float x) noexcept { return __builtin_truncf(x); }
inline double trunc(double x) noexcept { return __builtin_trunc(x); }
inline float floor(float x) noexcept { return __builtin_floorf(x); }
inline double floor(double x) noexcept { return __builtin_floor(x); }
inline float ceil(float x) noexcept { return __builtin_ceilf(x); }
inline double ceil(double x) noexcept { return __builtin_ceil(x); }

#endif

/// Half away from zero.
template <class T>
inline T round(T x) noexcept {
#if defined(__clang__)
  if constexpr (sizeof(T) == 4)
    return __builtin_roundf(x);
  else
    return __builtin_round(x);
#else
  const T whole = scalar::trunc(x);
  const T rest = fabs(x - whole);  // exact; NaN of an infinity
  return copysign(fabs(whole) + choose(rest >= T(0.5), T(1), T(0)), x);
#endif
}

}  // namespace detail::scalar
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

#undef PIANOLA_ROUNDS_BY_ADDING
#undef PIANOLA_SQUARE_ROOT_WITHOUT_ERRNO
