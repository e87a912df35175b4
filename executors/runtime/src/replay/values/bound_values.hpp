// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <pianola/model/ids.hpp>
#include <pianola/runtime/ids.hpp>

namespace pianola::runtime {

// A buffer that launches may exchange.
struct bindable_buffer {
  model::buffer_id plan;
  buffer_key recorded;
  bool parameter = false;  // each launch has to name another buffer
};

// What a launch, or what a generation's native graphs, work on. Indices: buffers that it may
// exchange, and rebindable::memory.
struct bound_values {
  std::vector<buffer_key> buffers;
  std::vector<void*> memory;

  friend bool operator==(const bound_values& a, const bound_values& b) noexcept {
    return a.buffers == b.buffers && a.memory == b.memory;
  }
};

}  // namespace pianola::runtime
