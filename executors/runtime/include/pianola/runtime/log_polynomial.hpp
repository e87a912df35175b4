// SPDX-License-Identifier: Apache-2.0
// The logarithm of a float near 1, of one number and of vectors of them.
#pragma once

namespace pianola::runtime {

/// log(1 + f), for f between -1/4 and 1/2: f + f^2 P(f), within 5e-8 of itself before rounding. Of few operations and
/// constants: what bounds it in loops are the multiplications, and the constants' loads where it is called. `Number`: float,
/// or a vector of floats; by reference, as vectors wider than the instruction set of the file cannot be passed otherwise.
template <class Number>
inline __attribute__((always_inline)) void log_near_one(const Number& f, Number& result) noexcept {
  const Number p =
      (((((((0.0552299172F * f - 0.120348774F) * f + 0.148634478F) * f - 0.167909101F) * f +
          0.199869573F) *
             f -
         0.249965623F) *
            f +
        0.333333343F) *
           f -
       0.5F);
  result = f * f * p + f;
}

/// Its rounding loses a twentieth of a unit in the last place: no second part is needed.
inline constexpr float log_of_two = 0.693147182F;
/// Numbers are 2^e m, with m from 3/4, which has these bits, to 3/2.
inline constexpr unsigned bits_of_three_quarters = 0x3f400000;

}  // namespace pianola::runtime
