// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "pianola/formats/checksum.hpp"

namespace pianola::formats {

namespace {

// A bijection of the state for each word, and of the word for each state: no change of a single word goes unseen.
constexpr std::uint64_t step(std::uint64_t state, std::uint64_t word) noexcept {
  const std::uint64_t x = state ^ word;
  return (x << 29 | x >> 35) * 0x9e6c63d0876a9a47ULL;
}

}  // namespace

std::uint64_t checksum(const unsigned char* bytes, std::size_t size) noexcept {
  std::uint64_t chains[4] = {1, 2, 3, 4};
  std::uint64_t words[4];
  std::size_t at = 0;
  for (; at + sizeof words <= size; at += sizeof words) {
    std::memcpy(words, bytes + at, sizeof words);
    for (int i = 0; i < 4; ++i) chains[i] = step(chains[i], words[i]);
  }
  std::memset(words, 0, sizeof words);
  std::memcpy(words, bytes + at, size - at);
  for (int i = 0; i < 4; ++i) chains[i] = step(chains[i], words[i]);
  std::uint64_t sum = size;
  for (const std::uint64_t chain : chains) sum = step(sum, chain);
  return sum ^ sum >> 32;
}

}  // namespace pianola::formats
