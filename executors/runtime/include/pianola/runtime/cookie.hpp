// SPDX-License-Identifier: Apache-2.0
// What a device accessor holds until its command is instantiated: a pointer that no allocation can
// have and whose access always faults (a non-canonical address), unique to the accessor's
// construction. The runtime finds it in the bytes of the kernel's function object and puts the
// address there that the buffer has on the device.
#pragma once
#include <cstddef>
#include <cstdint>

namespace pianola::runtime {

// 16 bits prefix, 8 bits check, 32 bits number, 8 bits that are always the same. Padding in a function object may hold an
// old cookie, whole or in part: a captured bool or short integer in front of the padding has taken the place of its first bytes.
// So that no such value makes the rest a cookie again, these bytes are none that programs are likely to have there, and
// numbers are scrambled: no small integer is one. The check ties halves of different cookies together.
inline constexpr std::uint64_t cookie_prefix = std::uint64_t{0x7ff5} << 48;
inline constexpr std::uint64_t local_cookie_prefix = std::uint64_t{0x7ff6} << 48;
// Accessors made without a handler. Padding may also hold a whole old cookie; one of this kind that its command group does
// not require is reported if none ever required it or a whole accessor is there, any other is taken for such bytes.
inline constexpr std::uint64_t placeholder_cookie_prefix = std::uint64_t{0x7ff7} << 48;

// The end of an accessor that knows its buffer: behind the cookie and a shape of up to most_shape_bytes come the buffer's
// key, and a word with this above a byte that tells a placeholder (1) from other accessors (0).
inline constexpr std::uint16_t accessor_mark = 0xacce;
inline constexpr unsigned most_shape_bytes = 64;

// In front of what an accessor asks of texture units (model::texture_argument). Always the same: bytes behind an old one
// that hold no accessor's cookie are not taken for such.
inline constexpr std::uint64_t texture_cookie_prefix = std::uint64_t{0x7ff3} << 48;

// In front of a value in a function object that recorded graphs can change (dynamic parameters).
inline constexpr std::uint64_t parameter_cookie_prefix = std::uint64_t{0x7ff4} << 48;

// In front of local memory whose size recorded graphs can change (dynamic_memory).
inline constexpr std::uint64_t dynamic_memory_cookie_prefix = std::uint64_t{0x7ff2} << 48;

// Not a cookie: the first of the addresses that stand for memory of the program in recorded graphs (memory_parameters).
inline constexpr std::uint64_t memory_parameter_prefix = std::uint64_t{0x7ff1} << 48;

inline constexpr std::uint64_t cookie_end = 0xb5;

// One to one.
constexpr std::uint32_t scrambled(std::uint32_t number) noexcept {
  return number * 0x9e3779b1U ^ 0x5bd1e995U;
}
constexpr std::uint32_t unscrambled(std::uint32_t number) noexcept {
  return (number ^ 0x5bd1e995U) * 0x0e8b2f51U;
}

constexpr std::uint64_t make_cookie(std::uint64_t prefix, std::uint64_t serial) noexcept {
  const std::uint64_t number = scrambled(static_cast<std::uint32_t>(serial));
  const std::uint64_t check = (number * 0x9e3779b97f4a7c15ULL) >> 56;
  return prefix | check << 40 | number << 8 | cookie_end;
}
constexpr std::uint64_t serial_of_cookie(std::uint64_t cookie) noexcept {
  return unscrambled(static_cast<std::uint32_t>(cookie >> 8));
}

constexpr bool is_cookie(std::uint64_t prefix, std::uint64_t word) noexcept {
  return word >> 48 == prefix >> 48 && word == make_cookie(prefix, serial_of_cookie(word));
}

inline constexpr std::uint64_t texture_cookie = make_cookie(texture_cookie_prefix, 0);

// Numbers for cookies that only one thread takes.
struct cookie_numbers {
  std::uint64_t next = 0, end = 0;
};
// Those of the calling thread: it lives as long as they do.
cookie_numbers& cookie_numbers_here() noexcept;
void refill(cookie_numbers& numbers) noexcept;

inline std::uint64_t next_accessor_cookie(cookie_numbers& numbers) noexcept {
  if (numbers.next == numbers.end) refill(numbers);
  return make_cookie(cookie_prefix, numbers.next++);
}

// Fresh cookies; thread-safe.
std::uint64_t next_accessor_cookie() noexcept;
std::uint64_t next_placeholder_cookie() noexcept;
std::uint64_t next_parameter_cookie() noexcept;
std::uint64_t next_dynamic_memory_cookie() noexcept;

// In the function object of a kernel: local memory of the work-groups, of a size that recorded graphs can change.
struct dynamic_memory {
  std::uint64_t cookie = 0;
  std::uint64_t bytes = 0;
  std::uint64_t alignment = 1;
  std::uint64_t behind = 0;   // the runtime's: bytes of local memory in front of all such
  std::uint64_t pointer = 0;  // the runtime's: what a local accessor has there
};

// A local accessor: its offset in bytes into the work-group's arena (less than 2^32).
constexpr std::uint64_t make_local_cookie(std::uint64_t arena_offset) noexcept {
  return make_cookie(local_cookie_prefix, arena_offset);
}
constexpr std::uint64_t local_cookie_offset(std::uint64_t cookie) noexcept {
  return serial_of_cookie(cookie);
}

/// Whether a function object of `bytes` bytes has captured a local accessor. Compiled once: inlined into programs, reading
/// the bytes between the captures makes compilers warn of them.
bool holds_local_accessor(const void* object, std::size_t bytes) noexcept;

}  // namespace pianola::runtime
