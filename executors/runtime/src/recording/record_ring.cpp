// SPDX-License-Identifier: Apache-2.0
#include "recording/record_ring.hpp"

#include <chrono>
#include <utility>

namespace pianola::runtime {

using journal::head_of;
using journal::record_kind;

namespace {

// What was written is on the disk after twice as long, also if nothing more comes.
constexpr std::chrono::milliseconds nap(100);

}  // namespace

std::uint64_t* record_ring::reserve_slowly(std::size_t words) {
  if (words > most_words) {
    elsewhere_ = new std::vector<std::uint64_t>(words);
    return elsewhere_->data();
  }
  std::uint64_t end = end_.load(std::memory_order_relaxed);
  const auto wait_for_room = [&](std::size_t n) {
    while (end + n > begin_.load(std::memory_order_acquire) + capacity) {
      std::unique_lock lock(mutex_);
      woken_ = true;
      changed_.notify_all();
      changed_.wait_for(lock, std::chrono::microseconds(100));
    }
    free_below_ = begin_.load(std::memory_order_acquire) + capacity;
  };
  const std::size_t at = end % capacity;
  if (at + words > capacity) {
    const std::size_t rest = capacity - at;
    wait_for_room(rest);
    words_[at] = head_of(record_kind::skip, rest);
    end += rest;
    end_.store(end, std::memory_order_release);
  }
  wait_for_room(words);
  return words_.get() + end % capacity;
}

void record_ring::commit_elsewhere() noexcept {
  std::vector<std::uint64_t>* const all = std::exchange(elsewhere_, nullptr);
  all->resize(journal::words_of(all->front()));
  std::uint64_t* const record = reserve(2);
  record[0] = head_of(record_kind::elsewhere, 2);
  record[1] = reinterpret_cast<std::uintptr_t>(all);
  commit(record);
}

void record_ring::put_beside(std::vector<std::uint64_t> record) {
  const std::lock_guard lock(mutex_);
  beside_.push_back({end_.load(std::memory_order_acquire), std::move(record)});
}

void record_ring::wake(std::uint64_t end) noexcept {
  wake_at_ = end + capacity / 4;
  const std::lock_guard lock(mutex_);
  woken_ = true;
  changed_.notify_all();
}

bool record_ring::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, nap, [this] { return woken_ || closed_; });
  woken_ = false;
  return !closed_;
}

void record_ring::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

}  // namespace pianola::runtime
