// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <pianola/model/command.hpp>

namespace pianola::runtime {

// A copy between memories that no device reaches both of, in two: into memory of the host, where what is copied lies without
// gaps, and out of it. `between`: null if that is not known yet.
struct copy_halves {
  model::copy_command in, out;
  std::uint64_t bytes;

  static std::uint64_t bytes_between(const model::copy_command& whole) noexcept {
    return whole.width * whole.height * whole.depth;
  }
  copy_halves(const model::copy_command& whole, void* between)
      : in(whole), out(whole), bytes(bytes_between(whole)) {
    model::memory_operand stage;
    stage.pointer = between;
    stage.row_pitch = whole.width;
    stage.slice_pitch = whole.width * whole.height;
    in.destination = stage;
    out.source = stage;
  }
};

}  // namespace pianola::runtime
