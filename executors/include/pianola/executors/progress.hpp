// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>

namespace pianola::executors {

// How far a lane has come: the number of its steps that have finished, in order. Lives as long as
// the process, so events may point to it for ever.
class progress {
 public:
  [[nodiscard]] bool reached(std::uint64_t position) const noexcept {
    return finished_.load(std::memory_order_acquire) >= position;
  }
  [[nodiscard]] std::uint64_t finished() const noexcept {
    return finished_.load(std::memory_order_acquire);
  }
  // The step that was begun last; a step is running if begun() >= position > finished().
  [[nodiscard]] std::uint64_t begun() const noexcept {
    return begun_.load(std::memory_order_relaxed);
  }
  // For executors only; positions grow by one, by one thread at a time.
  void begin(std::uint64_t position) noexcept { begun_.store(position, std::memory_order_relaxed); }
  void finish(std::uint64_t position) noexcept {
    finished_.store(position, std::memory_order_release);
  }

 private:
  alignas(64) std::atomic<std::uint64_t> finished_{0};
  std::atomic<std::uint64_t> begun_{0};
};

}  // namespace pianola::executors
