// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <pianola/runtime/ids.hpp>

namespace pianola::runtime {

// What a launch, or what a generation's native graphs, work on. Indices are those of generations::buffers, and of
// rebindable::memory.
struct bound_values {
  std::vector<buffer_key> buffers;
  std::vector<void*> memory;

  friend bool operator==(const bound_values& a, const bound_values& b) noexcept {
    return a.buffers == b.buffers && a.memory == b.memory;
  }
};

}  // namespace pianola::runtime
