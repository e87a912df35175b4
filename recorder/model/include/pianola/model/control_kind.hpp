// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "vocabulary.hpp"

namespace pianola::model {

// How a command runs the graphs that it consists of: once; so many times; for as long as its condition is not zero; the
// first one, or else the second, by its condition; the one that its condition numbers. Files name these words.
// clang-format off
#define PIANOLA_CONTROL_KINDS(WORD) \
  WORD(once) \
  WORD(repeat) \
  WORD(loop) \
  WORD(branch) \
  WORD(choice)
// clang-format on

enum class control_kind : std::uint8_t { PIANOLA_CONTROL_KINDS(PIANOLA_ENUMERATOR) };
PIANOLA_VOCABULARY(control_kind, PIANOLA_CONTROL_KINDS)

// Whether a value decides what runs.
constexpr bool has_condition(control_kind c) noexcept {
  return c != control_kind::once && c != control_kind::repeat;
}

}  // namespace pianola::model
