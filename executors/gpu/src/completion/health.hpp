// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <mutex>

#include <pianola/executors/backend.hpp>

namespace pianola::gpu {

// Whether the driver is of any use.
class health {
 public:
  [[nodiscard]] bool usable() const noexcept {
    return state_.load(std::memory_order_acquire) == state::well;
  }
  // The driver must not be called any more: the process ends. Everything counts as finished.
  [[nodiscard]] bool gone() const noexcept {
    return state_.load(std::memory_order_acquire) == state::gone;
  }
  // The process ends; failures interest nobody any more.
  [[nodiscard]] bool closing() const noexcept { return closing_.load(std::memory_order_acquire); }

  // The devices answer to nothing any more in this process. The first reason stays.
  void lose(const executors::status& cause);
  void close() noexcept { closing_.store(true, std::memory_order_release); }
  void leave() noexcept { state_.store(state::gone, std::memory_order_release); }

  // What submissions are refused with.
  [[nodiscard]] executors::status why() const;

 private:
  enum class state : unsigned char { well, lost, gone };
  std::atomic<state> state_{state::well};
  std::atomic<bool> closing_{false};
  mutable std::mutex mutex_;
  executors::status cause_;
};

}  // namespace pianola::gpu
