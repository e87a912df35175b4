// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/vec.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext {
namespace oneapi {

/// The inner product of four bytes each, plus c (sycl_ext_oneapi_dot_accumulate). In a number the first byte is the lowest.
/// Bytes are signed or not as the arguments are.
#define PIANOLA_DOT(word_a, byte_a, word_b, byte_b)                                 \
  inline std::int32_t dot_acc(word_a a, word_b b, std::int32_t c) {                 \
    for (int i = 0; i < 4; ++i)                                                     \
      c += std::int32_t{static_cast<byte_a>(a >> 8 * i)} *                          \
           std::int32_t{static_cast<byte_b>(b >> 8 * i)};                           \
    return c;                                                                       \
  }                                                                                 \
  inline std::int32_t dot_acc(vec<byte_a, 4> a, vec<byte_b, 4> b, std::int32_t c) { \
    for (int i = 0; i < 4; ++i) c += std::int32_t{a[i]} * std::int32_t{b[i]};       \
    return c;                                                                       \
  }
PIANOLA_DOT(std::int32_t, std::int8_t, std::int32_t, std::int8_t)
PIANOLA_DOT(std::uint32_t, std::uint8_t, std::uint32_t, std::uint8_t)
PIANOLA_DOT(std::int32_t, std::int8_t, std::uint32_t, std::uint8_t)
PIANOLA_DOT(std::uint32_t, std::uint8_t, std::int32_t, std::int8_t)
#undef PIANOLA_DOT

}  // namespace oneapi
}  // namespace ext
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
