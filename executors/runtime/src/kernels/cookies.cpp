// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstring>

#include <pianola/runtime/cookie.hpp>

namespace pianola::runtime {

// Blocks of numbers per thread: no contention.
void refill(cookie_numbers& numbers) noexcept {
  constexpr std::uint64_t block = 1 << 16;
  static std::atomic<std::uint64_t> next_block{0};
  numbers.next = next_block.fetch_add(block, std::memory_order_relaxed);
  numbers.end = numbers.next + block;
}

cookie_numbers& cookie_numbers_here() noexcept {
  thread_local cookie_numbers numbers;
  return numbers;
}

namespace {

std::uint64_t next_serial() noexcept {
  cookie_numbers& numbers = cookie_numbers_here();
  if (numbers.next == numbers.end) refill(numbers);
  return numbers.next++;
}

}  // namespace

std::uint64_t next_accessor_cookie() noexcept { return make_cookie(cookie_prefix, next_serial()); }

std::uint64_t next_placeholder_cookie() noexcept {
  return make_cookie(placeholder_cookie_prefix, next_serial());
}

std::uint64_t next_parameter_cookie() noexcept {
  return make_cookie(parameter_cookie_prefix, next_serial());
}

std::uint64_t next_dynamic_memory_cookie() noexcept {
  return make_cookie(dynamic_memory_cookie_prefix, next_serial());
}

bool holds_local_accessor(const void* object, std::size_t bytes) noexcept {
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes; at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, static_cast<const unsigned char*>(object) + at, sizeof(word));
    if (is_cookie(local_cookie_prefix, word)) return true;
  }
  return false;
}

}  // namespace pianola::runtime
