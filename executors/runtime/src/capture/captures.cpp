// SPDX-License-Identifier: Apache-2.0
// All queues of the process that capture, and what others tell them.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <pianola/host/clock.hpp>
#include <pianola/model/error.hpp>
#include <pianola/runtime/auto_capture.hpp>

#include "capture/held_commands.hpp"
#include "capture/queue_capture.hpp"
#include "data/buffer_table.hpp"
#include "process.hpp"
#include "queues/capturing.hpp"
#include "queues/event_record.hpp"
#include "queues/launch_times.hpp"
#include "queues/queue.hpp"
#include "submit/submit.hpp"
#include "support/log.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

namespace {

class captures final : public capturing {
 public:
  // Never destroyed: queues may be static objects.
  static captures& instance() {
    static captures& all = *new captures;
    return all;
  }

  event submit(queue& q, submission& s) override;
  event settled(const event& e) override;
  std::uint64_t time_of(const event& e, profiling_time what) override;
  void host_waits_for(queue& q) override;
  void host_waits_for(const event& e) override;
  void host_uses(buffer_key buffer) override;
  void ends(buffer_key buffer) noexcept override;
  void ends() noexcept override;

  void set(queue& q, bool on);
  [[nodiscard]] auto_capture_statistics statistics() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return shared_.counted;
  }
  void reset_statistics() {
    const std::lock_guard<std::mutex> lock(mutex_);
    shared_.counted = {};
  }

 private:
  // The lock; what has ended meanwhile goes when it is free again.
  class locked {
   public:
    explicit locked(captures& all) : all_(all), lock_(all.mutex_) {}
    locked(captures& all, std::try_to_lock_t how) : all_(all), lock_(all.mutex_, how) {}
    locked(const locked&) = delete;
    locked& operator=(const locked&) = delete;
    ~locked() { unlock(); }
    void unlock() {
      if (!lock_.owns_lock()) return;
      if (all_.shared_.ended.empty()) return lock_.unlock();
      std::vector<std::shared_ptr<void>> ended;
      ended.swap(all_.shared_.ended);
      lock_.unlock();
    }
    [[nodiscard]] bool owns_lock() const noexcept { return lock_.owns_lock(); }

   private:
    captures& all_;
    std::unique_lock<std::mutex> lock_;
  };

  static void flush(held_commands& held) {
    if (!held.are_submitted()) held.of()->capture->flush();
  }
  template <class F>
  void for_each(const F& see) {
    for (std::size_t i = 0; i < all_.size(); ++i) see(*all_[i]);
  }
  // The queue that used the buffer last.
  static std::shared_ptr<queue> user_of(buffer_key buffer);

  captures() { shared_.watch = &watch_; }
  bool look_after_held() noexcept;

  periodic_watch watch_{{"pianola-held", std::chrono::milliseconds(5),
                         "commands that are held back are not looked after"},
                        [this] { return look_after_held(); }};
  std::mutex mutex_;  // taken before a graph's and the runtime's
  capture_shared shared_;
  std::vector<std::shared_ptr<queue_capture>> all_;
};

event captures::submit(queue& q, submission& s) {
  locked lock(*this);
  queue_capture* const own = q.capture.get();
  if (own != nullptr && shared_.holding == 1) {
    event same;
    if (own->hold_same(q, s, same)) return same;
  } else if (own != nullptr && shared_.holding == 0 && s.after.empty() && s.next == nullptr &&
             own->passes_over(s)) {
    lock.unlock();
    return submit_now(q, s);
  }
  for (submission* next = &s; next != nullptr; next = next->next.get())
    for (event& e : next->after) {
      if (!was_held_back(e) || (own != nullptr && e.record == own->held())) continue;
      flush(*e.record->held);
      event now = e.record->held->event_of(e.position);
      e = std::move(now);
    }
  for_each([&](queue_capture& other) {
    if (&other != own && other.conflicts_with(s)) other.flush();
  });
  if (own != nullptr) return own->submit(q, s);
  lock.unlock();
  return submit_now(q, s);
}

event captures::settled(const event& e) {
  held_commands& held = *e.record->held;
  if (!held.are_submitted()) {
    const locked lock(*this);
    flush(held);
  }
  return held.event_of(e.position);
}

std::uint64_t captures::time_of(const event& e, profiling_time what) {
  const event now = settled(e);
  const held_commands& held = *e.record->held;
  if (!held.are_one_replay() || now.record == nullptr || now.record->nodes == nullptr)
    return profiling(now, what);
  if (what == profiling_time::submit) return held.submission_of(e.position);
  wait(now);
  const launch_times& all = *now.record->nodes;
  const std::size_t at =
      all.at->moved.empty() ? static_cast<std::size_t>(e.position) : all.at->moved[e.position];
  const auto& noted = what == profiling_time::start ? all.started[at] : all.ended[at];
  // There is nothing to run for a barrier, and some drivers do not tell.
  const std::uint64_t time = noted.load(std::memory_order_acquire);
  return time != 0 ? time : profiling(now, what);
}

void captures::host_waits_for(queue& q) {
  const locked lock(*this);
  if (q.capture == nullptr) return;
  q.capture->flush();
  q.capture->cut();
}

void captures::host_waits_for(const event& e) {
  if (was_held_back(e) && e.record->held->are_submitted())
    return host_waits_for(e.record->held->event_of(e.position));
  const locked lock(*this);
  if (was_held_back(e)) {
    const std::shared_ptr<queue> q = e.record->held->of();
    if (q == nullptr) return;
    q->capture->flush();
    q->capture->cut();
    return;
  }
  if (e.lane == nullptr) return;
  for_each([&](queue_capture& c) {
    if (c.last_lane() == e.lane && !c.is_holding()) c.cut();
  });
}

std::shared_ptr<queue> captures::user_of(buffer_key buffer) {
  process& rt = process::instance();
  const std::lock_guard lock(rt.mutex);
  const buffer_entry* const b = rt.buffers.find_living(buffer);
  return b == nullptr ? nullptr : b->last_queue.lock();
}

void captures::host_uses(buffer_key buffer) {
  const std::shared_ptr<queue> q = user_of(buffer);
  const locked lock(*this);
  for_each([&](queue_capture& c) {
    if (c.holds_use_of(buffer)) c.flush();
  });
  if (q != nullptr && q->capture != nullptr && !q->capture->is_holding()) q->capture->cut();
}

void captures::ends(buffer_key buffer) noexcept {
  try {
    if (process::started() == nullptr) return;
    const std::shared_ptr<queue> q = user_of(buffer);
    const locked lock(*this);
    for_each([&](queue_capture& c) { c.ends(buffer); });
    shared_.names.ends(buffer);
    if (q != nullptr && q->capture != nullptr && !q->capture->is_holding()) q->capture->cut();
  } catch (const std::exception& e) {
    log_warn("what a queue has captured could not be ended with a buffer: {}", e.what());
  }
}

// Where the lock is taken somebody is at it, and may have begun to hold something back.
bool captures::look_after_held() noexcept {
  bool any = true;
  try {
    const locked lock(*this, std::try_to_lock);
    if (!lock.owns_lock()) return true;
    any = false;
    const std::uint64_t now = host::nanoseconds_now();
    for_each([&](queue_capture& c) {
      c.flush_if_late(now);
      any = any || c.is_holding();
    });
  } catch (const std::exception& e) {
    log_warn("what a queue has held back could not be submitted: {}", e.what());
  }
  return any;
}

void captures::ends() noexcept {
  watch_.stop();
  try {
    const locked lock(*this, std::try_to_lock);
    if (lock.owns_lock()) for_each([](queue_capture& c) { c.flush(); });
  } catch (const std::exception& e) {
    log_warn("what a queue has held back could not be submitted at the end: {}", e.what());
  }
}

void captures::set(queue& q, bool on) {
  const locked lock(*this);
  if (on == (q.capture != nullptr)) return;
  if (on) {
    q.capture = std::make_shared<queue_capture>(shared_);
    all_.push_back(q.capture);
    active_.store(this, std::memory_order_release);
    return;
  }
  q.capture->forget_all();
  all_.erase(std::find(all_.begin(), all_.end(), q.capture));
  q.capture = nullptr;
}

bool from_environment() {
  const char* value = std::getenv("PIANOLA_AUTOCAPTURE");
  const std::string text = value == nullptr ? "" : value;
  if (text.empty() || text == "off" || text == "0") return false;
  if (text == "on" || text == "1") return true;
  throw user_error(error_code::platform,
                   "PIANOLA_AUTOCAPTURE='" + text + "': it takes on or off, or 1 or 0");
}

constexpr int not_read = -1;
std::atomic<int> by_default{not_read};

}  // namespace

bool is_auto_capture_default() {
  int now = by_default.load(std::memory_order_relaxed);
  if (now == not_read) {
    now = from_environment() ? 1 : 0;
    by_default.store(now, std::memory_order_relaxed);
  }
  return now == 1;
}

void set_auto_capture_default(bool on) noexcept {
  by_default.store(on ? 1 : 0, std::memory_order_relaxed);
}

void set_auto_capture(queue& q, bool on) { captures::instance().set(q, on); }

void end_auto_capture(queue& q) noexcept {
  if (capturing::active() == nullptr || process::started() == nullptr) return;
  try {
    captures::instance().set(q, false);
  } catch (const std::exception& e) {
    log_warn("what a queue has held back could not be submitted at its end: {}", e.what());
  }
}

bool is_held_back(const event& e) noexcept {
  return was_held_back(e) && !e.record->held->are_submitted();
}

auto_capture_statistics get_auto_capture_statistics() noexcept {
  return captures::instance().statistics();
}
void reset_auto_capture_statistics() noexcept { captures::instance().reset_statistics(); }

}  // namespace pianola::runtime
