// SPDX-License-Identifier: Apache-2.0
#include <sycl/detail/queue/extras.hpp>

#include <algorithm>

#include <pianola/runtime/device_choice.hpp>
#include <pianola/runtime/graphs.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

void queue_extras::place_on(std::vector<pianola::model::device_id> devices) {
  devices_ = std::move(devices);
  if (devices_.size() > 1) any_.store(true, std::memory_order_release);
}

void queue_extras::set_external(pianola::runtime::event event, std::uint64_t queue) {
  const std::lock_guard<std::mutex> lock(mutex_);
  external_ = std::move(event);
  external_queue_ = queue;
  has_external_ = true;
  any_.store(true, std::memory_order_release);
}

void queue_extras::wait_for_external() {
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

std::uint64_t queue_extras::require(const pianola::runtime::accessor_request& request) {
  const std::lock_guard<std::mutex> lock(mutex_);
  required_.push_back({++last_required_, request});
  any_.store(true, std::memory_order_release);
  return last_required_;
}

void queue_extras::release(std::uint64_t which) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (std::size_t i = 0; i < required_.size(); ++i)
    if (required_[i].id == which) {
      required_.erase(required_.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
}

void queue_extras::apply(pianola::runtime::submission& s, const pianola::runtime::queue& to) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (has_external_) {
    s.after.push_back(std::move(external_));
    external_ = {};
    has_external_ = false;
  }
  for (const requirement& r : required_) s.accessors.push_back(r.request);
  if (devices_.size() > 1 && !s.device.valid() &&
      std::holds_alternative<pianola::model::kernel_command>(s.payload))
    s.device = place(s, pianola::runtime::is_recording(to));
}

pianola::model::device_id queue_extras::place(const pianola::runtime::submission& s,
                                              bool recording) {
  if (!recording)
    return devices_[pianola::runtime::choose_device(s, devices_, busy_, next_++ % devices_.size())];
  const auto able = pianola::runtime::able_devices(s, devices_);
  const auto is_able = [&](pianola::model::device_id d) {
    return std::find(able.begin(), able.end(), d) != able.end();
  };
  pianola::model::device_id chosen;
  for (const auto& a : s.accessors) {
    for (const written& w : written_)
      if (w.buffer == a.buffer && is_able(w.device)) chosen = w.device;
    if (chosen.valid()) break;
  }
  while (!chosen.valid()) {
    const pianola::model::device_id next = devices_[next_++ % devices_.size()];
    if (is_able(next)) chosen = next;
  }
  for (const auto& a : s.accessors)
    if (a.mode != pianola::model::access_mode::read) note(a.buffer, chosen);
  return chosen;
}

void queue_extras::note(pianola::runtime::buffer_key buffer, pianola::model::device_id device) {
  for (written& w : written_)
    if (w.buffer == buffer) {
      w.device = device;
      return;
    }
  if (written_.size() == most_noted) written_.erase(written_.begin());
  written_.push_back({buffer, device});
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
