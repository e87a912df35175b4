// SPDX-License-Identifier: Apache-2.0
// Memories of the simulated devices, the links between them, and what tests can make go wrong there.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <pianola/executors/backend.hpp>
#include <pianola/simulated/control.hpp>

namespace pianola::simulated {

inline constexpr unsigned max_devices = 512;
// So many are linked with each other, more with the host alone: links would be as many as pairs of devices.
inline constexpr unsigned most_linked_devices = 62;

// Thread-safe. Lives as long as the process.
class device_memory final : public control {
 public:
  // `bytes`: of each device.
  explicit device_memory(std::uint64_t bytes) : bytes_(bytes) {}

  static void describe_links(model::array_view<const model::memory_id> memories,
                             std::vector<model::link_description>& links);

  executors::status allocate(std::uint32_t device, executors::memory_kind kind, std::size_t bytes,
                             std::size_t alignment, void*& out) noexcept;
  void deallocate(std::uint32_t device, void* pointer) noexcept;
  // Pages count as allocated when they are there.
  std::unique_ptr<executors::page_store> open_pages(std::uint32_t device,
                                                    executors::memory_kind kind) noexcept;

  // Counts a copy that is about to be made. Throws model::user_error if it is to fail; else returns the
  // nanoseconds that it is to take longer.
  std::uint64_t begin_copy(const executors::resolved_copy& c);
  // Whether copies over this link take longer.
  [[nodiscard]] bool delays(const executors::resolved_copy& c) const noexcept;

  [[nodiscard]] link_counters counters(unsigned from, unsigned to) const noexcept override;
  void reset_counters() noexcept override;
  void fail_allocation(unsigned device, std::uint64_t nth) noexcept override;
  void fail_copy(std::uint64_t nth) noexcept override;
  void delay_link(unsigned from, unsigned to, std::uint64_t nanoseconds) noexcept override;
  [[nodiscard]] std::uint64_t allocated(unsigned device) const noexcept override;
  bool lose_device(unsigned device, bool lost) noexcept override;
  [[nodiscard]] int most_urgent() const noexcept override { return most_urgent_.load(); }
  void note_most_urgent(int priority) noexcept { most_urgent_.store(priority); }

  [[nodiscard]] bool is_lost(std::uint32_t device) const noexcept {
    return lost_[device].load(std::memory_order_relaxed);
  }
  // Only backends that can refuse a submission know lost devices.
  void let_devices_be_lost() noexcept { can_lose_ = true; }

 private:
  class pages;
  // Whether the device has so much left, which counts as allocated from now on. Under the mutex.
  executors::status take(std::uint32_t device, std::uint64_t bytes) noexcept;
  struct link {
    link_counters counted;
    std::uint64_t delay = 0;
  };
  const std::uint64_t bytes_;
  mutable std::mutex mutex_;
  std::atomic<bool> any_delay_{false};
  std::atomic<bool> lost_[max_devices] = {};
  std::atomic<int> most_urgent_{0};
  bool can_lose_ = false;
  // By the memories that they lead from and to; those that something was asked of.
  std::map<std::pair<std::uint32_t, std::uint32_t>, link> links_;
  std::uint64_t fail_allocation_[max_devices] = {};
  std::uint64_t fail_copy_ = 0;
  std::uint64_t allocated_[max_devices] = {};
  std::map<void*, std::size_t> sizes_;
};

}  // namespace pianola::simulated
