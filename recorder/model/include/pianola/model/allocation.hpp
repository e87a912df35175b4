// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ids.hpp"
#include "vocabulary.hpp"

namespace pianola::model {

// As sycl::usm::alloc numbers them.
#define PIANOLA_USM_KINDS(WORD) WORD(host) WORD(device) WORD(shared)

enum class usm_kind : std::uint8_t {
  PIANOLA_USM_KINDS(PIANOLA_ENUMERATOR) unknown  // none: there is no such allocation
};
PIANOLA_VOCABULARY(usm_kind, PIANOLA_USM_KINDS)

// Memory of the program that commands name by pointers (USM), as files tell of it: without its address.
struct usm_allocation {
  using kind = usm_kind;
  kind what = kind::device;
  memory_id memory = host_memory;
  std::uint64_t bytes = 0;
  // Of a run: so many commands had been submitted when it was made, and when it was freed. never: not known, or not at all.
  static constexpr std::uint64_t never = ~std::uint64_t{0};
  std::uint64_t allocated = never;
  std::uint64_t freed = never;

  // Behind its last byte, as accesses count.
  [[nodiscard]] constexpr std::int64_t end() const noexcept {
    return bytes < std::uint64_t{INT64_MAX} ? static_cast<std::int64_t>(bytes) : INT64_MAX;
  }
};

// What a command does to the bytes [begin, end) of an allocation, besides what its operands say. Exact: to every one of
// them, for certain; else it does nothing outside of them. Bytes below 0 and from end() on are in front of the allocation
// and behind it, where nothing should be done.
struct usm_access {
  command_id command;
  std::uint32_t allocation = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool read = false;
  bool written = false;
  bool exact = false;
};

// Bytes [begin, end) of a buffer that a command reads for certain, besides what its operands say.
struct buffer_read {
  command_id command;
  buffer_id buffer;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

inline constexpr std::uint32_t no_allocation = 0xffffffffU;

}  // namespace pianola::model
