// SPDX-License-Identifier: Apache-2.0
// What a kernel may touch through one address in its function object; for kernels whose accesses are checked.
#pragma once
#include <cstdint>

#include "geometry.hpp"
#include "requirement.hpp"

namespace pianola::model {

struct accessible_box {
  std::uint32_t argument_offset = 0;  // where in the argument bytes the address lies
  std::uint32_t requirement = 0;      // index into the command's requirements
  std::uint64_t byte_offset = 0;      // of the address, from the start of the buffer
  std::uint64_t element_bytes = 1;
  access_mode mode = access_mode::read_write;
  extent3 range{{0, 0, 0}};  // of the buffer, in elements
  box elements;              // those that may be touched
};

}  // namespace pianola::model
