// SPDX-License-Identifier: Apache-2.0
// Positions as polynomials in what a kernel is given: ids, ranges and numbers of its function object.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <pianola/abi/image.h>

#include "pianola/compiler/function_object.hpp"

namespace llvm {
class Function;
class Value;
}  // namespace llvm

namespace pianola::compiler {

/// A number that is the same whenever a work-item looks at it; encoded as in pianola_index_term.
using atom = std::uint32_t;

constexpr atom make_atom(pianola_factor_kind kind, std::uint32_t where = 0) {
  return (static_cast<std::uint32_t>(kind) << PIANOLA_FACTOR_KIND_SHIFT) | where;
}
constexpr std::uint32_t kind_of(atom a) { return a >> PIANOLA_FACTOR_KIND_SHIFT; }

/// Products of atoms, sorted, with their coefficients; none of them 0. The empty product is the constant.
using polynomial = std::map<std::vector<atom>, std::int64_t>;

/// The value of an integer as a polynomial modulo 2^64.
struct index_value {
  polynomial value;
  /// The value was computed with 32 bits on the way: it is what `value` says only if each of these lies between
  /// -2^31 and 2^31, and, for the second kind, is not negative.
  std::vector<polynomial> narrowed;
  std::vector<polynomial> narrowed_unsigned;
};

/// Reads positions in the body of a kernel: a function of the function object and the pianola_launch.
class index_reader {
 public:
  /// `object`: of the same body.
  index_reader(const llvm::Function& body, const function_object& object)
      : body_(body), object_(object) {}

  /// An integer of 64 or 32 bits, the latter as the signed number it is. Nothing if it depends on anything else
  /// than atoms, or otherwise than by sums and products.
  [[nodiscard]] std::optional<index_value> read(const llvm::Value& value) const;

 private:
  [[nodiscard]] std::optional<index_value> read(const llvm::Value& value, unsigned bits,
                                                unsigned depth) const;
  [[nodiscard]] std::optional<index_value> read_wide(const llvm::Value& value,
                                                     unsigned depth) const;
  /// value (of 64 bits) cut to 32 and extended again.
  [[nodiscard]] std::optional<index_value> extend(std::optional<index_value> value,
                                                  bool is_signed) const;
  [[nodiscard]] std::optional<polynomial> read_leaf(const llvm::Value& value, bool is_signed) const;

  const llvm::Function& body_;
  const function_object& object_;
};

void add(polynomial& to, const polynomial& from, std::int64_t factor = 1);
[[nodiscard]] polynomial multiply(const polynomial& a, const polynomial& b);

}  // namespace pianola::compiler
