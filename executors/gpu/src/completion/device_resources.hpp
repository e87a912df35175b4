// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>

#include "completion/event_pool.hpp"
#include "completion/range_words.hpp"
#include "pianola/gpu/driver.hpp"

namespace pianola::gpu {

// A moment that is known on the device's clock and on ours.
struct clock_base {
  event at;
  std::uint64_t nanoseconds = 0;
};

// What a device has for all of its lanes: events, a stream of its own, and what its time is.
class device_resources {
 public:
  device_resources(driver& d, std::uint32_t device,
                   std::atomic<std::uint64_t>& events_made) noexcept
      : events(d, device, events_made), ranges(d, device), driver_(d), device_(device) {}
  device_resources(const device_resources&) = delete;
  device_resources& operator=(const device_resources&) = delete;

  event_pool events;
  range_words ranges;

  // A base that is recent enough for `now`, or a fresh one: that waits for the device, but not for its work.
  // Leaves `out` alone when host memory has run out.
  code base(std::uint64_t now, std::shared_ptr<const clock_base>& out) noexcept;
  // Brings a graph to the device, so that its first launch is like any other.
  code upload(executable) noexcept;
  // Nobody uses anything of it any more.
  void close() noexcept;

 private:
  code need_stream() noexcept;

  driver& driver_;
  std::uint32_t device_;
  std::mutex mutex_;  // of everything below; an event of a base is used by who reads it, too
  stream own_stream_;
  std::shared_ptr<const clock_base> base_;
};

// On our clock.
[[nodiscard]] code nanoseconds_of(driver&, const clock_base&, event, std::uint64_t& out) noexcept;

}  // namespace pianola::gpu
