// SPDX-License-Identifier: Apache-2.0
// What an ahead-of-time compiler found out about a kernel's memory accesses and arithmetic. Exact or absent: whatever
// uses it may rely on it.
#pragma once
#include <cstdint>

#include "array_view.hpp"
#include "reduction_operation.hpp"

namespace pianola::model {

struct index_factor {
  enum class kind : std::uint8_t {
    one,         // of a term that has fewer factors
    unsigned64,  // read from the function object at byte `where`
    signed32,
    unsigned32,
    id,  // global id of the work-item in dimension `where` (of 0, 1, 2), without the launch's offset
    global,      // launch_geometry::global[where]
    offset,      // launch_geometry::offset[where]
    group,       // id of the work-group in dimension `where`, of launches with groups
    local_size,  // launch_geometry::local[where], of launches with groups
    groups       // number of groups in dimension `where`, of launches with groups
  };
  kind what = kind::one;
  std::uint32_t where = 0;
};

// coefficient times the product of the factors, modulo 2^64. At most one factor is an id or a group.
struct index_term {
  static constexpr int max_factors = 4;
  std::int64_t coefficient = 0;
  index_factor factors[max_factors];
};

using index_sum = array_view<const index_term>;

// Around an access, or around operations. With n = (max(count, least) + plus) / divisor, rounded down, there are n + extra rounds; where n is
// negative, nothing is known. Each round the access is `stride` bytes further on.
struct counted_loop {
  index_sum stride;  // no ids; empty around operations
  index_sum count;
  std::int64_t least = INT64_MIN;
  std::int64_t plus = 0;
  std::uint64_t divisor = 1;
  std::uint32_t extra = 0;
  bool is_unsigned = false;  // where the sum `count` is negative, nothing is known
};

// Of the work-items that make an access.
struct access_condition {
  enum class kind : std::uint8_t {
    at_least,   // a >= b, as signed numbers
    greater,    // a > b, as signed numbers
    below,      // a < b, as unsigned numbers of 64 bits
    not_below,  // a >= b, as unsigned numbers of 64 bits
    different   // a != b
  };
  kind what = kind::at_least;
  index_sum a;
  index_sum b;
};

// With p the pointer, s the sum `start` and k the rounds of the loops: [p + s + k * strides, plus length).
struct counted_access {
  bool read = false;
  bool written = false;
  // It happens for every work-item that meets the conditions, in every round. Else it may happen for them.
  bool certain = false;
  // That holds only where the absolute values of the terms of each sum, each with its largest factors, add up to less
  // than 2^31, those of start and loops together.
  bool narrow = false;
  std::uint32_t length = 0;
  index_sum start;
  array_view<const counted_loop> loops;  // affine_access::max_loops at most
  array_view<const access_condition> conditions;
  // Of an access that reads: what is read serves nothing but to be combined, by this, with what is written to the same
  // place. `length` is that of one number, then.
  reduction_operation reduction = reduction_operation::none;
};

// What the kernel does through the pointer that its function object holds at byte `offset`.
struct argument_use {
  std::uint32_t offset = 0;
  // The compiler lost sight of the pointer: everything may be read and written through it.
  bool unknown = false;
  bool read = false;
  bool written = false;
  // With p the pointer and s the sum of the terms, a work-item touches no bytes through p but
  // [p + s, p + s + element_bytes).
  bool element_wise = false;
  // That holds only where the terms' absolute values, each with its largest factors, add up to less than 2^31.
  bool narrow = false;
  std::uint32_t element_bytes = 0;
  array_view<const index_term> terms;
  // Whatever is touched through p is in one of `accesses`.
  bool listed = false;
  array_view<const counted_access> accesses;
};

// Arithmetic that every work-item does which meets the conditions, once for each round of the loops. What only tells where
// something is, how often a loop goes round or which way a branch takes is not counted.
struct counted_operations {
  std::uint32_t simple = 0;     // sums, products, shifts, bits, minima
  std::uint32_t divisions = 0;  // also remainders and square roots
  std::uint32_t functions = 0;  // calls of sin, exp and their like
  bool narrow = false;          // as counted_access has it, of each sum by itself
  array_view<const counted_loop> loops;
  array_view<const access_condition> conditions;
};

struct kernel_facts {
  // Every pointer of the function object that the kernel loads; ascending by offset.
  array_view<const argument_use> uses;
  // Besides what `uses` describe the kernel touches only constants and memory of the work-item or of its
  // work-group, and it orders no memory beyond the group.
  bool only_uses = false;
  // All the arithmetic of a work-item is in `operations`.
  bool operations_known = false;
  array_view<const counted_operations> operations;

  // Null: the kernel never loads what is stored there.
  [[nodiscard]] constexpr const argument_use* at(std::uint32_t offset) const noexcept {
    for (const argument_use& u : uses)
      if (u.offset == offset) return &u;
    return nullptr;
  }
};

}  // namespace pianola::model
