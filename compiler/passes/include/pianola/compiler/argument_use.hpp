// SPDX-License-Identifier: Apache-2.0
// What the compiler knows of a kernel's pointers; the C structs of abi/image.h with owners.
#pragma once

#include <cstdint>
#include <vector>

#include <pianola/abi/image.h>

namespace pianola::compiler {

/// What the kernel does through the pointer at `offset` of its function object.
struct argument_use {
  std::uint32_t offset = 0;
  /// Of pianola_use_flags.
  std::uint32_t flags = 0;
  std::uint32_t element_bytes = 0;
  std::vector<pianola_index_term> terms;
};

struct kernel_uses {
  /// Of pianola_kernel_flags; 0 where nothing is known.
  std::uint32_t flags = 0;
  /// Ascending by offset.
  std::vector<argument_use> uses;
};

}  // namespace pianola::compiler
