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

void add_block(std::uint64_t (&chains)[4], const std::uint64_t (&words)[4]) noexcept {
  for (int i = 0; i < 4; ++i) chains[i] = step(chains[i], words[i]);
}

}  // namespace

void running_checksum::add(const unsigned char* bytes, std::size_t size) noexcept {
  // What the compiler keeps in registers.
  std::uint64_t chains[4] = {chains_[0], chains_[1], chains_[2], chains_[3]};
  std::uint64_t words[4];
  static_assert(sizeof words == block_bytes);
  std::size_t at = 0;
  for (; at + sizeof words <= size; at += sizeof words) {
    std::memcpy(words, bytes + at, sizeof words);
    add_block(chains, words);
  }
  size_ += size;
  if (at != size) {
    std::memset(words, 0, sizeof words);
    std::memcpy(words, bytes + at, size - at);
    add_block(chains, words);
    ended_ = true;
  }
  std::memcpy(chains_, chains, sizeof chains);
}

std::uint64_t running_checksum::end() noexcept {
  if (!ended_) add_block(chains_, {0, 0, 0, 0});
  std::uint64_t sum = size_;
  for (const std::uint64_t chain : chains_) sum = step(sum, chain);
  return sum ^ sum >> 32;
}

std::uint64_t checksum(const unsigned char* bytes, std::size_t size) noexcept {
  running_checksum sum;
  sum.add(bytes, size);
  return sum.end();
}

}  // namespace pianola::formats
