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
class Loop;
class LoopInfo;
class PHINode;
class Value;
}  // namespace llvm

namespace pianola::compiler {

/// No kernel that somebody wrote has constants beyond it, so sums of some do not wrap.
inline constexpr std::int64_t far = std::int64_t{1} << 40;

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

/// Which operand of a choice is taken: of a select the second (true) or the third, of a minimum or maximum the first
/// (true) or the second, of a difference that is never negative that (true) or 0.
using decisions = std::map<const llvm::Value*, bool>;

/// What a reader met on its way that one polynomial does not describe.
struct choices {
  decisions taken;
  /// The first choice that is not among `taken`; null if there is none.
  const llvm::Value* open = nullptr;
};

/// Reads positions in the body of a kernel: a function of the function object and the pianola_launch.
class index_reader {
 public:
  /// `object`: of the same body.
  index_reader(const llvm::Function& body, const function_object& object)
      : body_(body), object_(object) {}
  /// Numbers that grow evenly with the rounds of a loop have atoms for these (kernel_atoms.hpp).
  index_reader(const llvm::Function& body, const function_object& object,
               const llvm::LoopInfo& loops);

  /// An integer of 64 or 32 bits, the latter as the signed number it is. Nothing if it depends on anything else
  /// than atoms, or otherwise than by sums and products.
  [[nodiscard]] std::optional<index_value> read(const llvm::Value& value) const;
  /// The same where it depends on choices: as far as these are taken.
  [[nodiscard]] std::optional<index_value> read(const llvm::Value& value, choices& which) const;

  /// A number of 32 bits of the function object, as the unsigned one it is.
  [[nodiscard]] std::optional<polynomial> read_unsigned(const llvm::Value& value) const;

  /// The loop that round_atom(number) is of.
  [[nodiscard]] const llvm::Loop& loop(std::uint32_t number) const { return *loops_[number]; }
  /// What a pointer or number that grows evenly is before the first round, and what is added in each: an operand of `next`,
  /// where that is what it is in the next round. Null if it does not.
  struct recurrence {
    const llvm::Value* start;
    const llvm::Value* next;
    std::uint32_t loop;
  };
  [[nodiscard]] std::optional<recurrence> recurrence_of(const llvm::PHINode& value) const;
  /// Whether the number is the same in every round of the loop.
  [[nodiscard]] bool is_fixed(const polynomial& value, std::uint32_t loop) const;

 private:
  [[nodiscard]] std::optional<index_value> read(const llvm::Value& value, unsigned bits,
                                                unsigned depth) const;
  [[nodiscard]] std::optional<index_value> read_wide(const llvm::Value& value,
                                                     unsigned depth) const;
  /// value (of 64 bits) cut to 32 and extended again.
  [[nodiscard]] std::optional<index_value> extend(std::optional<index_value> value,
                                                  bool is_signed) const;
  [[nodiscard]] std::optional<polynomial> read_leaf(const llvm::Value& value, bool is_signed) const;
  [[nodiscard]] std::optional<index_value> read_phi(const llvm::PHINode& value, unsigned bits,
                                                    unsigned depth) const;
  [[nodiscard]] std::optional<index_value> read_choice(const llvm::Value& value, unsigned bits,
                                                       unsigned depth) const;

  const llvm::Function& body_;
  const function_object& object_;
  std::vector<const llvm::Loop*> loops_;
  mutable choices* choices_ = nullptr;  // of the number that is being read
};

void add(polynomial& to, const polynomial& from, std::int64_t factor = 1);
[[nodiscard]] polynomial multiply(const polynomial& a, const polynomial& b);
/// Whether the sum of the absolute values of `whole`'s terms bounds that of `part`'s.
[[nodiscard]] bool bounds(const polynomial& whole, const polynomial& part);
/// Whether, where the absolute values of the terms of `whole` add up to less than 2^31, 32 bits were enough for it.
[[nodiscard]] bool bounds_narrowed(const polynomial& whole, const index_value& value);
/// As images have it. Nothing if a term has more factors than they may have, more than one id or group, or atoms of the
/// compiler's own.
[[nodiscard]] std::optional<std::vector<pianola_index_term>> encode(const polynomial& p);

}  // namespace pianola::compiler
