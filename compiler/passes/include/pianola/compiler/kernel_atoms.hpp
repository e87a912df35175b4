// SPDX-License-Identifier: Apache-2.0
// Atoms that no image ever shows: they cancel out, or there is no description.
#pragma once

#include "pianola/compiler/index_polynomial.hpp"

namespace pianola::compiler {

constexpr std::uint32_t inner_kind = 12;
/// Which round of a loop it is; loops are numbered by whoever reads positions.
constexpr atom round_atom(std::uint32_t loop) {
  return (inner_kind << PIANOLA_FACTOR_KIND_SHIFT) | loop;
}
constexpr bool is_round(atom a) { return kind_of(a) == inner_kind; }
constexpr std::uint32_t loop_of(atom a) { return a & PIANOLA_FACTOR_WHERE_MASK; }

}  // namespace pianola::compiler
