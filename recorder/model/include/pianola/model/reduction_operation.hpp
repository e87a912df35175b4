// SPDX-License-Identifier: Apache-2.0
// By what numbers in memory are combined with new ones. All are associative and commutative; those of floating point but
// for rounding.
#pragma once
#include <cstdint>

#include "vocabulary.hpp"

namespace pianola::model {

// Integers wrap around. Where nothing else is said, minima and maxima are those of signed integers.
// clang-format off
#define PIANOLA_REDUCTION_OPERATIONS(WORD) \
  WORD(none) \
  WORD(add) \
  WORD(multiply) \
  WORD(bit_and) \
  WORD(bit_or) \
  WORD(bit_xor) \
  WORD(minimum) \
  WORD(maximum) \
  WORD(unsigned_minimum) \
  WORD(unsigned_maximum) \
  WORD(float_add) \
  WORD(float_multiply) \
  WORD(float_minimum) \
  WORD(float_maximum)
// clang-format on

enum class reduction_operation : std::uint8_t { PIANOLA_REDUCTION_OPERATIONS(PIANOLA_ENUMERATOR) };
PIANOLA_VOCABULARY(reduction_operation, PIANOLA_REDUCTION_OPERATIONS)

}  // namespace pianola::model
