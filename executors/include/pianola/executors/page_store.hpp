// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "status.hpp"

namespace pianola::executors {

// Memory of a device in pages that are put behind addresses after these were given out, the same ones behind several if
// need be. All sizes and offsets are whole pages. Nothing uses any of it when it ends. Calls are made by one thread at a time.
class page_store {
 public:
  virtual ~page_store() = default;

  [[nodiscard]] virtual std::uint64_t page_bytes() const noexcept = 0;  // a power of two
  [[nodiscard]] virtual std::uint64_t most_bytes()
      const noexcept = 0;  // more is never there at once
  // Addresses with nothing behind them.
  virtual status reserve(std::uint64_t bytes, void*& address) noexcept = 0;
  // There are pages for [0, bytes) from now on.
  virtual status grow(std::uint64_t bytes) noexcept = 0;
  // Puts the pages [offset, offset + bytes), which are there, behind addresses of one reservation that have none.
  virtual status map(void* address, std::uint64_t bytes, std::uint64_t offset) noexcept = 0;
};

}  // namespace pianola::executors
