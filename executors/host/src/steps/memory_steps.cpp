// SPDX-License-Identifier: Apache-2.0
#include "pianola/host/memory_steps.hpp"

#include <cstring>

namespace pianola::host {

void copy_bytes(const executors::resolved_copy& c) noexcept {
  if (c.width == 0) return;  // pointers may be null then
  auto* to = static_cast<unsigned char*>(c.destination);
  const auto* from = static_cast<const unsigned char*>(c.source);
  for (std::uint64_t z = 0; z < c.depth; ++z)
    for (std::uint64_t y = 0; y < c.height; ++y)
      // memmove: SYCL leaves overlapping copies to the user, but a copy of a buffer onto itself
      // through two accessors is well-formed.
      std::memmove(to + z * c.destination_slice_pitch + y * c.destination_row_pitch,
                   from + z * c.source_slice_pitch + y * c.source_row_pitch, c.width);
}

void fill_bytes(const executors::resolved_fill& f) noexcept {
  const auto* pattern =
      f.large_pattern != nullptr ? static_cast<const unsigned char*>(f.large_pattern) : f.pattern;
  auto* to = static_cast<unsigned char*>(f.destination);
  for (std::uint64_t z = 0; z < f.depth; ++z)
    for (std::uint64_t y = 0; y < f.height; ++y) {
      unsigned char* row = to + z * f.slice_pitch + y * f.row_pitch;
      if (f.width == 0) continue;
      if (f.pattern_bytes == 1) {
        std::memset(row, pattern[0], f.width);
        continue;
      }
      // Doubles what is there already: few calls, whatever the pattern's size.
      std::uint64_t done = f.pattern_bytes < f.width ? f.pattern_bytes : f.width;
      std::memcpy(row, pattern, done);
      while (done < f.width) {
        const std::uint64_t n = done < f.width - done ? done : f.width - done;
        std::memcpy(row + done, row, n);
        done += n;
      }
    }
}

}  // namespace pianola::host
