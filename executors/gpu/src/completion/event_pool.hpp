// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "pianola/gpu/driver.hpp"

namespace pianola::gpu {

// Events of one device that are used again and again.
class event_pool {
 public:
  event_pool(driver& d, std::uint32_t device, std::atomic<std::uint64_t>& made) noexcept
      : driver_(d), device_(device), made_(made) {}
  event_pool(const event_pool&) = delete;
  event_pool& operator=(const event_pool&) = delete;

  code take(bool with_time, event& out) noexcept;
  // Whatever it was recorded for has been waited for, or is of no interest.
  void give(bool with_time, event) noexcept;
  // Of those that were given back.
  void destroy_all() noexcept;

 private:
  driver& driver_;
  std::uint32_t device_;
  std::atomic<std::uint64_t>& made_;
  std::mutex mutex_;
  std::vector<event> free_[2];  // index: with_time
};

}  // namespace pianola::gpu
