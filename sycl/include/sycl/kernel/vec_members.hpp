// SPDX-License-Identifier: Apache-2.0
// Named elements and swizzles of vec and of swizzles of it.
#pragma once

#include <type_traits>

#include <sycl/detail/mode.hpp>

#if defined(SYCL_SIMPLE_SWIZZLES)
#include <sycl/kernel/simple_swizzles.hpp>
#else
#define PIANOLA_SIMPLE_SWIZZLES
#endif

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

constexpr int largest_of(int i, int j, int k = 0, int l = 0) {
  const int first = i > j ? i : j;
  const int second = k > l ? k : l;
  return first > second ? first : second;
}

/// Self has operator[] and swizzle<>(). Elements are references, all else are swizzles. lo, hi, odd and even of
/// three elements are those of four, of which the last must not be used.
template <class Self, int N>
class vec_members {
 public:
#define PIANOLA_ELEMENT(name, position, condition)             \
  template <int M = N, std::enable_if_t<(condition), int> = 0> \
  constexpr decltype(auto) name() {                            \
    return static_cast<Self&>(*this)[position];                \
  }                                                            \
  template <int M = N, std::enable_if_t<(condition), int> = 0> \
  constexpr decltype(auto) name() const {                      \
    return static_cast<const Self&>(*this)[position];          \
  }

  PIANOLA_ELEMENT(x, 0, M > 0 && M <= 4)
  PIANOLA_ELEMENT(y, 1, M > 1 && M <= 4)
  PIANOLA_ELEMENT(z, 2, M > 2 && M <= 4)
  PIANOLA_ELEMENT(w, 3, M > 3 && M <= 4)
  PIANOLA_ELEMENT(r, 0, M == 4)
  PIANOLA_ELEMENT(g, 1, M == 4)
  PIANOLA_ELEMENT(b, 2, M == 4)
  PIANOLA_ELEMENT(a, 3, M == 4)
  PIANOLA_ELEMENT(s0, 0, M > 0)
  PIANOLA_ELEMENT(s1, 1, M > 1)
  PIANOLA_ELEMENT(s2, 2, M > 2)
  PIANOLA_ELEMENT(s3, 3, M > 3)
  PIANOLA_ELEMENT(s4, 4, M > 4)
  PIANOLA_ELEMENT(s5, 5, M > 5)
  PIANOLA_ELEMENT(s6, 6, M > 6)
  PIANOLA_ELEMENT(s7, 7, M > 7)
  PIANOLA_ELEMENT(s8, 8, M > 8)
  PIANOLA_ELEMENT(s9, 9, M > 9)
  PIANOLA_ELEMENT(sA, 10, M > 10)
  PIANOLA_ELEMENT(sB, 11, M > 11)
  PIANOLA_ELEMENT(sC, 12, M > 12)
  PIANOLA_ELEMENT(sD, 13, M > 13)
  PIANOLA_ELEMENT(sE, 14, M > 14)
  PIANOLA_ELEMENT(sF, 15, M > 15)
#undef PIANOLA_ELEMENT

#define PIANOLA_PART(name, first, step)                                          \
  template <int M = N, std::enable_if_t<(M > 1), int> = 0>                       \
  constexpr auto name() {                                                        \
    return pick<(first), (step)>(static_cast<Self&>(*this), half_of<M>());       \
  }                                                                              \
  template <int M = N, std::enable_if_t<(M > 1), int> = 0>                       \
  constexpr auto name() const {                                                  \
    return pick<(first), (step)>(static_cast<const Self&>(*this), half_of<M>()); \
  }

  PIANOLA_PART(lo, 0, 1)
  PIANOLA_PART(hi, (M + 1) / 2, 1)
  PIANOLA_PART(odd, 1, 2)
  PIANOLA_PART(even, 0, 2)
#undef PIANOLA_PART

  PIANOLA_SIMPLE_SWIZZLES

 private:
  template <int... At>
  struct positions {};
  template <int M>
  static constexpr auto half_of() {
    if constexpr (M == 2)
      return positions<0>();
    else if constexpr (M <= 4)
      return positions<0, 1>();
    else if constexpr (M == 8)
      return positions<0, 1, 2, 3>();
    else
      return positions<0, 1, 2, 3, 4, 5, 6, 7>();
  }
  template <int First, int Step, class From, int... At>
  static constexpr auto pick(From& from, positions<At...>) {
    return from.template swizzle<(First + Step * At)...>();
  }
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
