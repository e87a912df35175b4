// SPDX-License-Identifier: Apache-2.0
#include "completion/range_words.hpp"

#include <algorithm>

namespace pianola::gpu {

namespace {

constexpr std::size_t words_of_a_block = 512;

}  // namespace

code range_words::take(std::uint64_t*& out) {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    blocks_.reserve(blocks_.size() + 1);
    // Room for all of them at any time: giving back never allocates.
    free_.reserve((blocks_.size() + 1) * words_of_a_block);
    void* made = nullptr;
    const code c = driver_.allocate_host(device_, words_of_a_block * sizeof(std::uint64_t), made);
    if (c != success) return c;
    auto* const words = static_cast<std::uint64_t*>(made);
    std::fill(words, words + words_of_a_block, 0);
    blocks_.push_back(words);
    for (std::size_t i = 0; i < words_of_a_block; ++i) free_.push_back(words + i);
  }
  out = free_.back();
  free_.pop_back();
  return success;
}

void range_words::give(std::uint64_t* word) noexcept {
  const std::lock_guard lock(mutex_);
  *word = 0;
  free_.push_back(word);
}

void range_words::free_all() noexcept {
  const std::lock_guard lock(mutex_);
  for (std::uint64_t* const b : blocks_) driver_.free_host(device_, b);
  blocks_.clear();
  free_.clear();
}

}  // namespace pianola::gpu
