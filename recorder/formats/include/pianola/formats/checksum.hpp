// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace pianola::formats {

// Of the bytes of a binary file. Tells accidents from files, not forgers: each bit counts, and four chains are in flight
// at a time.
[[nodiscard]] std::uint64_t checksum(const unsigned char* bytes, std::size_t size) noexcept;

}  // namespace pianola::formats
