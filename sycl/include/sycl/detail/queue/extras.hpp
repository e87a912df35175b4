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
#include <pianola/runtime/queues.hpp>
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
  void place_on(std::vector<pianola::model::device_id> devices);

  /// The next command comes after this event too.
  void set_external(pianola::runtime::event event, std::uint64_t queue);
  /// Whether there is one; it stays.
  bool external(pianola::runtime::event& event, std::uint64_t& queue) {
    if (empty()) return false;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!has_external_) return false;
    event = external_;
    queue = external_queue_;
    return true;
  }
  void wait_for_external();

  /// Requires the accessor in every command group until release() of what this returns.
  std::uint64_t require(const pianola::runtime::accessor_request& request);
  void release(std::uint64_t which);

  void apply(pianola::runtime::submission& s, const pianola::runtime::queue& to);

 private:
  struct requirement {
    std::uint64_t id;
    pianola::runtime::accessor_request request;
  };
  struct written {
    pianola::runtime::buffer_key buffer;
    pianola::model::device_id device;
  };

  /// Where it is expected to end first; while a graph is recorded, whose data is not there yet, where this queue last
  /// wrote one of the buffers, or else the next device in turn.
  pianola::model::device_id place(const pianola::runtime::submission& s, bool recording);
  void note(pianola::runtime::buffer_key buffer, pianola::model::device_id device);

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
  std::vector<double> busy_;  // index: as devices_; see choose_device
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
