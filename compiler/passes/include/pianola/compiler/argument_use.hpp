// SPDX-License-Identifier: Apache-2.0
// What the compiler knows of a kernel's pointers and of its arithmetic; the C structs of abi/image.h with owners.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <pianola/abi/image.h>

namespace pianola::compiler {

using index_sum = std::vector<pianola_index_term>;

struct access_loop {
  index_sum stride, count;
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t plus = 0;
  std::uint64_t divisor = 1;
  std::uint32_t extra = 0;
  /// Of pianola_loop_flags.
  std::uint32_t flags = 0;
};

struct access_condition {
  pianola_condition_kind kind = PIANOLA_CONDITION_AT_LEAST;
  index_sum a, b;
};

struct argument_access {
  /// Of pianola_access_flags, and a reduction.
  std::uint32_t flags = 0;
  std::uint32_t bytes = 0;
  index_sum start;
  std::vector<access_loop> loops;
  std::vector<access_condition> conditions;
};

/// What the kernel does through the pointer at `offset` of its function object.
struct argument_use {
  std::uint32_t offset = 0;
  /// Of pianola_use_flags.
  std::uint32_t flags = 0;
  std::uint32_t element_bytes = 0;
  std::vector<pianola_index_term> terms;
  /// Of PIANOLA_USE_LISTED.
  std::vector<argument_access> accesses;
  /// Why there is no list, for people.
  std::string unlisted_for;
};

/// How often something is done each time that a place of the kernel is reached.
struct operation_tally {
  std::uint32_t simple = 0, divisions = 0, functions = 0;
};

struct counted_operations {
  /// Of pianola_operations_flags.
  std::uint32_t flags = 0;
  operation_tally each;
  std::vector<access_loop> loops;  // with empty strides
  std::vector<access_condition> conditions;
};

struct kernel_uses {
  /// Of pianola_kernel_flags; 0 where nothing is known.
  std::uint32_t flags = 0;
  /// Ascending by offset.
  std::vector<argument_use> uses;
  /// Of PIANOLA_KERNEL_OPERATIONS_KNOWN.
  std::vector<counted_operations> operations;
};

}  // namespace pianola::compiler
