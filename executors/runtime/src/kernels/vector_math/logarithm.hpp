// SPDX-License-Identifier: Apache-2.0
// The logarithm for vectors of floats of an instruction set without instructions for exponents and fractions.
#pragma once

#include "pianola/runtime/log_polynomial.hpp"

extern "C" float pianola_log_f(float x) noexcept;

// Not shared between files: each is compiled for its instruction set.
namespace {

template <int Lanes>
struct vectors {
  using of_float __attribute__((vector_size(4 * Lanes))) = float;
  using of_int __attribute__((vector_size(4 * Lanes))) = int;
  using of_bits __attribute__((vector_size(4 * Lanes))) = unsigned;
};

constexpr unsigned exponent_bits = 0xff800000;  // and the sign

/// Right where `normal` has all bits: for positive normal numbers.
template <int Lanes, class Float = typename vectors<Lanes>::of_float,
          class Int = typename vectors<Lanes>::of_int>
inline __attribute__((always_inline)) void log_of_normal(const Float& x, Float& result,
                                                         Int& normal) noexcept {
  constexpr float smallest_normal = 0x1p-126F, largest = 0x1.fffffep127F;
  normal = (x >= smallest_normal) & (x <= largest);
  using bits_of = typename vectors<Lanes>::of_bits;
  const bits_of bits = bits_of(x);
  const bits_of from_three_quarters = bits - pianola::runtime::bits_of_three_quarters;
  const Float f = Float(bits - (from_three_quarters & exponent_bits)) - 1.0F;
  Float near_one;
  pianola::runtime::log_near_one(f, near_one);
  result = __builtin_convertvector(Int(from_three_quarters) >> 23, Float) *
               pianola::runtime::log_of_two +
           near_one;
}

/// Rare, and out of the way: what must be saved around calls would be saved always.
template <int Lanes, class Float>
__attribute__((noinline, cold)) Float with_others(Float in, Float result) noexcept {
  typename vectors<Lanes>::of_float x = in, r = result, normal_only;
  typename vectors<Lanes>::of_int normal;
  log_of_normal<Lanes>(x, normal_only, normal);
  for (int i = 0; i < Lanes; ++i)
    if (normal[i] == 0) r[i] = pianola_log_f(x[i]);
  return r;
}

}  // namespace
