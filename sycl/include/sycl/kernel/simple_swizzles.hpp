// SPDX-License-Identifier: Apache-2.0
// PIANOLA_SIMPLE_SWIZZLES: members for every sequence of two to four of x, y, z, w and of r, g, b, a (SYCL 2020,
// 4.14.2.1). Only included if the program defines SYCL_SIMPLE_SWIZZLES.
#pragma once

// The largest of the positions must be there; r, g, b, a only if there are four elements (least: 4).
#define PIANOLA_SWIZZLE(name, least, ...)                                                       \
  template <int M = N,                                                                          \
            std::enable_if_t<(M >= (least) && M <= 4 && largest_of(__VA_ARGS__) < M), int> = 0> \
  constexpr auto name() {                                                                       \
    return static_cast<Self&>(*this).template swizzle<__VA_ARGS__>();                           \
  }                                                                                             \
  template <int M = N,                                                                          \
            std::enable_if_t<(M >= (least) && M <= 4 && largest_of(__VA_ARGS__) < M), int> = 0> \
  constexpr auto name() const {                                                                 \
    return static_cast<const Self&>(*this).template swizzle<__VA_ARGS__>();                     \
  }

#define PIANOLA_SWIZZLE_2(least, a, i, b, j) PIANOLA_SWIZZLE(a##b, least, i, j)

#define PIANOLA_SWIZZLE_3(least, a, i, b, j, c, k) PIANOLA_SWIZZLE(a##b##c, least, i, j, k)

#define PIANOLA_SWIZZLE_4(least, a, i, b, j, c, k, d, l) \
  PIANOLA_SWIZZLE(a##b##c##d, least, i, j, k, l)

// x, y, z, w here are the four names of a family.
#define PIANOLA_SWIZZLES_4(least, x, y, z, w, a, i, b, j, c, k) \
  PIANOLA_SWIZZLE_3(least, a, i, b, j, c, k)                    \
  PIANOLA_SWIZZLE_4(least, a, i, b, j, c, k, x, 0)              \
  PIANOLA_SWIZZLE_4(least, a, i, b, j, c, k, y, 1)              \
  PIANOLA_SWIZZLE_4(least, a, i, b, j, c, k, z, 2)              \
  PIANOLA_SWIZZLE_4(least, a, i, b, j, c, k, w, 3)

#define PIANOLA_SWIZZLES_3(least, x, y, z, w, a, i, b, j) \
  PIANOLA_SWIZZLE_2(least, a, i, b, j)                    \
  PIANOLA_SWIZZLES_4(least, x, y, z, w, a, i, b, j, x, 0) \
  PIANOLA_SWIZZLES_4(least, x, y, z, w, a, i, b, j, y, 1) \
  PIANOLA_SWIZZLES_4(least, x, y, z, w, a, i, b, j, z, 2) \
  PIANOLA_SWIZZLES_4(least, x, y, z, w, a, i, b, j, w, 3)

#define PIANOLA_SWIZZLES_2(least, x, y, z, w, a, i) \
  PIANOLA_SWIZZLES_3(least, x, y, z, w, a, i, x, 0) \
  PIANOLA_SWIZZLES_3(least, x, y, z, w, a, i, y, 1) \
  PIANOLA_SWIZZLES_3(least, x, y, z, w, a, i, z, 2) \
  PIANOLA_SWIZZLES_3(least, x, y, z, w, a, i, w, 3)

#define PIANOLA_SWIZZLES_1(least, x, y, z, w) \
  PIANOLA_SWIZZLES_2(least, x, y, z, w, x, 0) \
  PIANOLA_SWIZZLES_2(least, x, y, z, w, y, 1) \
  PIANOLA_SWIZZLES_2(least, x, y, z, w, z, 2) \
  PIANOLA_SWIZZLES_2(least, x, y, z, w, w, 3)

#undef PIANOLA_SIMPLE_SWIZZLES
#define PIANOLA_SIMPLE_SWIZZLES     \
  PIANOLA_SWIZZLES_1(1, x, y, z, w) \
  PIANOLA_SWIZZLES_1(4, r, g, b, a)
