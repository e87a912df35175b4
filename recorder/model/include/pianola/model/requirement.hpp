// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "geometry.hpp"
#include "ids.hpp"
#include "vocabulary.hpp"

namespace pianola::model {

#define PIANOLA_ACCESS_MODES(WORD) WORD(read) WORD(write) WORD(read_write)

enum class access_mode : std::uint8_t { PIANOLA_ACCESS_MODES(PIANOLA_ENUMERATOR) };
PIANOLA_VOCABULARY(access_mode, PIANOLA_ACCESS_MODES)

constexpr bool reads(access_mode m) noexcept { return m != access_mode::write; }
constexpr bool writes(access_mode m) noexcept { return m != access_mode::read; }

// What one command needs of one buffer. The page range is grid.pages_of(elements): conflicts are
// decided on it, validity on whole pages except for no_init writes, which touch `elements` only.
// `write` without no_init keeps what it does not overwrite, so it needs its pages like read_write.
struct requirement {
  buffer_id buffer;
  access_mode mode = access_mode::read_write;
  bool no_init = false;
  // Memory where the pages are needed; invalid means the memory of the device that the command is
  // placed on. Set for commands that need pages in several memories at once (a graph launch).
  memory_id memory;
  box elements;

  // Whether the old contents must be present.
  [[nodiscard]] constexpr bool needs_data() const noexcept { return !no_init; }
};

// Properties of a buffer that planning needs.
struct buffer_info {
  page_grid grid;
  std::uint32_t element_size = 1;  // bytes
  std::uint8_t dimensions = 1;     // as the user sees it: 1, 2 or 3
  // Of recorded graphs. Temporary: nothing is valid before the graph runs or after it, and the graph has storage of its
  // own for it. Evictable: may leave a device's memory for the host's, and come back, where room is short.
  bool temporary = false;
  bool evictable = false;

  [[nodiscard]] constexpr std::uint64_t bytes() const noexcept {
    return volume(grid.range()) * element_size;
  }
};

}  // namespace pianola::model
