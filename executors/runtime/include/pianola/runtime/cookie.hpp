// SPDX-License-Identifier: Apache-2.0
// What a device accessor holds until its command is instantiated: a pointer that no allocation can
// have and whose access always faults (a non-canonical address), unique to the accessor's
// construction. The runtime finds it in the bytes of the kernel's function object and puts the
// address there that the buffer has on the device.
#pragma once
#include <cstdint>

namespace pianola::runtime {

// 16 bits prefix, 36 bits serial number, 12 bits check: random data is not taken for a cookie.
inline constexpr std::uint64_t cookie_prefix = std::uint64_t{0x7ff5} << 48;
inline constexpr std::uint64_t local_cookie_prefix = std::uint64_t{0x7ff6} << 48;
inline constexpr std::uint64_t cookie_prefix_mask = std::uint64_t{0xffff} << 48;

constexpr std::uint64_t cookie_check(std::uint64_t serial) noexcept {
  std::uint64_t x = serial * 0x9e3779b97f4a7c15ULL;
  return (x >> 52) & 0xfffU;
}

constexpr std::uint64_t make_cookie(std::uint64_t prefix, std::uint64_t serial) noexcept {
  serial &= (std::uint64_t{1} << 36) - 1;
  return prefix | (serial << 12) | cookie_check(serial);
}

constexpr bool is_cookie(std::uint64_t prefix, std::uint64_t word) noexcept {
  if ((word & cookie_prefix_mask) != prefix) return false;
  const std::uint64_t serial = (word >> 12) & ((std::uint64_t{1} << 36) - 1);
  return (word & 0xfffU) == cookie_check(serial);
}

// Fresh serial numbers for accessors; thread-safe.
std::uint64_t next_accessor_cookie() noexcept;

// A local accessor: its offset in bytes into the work-group's arena (less than 2^36).
constexpr std::uint64_t make_local_cookie(std::uint64_t arena_offset) noexcept {
  return make_cookie(local_cookie_prefix, arena_offset);
}
constexpr std::uint64_t local_cookie_offset(std::uint64_t cookie) noexcept {
  return (cookie >> 12) & ((std::uint64_t{1} << 36) - 1);
}

}  // namespace pianola::runtime
