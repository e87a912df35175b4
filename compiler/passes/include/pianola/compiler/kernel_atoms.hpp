// SPDX-License-Identifier: Apache-2.0
// Atoms that no image ever shows: they cancel out, or there is no description.
#pragma once

#include "pianola/compiler/index_polynomial.hpp"

namespace pianola::compiler {

constexpr std::uint32_t inner_kind = 12;
constexpr atom group_atom(unsigned dimension) {
  return (inner_kind << PIANOLA_FACTOR_KIND_SHIFT) | dimension;
}
constexpr atom local_size_atom(unsigned dimension) {
  return (inner_kind << PIANOLA_FACTOR_KIND_SHIFT) | (8 + dimension);
}

}  // namespace pianola::compiler
