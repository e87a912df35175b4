// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "issue/lane.hpp"

namespace pianola::gpu {

// The lanes of a backend.
class lane_list {
 public:
  explicit lane_list(engine& e) noexcept : engine_(e) {}
  // Waits for what the driver was given; steps that still wait for others are dropped.
  ~lane_list();
  lane_list(const lane_list&) = delete;
  lane_list& operator=(const lane_list&) = delete;

  executors::status make(std::uint32_t device, lane*& out);
  // On a stream of the program's.
  executors::status adopt(std::uint32_t device, stream native, lane*& out);
  template <class F>
  void for_each(F&& f) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& l : lanes_) f(*l);
  }
  // See gpu_backend::shut_down().
  void shut_down() noexcept;

 private:
  engine& engine_;
  std::mutex mutex_;
  std::deque<std::unique_ptr<lane>> lanes_;
};

}  // namespace pianola::gpu
