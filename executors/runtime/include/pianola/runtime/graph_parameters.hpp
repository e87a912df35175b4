// SPDX-License-Identifier: Apache-2.0
// Parameters of graphs: what stands for a buffer, or for memory of the program (USM), when a graph is recorded, and for
// which each launch names what it works on.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <pianola/model/ids.hpp>

#include "ids.hpp"
#include "usm.hpp"

namespace pianola::runtime {

// What one launch puts in the place of a parameter. Either both buffers are set, or both pointers.
struct parameter_value {
  buffer_key parameter;  // the buffer that was recorded
  buffer_key buffer;
  const void* memory_parameter = nullptr;  // as create_memory_parameter gave it
  void* pointer = nullptr;
};
using parameter_values = std::vector<parameter_value>;

// The buffer is a parameter from now on: it has no storage, graphs record it, each launch of theirs has to name a living
// buffer of the same shape, element size and page size in its place, and whatever else uses it throws user_error (invalid).
// Throws user_error (invalid) for a buffer that holds data or is temporary or evictable.
void make_parameter(buffer_key);

// An address that no memory has, and room for `bytes` behind it. Pointers into it are recorded by graphs; each launch names
// an allocation of the same kind, reached through the same memory, of at least as many bytes. Addresses are never used again.
[[nodiscard]] void* create_memory_parameter(std::size_t bytes, usm_kind, model::device_id);

}  // namespace pianola::runtime
