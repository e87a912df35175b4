// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

#include <pianola/model/command.hpp>
#include <pianola/model/ids.hpp>
#include <pianola/runtime/events.hpp>
#include <pianola/runtime/submission.hpp>

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// What a queue adds to the command groups submitted to it, where an extension asked for it.
class queue_extras {
 public:
  /// Nothing was asked for: one load.
  bool empty() const noexcept { return !any_.load(std::memory_order_acquire); }

  /// Before the first submission.
  void place_on(std::vector<pianola::model::device_id> devices) {
    devices_ = std::move(devices);
    if (devices_.size() > 1) any_.store(true, std::memory_order_release);
  }

  /// The next command comes after this event too.
  void set_external(pianola::runtime::event event, std::uint64_t queue) {
    const std::lock_guard<std::mutex> lock(mutex_);
    external_ = std::move(event);
    external_queue_ = queue;
    has_external_ = true;
    any_.store(true, std::memory_order_release);
  }
  /// Whether there is one; it stays.
  bool external(pianola::runtime::event& event, std::uint64_t& queue) {
    if (empty()) return false;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!has_external_) return false;
    event = external_;
    queue = external_queue_;
    return true;
  }
  void wait_for_external() {
    if (empty()) return;
    pianola::runtime::event event;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!has_external_) return;
      has_external_ = false;
      event = std::move(external_);
      external_ = {};
    }
    pianola::runtime::wait(event);
  }

  /// Requires the accessor in every command group until release() of what this returns.
  std::uint64_t require(const pianola::runtime::accessor_request& request) {
    const std::lock_guard<std::mutex> lock(mutex_);
    required_.push_back({++last_required_, request});
    any_.store(true, std::memory_order_release);
    return last_required_;
  }
  void release(std::uint64_t which) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (std::size_t i = 0; i < required_.size(); ++i)
      if (required_[i].id == which) {
        required_.erase(required_.begin() + static_cast<std::ptrdiff_t>(i));
        return;
      }
  }

  void apply(pianola::runtime::submission& s) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (has_external_) {
      s.after.push_back(std::move(external_));
      external_ = {};
      has_external_ = false;
    }
    for (const requirement& r : required_) s.accessors.push_back(r.request);
    if (devices_.size() > 1 && !s.device.valid() &&
        std::holds_alternative<pianola::model::kernel_command>(s.payload))
      s.device = place(s);
  }

 private:
  struct requirement {
    std::uint64_t id;
    pianola::runtime::accessor_request request;
  };
  struct written {
    pianola::runtime::buffer_key buffer;
    pianola::model::device_id device;
  };

  /// Where this queue last wrote one of the buffers, or else the next device in turn.
  pianola::model::device_id place(const pianola::runtime::submission& s) {
    pianola::model::device_id chosen;
    for (const auto& a : s.accessors) {
      for (const written& w : written_)
        if (w.buffer == a.buffer) chosen = w.device;
      if (chosen.valid()) break;
    }
    if (!chosen.valid()) chosen = devices_[next_++ % devices_.size()];
    for (const auto& a : s.accessors)
      if (a.mode != pianola::model::access_mode::read) note(a.buffer, chosen);
    return chosen;
  }
  void note(pianola::runtime::buffer_key buffer, pianola::model::device_id device) {
    for (written& w : written_)
      if (w.buffer == buffer) {
        w.device = device;
        return;
      }
    if (written_.size() == most_noted) written_.erase(written_.begin());
    written_.push_back({buffer, device});
  }

  static constexpr std::size_t most_noted = 64;

  std::atomic<bool> any_{false};
  std::mutex mutex_;
  pianola::runtime::event external_;
  std::uint64_t external_queue_ = 0;
  bool has_external_ = false;
  std::vector<requirement> required_;
  std::uint64_t last_required_ = 0;
  std::vector<pianola::model::device_id> devices_;
  std::size_t next_ = 0;
  std::vector<written> written_;
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
