// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace pianola::formats {

// Of the bytes of a binary file. Tells accidents from files, not forgers: each bit counts, and four chains are in flight
// at a time.
class running_checksum {
 public:
  static constexpr std::size_t block_bytes = 32;

  // Bytes that follow those before; all but the last call give multiples of block_bytes.
  void add(const unsigned char* bytes, std::size_t size) noexcept;
  [[nodiscard]] std::uint64_t end() noexcept;

 private:
  std::uint64_t chains_[4] = {1, 2, 3, 4};
  std::uint64_t size_ = 0;
  bool ended_ = false;  // with what is no whole block, if only nothing
};

// Of bytes that are all there.
[[nodiscard]] std::uint64_t checksum(const unsigned char* bytes, std::size_t size) noexcept;

}  // namespace pianola::formats
