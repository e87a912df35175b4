// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>

namespace pianola::executors {

class progress;

// Who moves the progress of a lane that is not run by the process-wide team: a device with a driver of its
// own, which tells how far it has come only when asked.
class progress_source {
 public:
  virtual ~progress_source() = default;
  // Blocks until the lane has come so far.
  virtual void wait(const progress& lane, std::uint64_t position) noexcept = 0;
  // Asks the device, without blocking.
  virtual void look(const progress& lane) noexcept = 0;
};

// How far a lane has come: the number of its steps that have finished, in order. Lives as long as
// the process, so events may point to it for ever.
class progress {
 public:
  progress() = default;
  explicit progress(progress_source& source) noexcept : source_(&source) {}
  // Null: steps finish on threads of this process, and whoever waits may help them.
  [[nodiscard]] progress_source* source() const noexcept { return source_; }
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
  progress_source* source_ = nullptr;
};

}  // namespace pianola::executors
