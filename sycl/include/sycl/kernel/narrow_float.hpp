// SPDX-License-Identifier: Apache-2.0
// Conversion of binary32 and binary64 to narrower formats by integer arithmetic, for compilers and formats
// without an instruction. Rounds once, to nearest, ties to even; also in constant expressions.
#pragma once

#include <cstdint>

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// From a format with Mantissa stored bits and this exponent Bias to one of 16 bits.
template <int Mantissa, int Bias, int ToMantissa, int ToBias, class Bits>
constexpr std::uint16_t narrow_bits(Bits from) noexcept {
  constexpr int width = static_cast<int>(sizeof(Bits)) * 8;
  constexpr int drop = Mantissa - ToMantissa;
  constexpr Bits one = 1;
  constexpr Bits infinity = static_cast<Bits>(2 * Bias + 1) << Mantissa;
  constexpr std::uint16_t to_infinity = static_cast<std::uint16_t>((2 * ToBias + 1) << ToMantissa);
  const std::uint16_t sign = static_cast<std::uint16_t>((from >> (width - 16)) & 0x8000u);
  const Bits magnitude = from & ~(one << (width - 1));
  Bits result = to_infinity;
  if (magnitude > infinity) {  // a NaN becomes quiet and keeps its leading bits
    result =
        to_infinity | (one << (ToMantissa - 1)) | ((magnitude >> drop) & ((one << ToMantissa) - 1));
  } else if (magnitude >= (static_cast<Bits>(Bias - ToBias + 1) << Mantissa)) {
    if (magnitude < (static_cast<Bits>(Bias + ToBias + 1) << Mantissa)) {
      const Bits exact = magnitude - (static_cast<Bits>(Bias - ToBias) << Mantissa);
      // A carry out of the mantissa increments the exponent, which is right up to infinity.
      result = (exact + (one << (drop - 1)) - 1 + ((exact >> drop) & 1)) >> drop;
    }
  } else {  // subnormal in the narrow format
    int exponent = static_cast<int>(magnitude >> Mantissa);
    Bits mantissa = magnitude & ((one << Mantissa) - 1);
    if (exponent != 0)
      mantissa |= one << Mantissa;
    else
      exponent = 1;
    const int shift = Mantissa + Bias - (ToMantissa + ToBias - 1) - exponent;
    result = 0;
    if (shift <= Mantissa + 1) {
      const Bits rest = mantissa & ((one << shift) - 1);
      const Bits tie = one << (shift - 1);
      result = mantissa >> shift;
      if (rest > tie || (rest == tie && (result & 1) != 0)) ++result;
    }
  }
  return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(result));
}

template <int ToMantissa, int ToBias>
constexpr std::uint16_t narrow_float(float value) noexcept {
  return narrow_bits<23, 127, ToMantissa, ToBias>(__builtin_bit_cast(std::uint32_t, value));
}
template <int ToMantissa, int ToBias>
constexpr std::uint16_t narrow_float(double value) noexcept {
  return narrow_bits<52, 1023, ToMantissa, ToBias>(__builtin_bit_cast(std::uint64_t, value));
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
