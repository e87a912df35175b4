// SPDX-License-Identifier: Apache-2.0
#include "issue/lane.hpp"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include <pianola/host/clock.hpp>
#include <pianola/host/function_objects.hpp>
#include <pianola/host/indirect_range.hpp>
#include <pianola/host/team.hpp>
#include <pianola/model/error.hpp>

#include "engine/engine.hpp"
#include "graph/gpu_graph.hpp"
#include "issue/pending_step.hpp"

namespace pianola::gpu {

using executors::status;

namespace {

constexpr std::uint64_t shortest_sleep = 20'000;  // nanoseconds
constexpr std::uint64_t longest_sleep = 500'000;
// A lane that has become idle is looked at for so long still: another step would only wake the thread again.
constexpr std::uint64_t linger = 3'000'000;
// More of them tell more exactly how far the device has come, and cost the driver more.
constexpr std::size_t enough_markers = 8;
constexpr std::uint32_t enough_doubts = 20;
constexpr std::uint64_t between_looks = 10'000;
// Not the driver's: a thread is in a call for the stream that may take long. It says nothing of the device.
constexpr code in_use = -1;

}  // namespace

lane::lane(engine& e, std::uint32_t device, stream native, bool owns_stream)
    : engine_(e), device_(device), stream_(native), owns_stream_(owns_stream), progress_(*this) {}

lane::~lane() {
  while (!records_.empty()) {
    record& r = records_.front();
    if (r.owns_arguments) host::end_function_object(r.arguments);
    if (r.times != nullptr) {
      engine_.resources(device_).events.give(true, r.times->started);
      engine_.resources(device_).events.give(true, r.times->ended);
    }
    records_.pop();
  }
  for (const auto& m : all_markers_) engine_.resources(device_).events.give(false, m->native);
  if (engine_.state.gone()) return;
  for (const event e : lent_) engine_.drv.destroy(device_, e);
  if (owns_stream_)
    engine_.drv.destroy(device_, stream_);
  else
    engine_.drv.forget(device_, stream_);
}

lane* lane::lane_of(const executors::progress& p) const noexcept {
  auto* l = dynamic_cast<lane*>(p.source());
  return l != nullptr && &l->engine_ == &engine_ ? l : nullptr;
}

// Markers.

code lane::cover(std::uint64_t position, marker*& out) {
  for (marker* m : markers_)
    if (m->position >= position) {
      out = m;
      return success;
    }
  if (in_call_) return in_use;
  markers_.reserve(markers_.size() + 1);
  if (spare_markers_.empty()) {
    all_markers_.push_back(std::make_unique<marker>());
    spare_markers_.reserve(all_markers_.size());
    const code c = engine_.resources(device_).events.take(false, all_markers_.back()->native);
    if (c != success) {
      all_markers_.pop_back();
      return c;
    }
    spare_markers_.push_back(all_markers_.back().get());
  }
  marker* m = spare_markers_.back();
  const code c = engine_.drv.record(device_, stream_, m->native);
  if (c != success) return c;
  spare_markers_.pop_back();
  engine_.counters.markers.fetch_add(1, std::memory_order_relaxed);
  *m = {m->native, issued_.load(std::memory_order_relaxed), 0, true, false, false};
  markers_.push_back(m);
  out = m;
  return success;
}

void lane::drop(marker& m) noexcept {
  if (m.users == 0 && !m.listed) spare_markers_.push_back(&m);  // there is room for all
}

void lane::unlist_through(std::uint64_t position) noexcept {
  auto end = markers_.begin();
  for (; end != markers_.end() && (*end)->position <= position; ++end) {
    (*end)->listed = false;
    (*end)->reached = true;
    drop(**end);
  }
  markers_.erase(markers_.begin(), end);
}

code lane::hold(std::uint64_t position, marker*& out) {
  guard lock(mutex_);
  const code c = cover(position, out);
  if (c == success) ++out->users;
  return c;
}

void lane::release(marker* m) noexcept {
  guard lock(mutex_);
  --m->users;
  drop(*m);
}

// Completion.

void lane::note_reached(std::uint64_t position) noexcept {
  reached_ = std::max(reached_, position);
  if (reached_ >= native_) reached_ = issued_.load(std::memory_order_relaxed);
}

void lane::look_at_signals() noexcept {
  bool any = false;
  for (gpu_graph** at = &signalling_; *at != nullptr;) {
    gpu_graph& g = **at;
    if (g.links().poll(reached_)) any = true;
    if (g.links().under_way()) {
      at = &g.next_watched;
    } else {
      *at = g.next_watched;
      g.watched_by.store(nullptr, std::memory_order_release);
    }
  }
  if (!any) return;
  ++signals_reached_;
  tell_hosts();
}

void lane::forget(gpu_graph& graph) noexcept {
  guard lock(mutex_);
  gpu_graph** at = &signalling_;
  while (*at != nullptr && *at != &graph) at = &(*at)->next_watched;
  if (*at != nullptr) *at = graph.next_watched;
}

code lane::poll() noexcept {
  while (!markers_.empty() && !markers_.front()->watched) {
    code why = success;
    const event_state s = engine_.drv.query(markers_.front()->native, why);
    if (s == event_state::not_reached || (s == event_state::broken && in_doubt(why))) break;
    if (s == event_state::broken) return why;
    doubts_ = 0;
    const std::uint64_t position = markers_.front()->position;
    if (printed_ < may_print_) engine_.drv.print_output(markers_.front()->native);
    printed_ = std::max(printed_, position);
    unlist_through(position);
    note_reached(position);
  }
  if (signalling_ != nullptr) look_at_signals();
  return success;
}

void lane::ask() noexcept {
  if (markers_.empty() && reached_ < issued_.load(std::memory_order_relaxed)) {
    try {
      marker* m = nullptr;
      if (const code c = cover(issued_.load(std::memory_order_relaxed), m);
          c != success && !in_doubt(c))
        fail(c);
    } catch (...) {
      return;  // no memory now: nothing is known
    }
  }
  if (const code c = poll(); c != success) fail(c);
}

// The driver refused to tell how far it has come, and did not say that work is lost: that work may be under way, so
// nothing counts as finished before it has been asked often enough.
bool lane::in_doubt(code why) noexcept {
  if (why == in_use) return true;
  return !engine_.drv.is_fatal(why) && !engine_.state.closing() && ++doubts_ < enough_doubts;
}

void lane::fail(code why) noexcept {
  doubts_ = 0;
  try {
    const status s = engine_.failure(
        why, fmt::format("finishing work on '{}'", engine_.drv.devices()[device_].properties.name));
    failure_ = std::make_exception_ptr(model::user_error(s.code, s.reason));
  } catch (...) {
    failure_ = std::current_exception();
  }
  const std::uint64_t issued = issued_.load(std::memory_order_relaxed);
  std::uint64_t position = finished_;
  records_.for_each([&](record& r) {
    if (++position > reached_ && position <= issued && !r.told) r.failed = true;
  });
  unlist_through(issued);
  reached_ = issued;
  if (signalling_ != nullptr) look_at_signals();
}

void lane::publish() noexcept {
  progress_.finish(finished_);
  tell_hosts();
}

// Lanes of the host may wait for this one.
void lane::tell_hosts() noexcept {
  host::team& t = host::team::instance();
  t.work_finished();
  t.work_published();
}

bool lane::retire(guard& lock, bool may_call_out) noexcept {
  bool any = false;
  while (!retiring_ && finished_ < reached_) {
    const std::uint64_t before = finished_;
    while (finished_ < reached_ && !records_.front().calls_out() && held_up() == nullptr) {
      records_.pop();
      ++finished_;
    }
    if (finished_ != before) {
      any = true;
      publish();
    }
    if (finished_ == reached_) break;
    const bool held = held_up() != nullptr;
    if (!may_call_out) engine_.helper.kick();
    if (held || !may_call_out) break;
    any = true;
    retiring_ = true;
    record& r = records_.front();
    const std::exception_ptr failure = r.failed ? failure_ : nullptr;
    // Those whose step has finished need not wait for this call, nor for those after it.
    changed_.notify_all();
    lock.unlock();
    call_out(r, failure);
    const model::argument_block owned =
        std::exchange(r.owns_arguments, false) ? r.arguments : model::argument_block();
    lock.lock();
    retiring_ = false;
    records_.pop();
    ++finished_;
    publish();
    if (owned.bytes == nullptr) continue;
    lock.unlock();
    host::end_function_object_elsewhere(owned);
    lock.lock();
  }
  if (any) changed_.notify_all();
  return any;
}

const executors::lane_position* lane::held_up() noexcept {
  if (finished_ >= reached_) return nullptr;
  for (const executors::lane_position& p : records_.front().ends_after)
    if (!p.lane->reached(p.position)) return &p;
  return nullptr;
}

// As a rule the device has done it before, and somebody only has to see that.
void lane::finish_what_holds_up(guard& lock, bool may_call_out) noexcept {
  while (const executors::lane_position* first = held_up()) {
    const executors::lane_position p = *first;
    lock.unlock();
    lane_of(*p.lane)->finish_through(p.position, may_call_out);
    lock.lock();
    if (!p.lane->reached(p.position)) return;
    retire(lock, may_call_out);
  }
}

void lane::finish_through(std::uint64_t position, bool may_call_out) noexcept {
  guard lock(mutex_);
  if (issued_.load(std::memory_order_relaxed) < position || engine_.state.gone()) return;
  if (reached_ < position) ask();
  retire(lock, may_call_out);
}

void lane::call_out(record& r, const std::exception_ptr& failure) noexcept {
  const executors::step_observer& o = engine_.observer;
  if (failure && o.failed != nullptr && !engine_.state.closing()) o.failed(r.context(), failure);
  if (r.range != nullptr || r.ranges != nullptr) tell_ranges(r);
  if (r.timed) tell_times(r);
}

void lane::tell_ranges(record& r) noexcept {
  const auto tell = [this](const void* context, const executors::resolved_kernel& kernel,
                           std::uint64_t number) noexcept {
    if (engine_.observer.failed == nullptr || engine_.state.closing()) return;
    engine_.observer.failed(
        context, exception_of({model::error_code::invalid, host::beyond_bound(kernel, number)}));
  };
  if (r.range != nullptr) {
    if (const std::uint64_t number = range_words::read(r.range->word); number != 0)
      tell(r.context(), r.range->kernel, number);
    engine_.resources(device_).ranges.give(r.range->word);
    r.range.reset();
  }
  if (r.ranges != nullptr)
    r.ranges->tell_ranges([&](const gpu_graph::kept_step& s, std::uint64_t number) {
      tell(s.context.data(), *std::get_if<executors::resolved_kernel>(&s.action), number);
    });
}

void lane::tell_times(record& r) noexcept {
  const std::uint64_t now = host::nanoseconds_now();
  std::uint64_t started = now;
  std::uint64_t ended = now;
  if (r.times != nullptr) {
    step_times& t = *r.times;
    driver& d = engine_.drv;
    float milliseconds = 0;
    if (!r.failed && t.base != nullptr && t.ended.native != nullptr &&
        nanoseconds_of(d, *t.base, t.started, started) == success &&
        d.elapsed(t.started, t.ended, milliseconds) == success) {
      // The two clocks agree to some microseconds; how long it took, and the order of what has happened, is exact.
      const std::uint64_t by_event = started;
      const auto duration = static_cast<std::uint64_t>(std::max(0.0, 1e6 * milliseconds));
      const std::uint64_t earliest = std::min(now, std::max(t.issued_at, last_end_));
      started = std::max(started, earliest);
      ended = started + duration;
      if (ended > now) {
        ended = now;
        started = std::max(earliest, now > duration ? now - duration : 0);
      }
      // The nodes' times are corrected as the launch's are.
      if (t.graph != nullptr && engine_.observer.times != nullptr)
        t.graph->stamps().tell(*t.base, device_,
                               [&](std::uint32_t step, std::uint64_t from, std::uint64_t to) {
                                 const std::uint64_t shift = started - by_event;
                                 engine_.observer.times(t.graph->steps()[step].context.data(),
                                                        from + shift, to + shift);
                               });
    } else {
      started = ended = now;
    }
    engine_.resources(device_).events.give(true, t.started);
    engine_.resources(device_).events.give(true, t.ended);
    r.times.reset();
  }
  last_end_ = ended;
  const executors::step_observer& o = engine_.observer;
  if (o.times != nullptr) {
    o.times(r.context(), started, ended);
    return;
  }
  if (o.started != nullptr) o.started(r.context());
  if (o.finished != nullptr) o.finished(r.context());
}

void lane::synchronise(guard& lock, std::uint64_t position) noexcept {
  marker* m = nullptr;
  try {
    if (const code c = cover(position, m); c != success) {
      if (c == in_use)
        changed_.wait_for(lock, std::chrono::milliseconds(1));
      else if (in_doubt(c))
        changed_.wait_for(lock, std::chrono::microseconds(100));
      else
        fail(c);
      return;
    }
  } catch (...) {
    // No memory for a marker now; there will be.
    changed_.wait_for(lock, std::chrono::milliseconds(1));
    return;
  }
  ++m->users;
  if (m->watched) {
    changed_.wait(lock, [m] { return !m->watched; });
  } else {
    m->watched = true;
    lock.unlock();
    const code c = engine_.drv.synchronize(m->native);
    lock.lock();
    m->watched = false;
    if (c == success) {
      doubts_ = 0;
      printed_ = std::max(printed_, m->position);
      unlist_through(m->position);
      note_reached(m->position);
      if (signalling_ != nullptr) look_at_signals();
    } else if (!m->reached && !in_doubt(c)) {
      fail(c);
    }
    changed_.notify_all();
  }
  --m->users;
  drop(*m);
}

void lane::wait(const executors::progress&, std::uint64_t position) noexcept {
  unsigned idle_rounds = 0;
  guard lock(mutex_, std::defer_lock);
  while (!progress_.reached(position)) {
    if (!lock.owns_lock()) lock.lock();
    if (engine_.state.gone()) {
      lock.unlock();
      abandon();
      return;
    }
    if (retire(lock, true)) continue;
    if (progress_.reached(position)) return;
    // Asked once: the other lane goes on meanwhile.
    if (const executors::lane_position* first = held_up()) {
      const executors::lane_position other = *first;
      finish_what_holds_up(lock, true);
      lock.unlock();
      other.lane->source()->wait(*other.lane, other.position);
      continue;
    }
    if (retiring_ && reached_ >= position) {
      changed_.wait(lock);
      continue;
    }
    if (issued_.load(std::memory_order_relaxed) >= position) {
      synchronise(lock, position);
      continue;
    }
    // What it waits for is up to others, perhaps to steps on the host that this thread can run.
    lock.unlock();
    if (issue_pending(position) || host::team::instance().help(host::team::current_thread())) {
      idle_rounds = 0;
      continue;
    }
    if (++idle_rounds < 200) {
      host::pause();
      continue;
    }
    lock.lock();
    if (issued_.load(std::memory_order_relaxed) < position)
      changed_.wait_for(lock, std::chrono::microseconds(100));
  }
}

void lane::look(const executors::progress&) noexcept {
  // Threads with nothing else to do ask without a pause; the lane and the driver have better things to do.
  const std::uint64_t now = host::nanoseconds_now();
  if (now < next_look_.load(std::memory_order_relaxed)) return;
  next_look_.store(now + between_looks, std::memory_order_relaxed);
  guard lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || engine_.state.gone()) return;
  ask();
  retire(lock, false);
  finish_what_holds_up(lock, false);
}

std::chrono::nanoseconds lane::serve() noexcept {
  if (engine_.state.gone()) {
    abandon();
    return idle;
  }
  issue_pending(0);
  guard lock(mutex_);
  if (const code c = poll(); c != success) fail(c);
  retire(lock, true);
  finish_what_holds_up(lock, true);
  const std::uint64_t now = host::nanoseconds_now();
  if (finished_ == submitted_) {
    busy_since_ = 0;
    if (idle_since_ == 0) idle_since_ = now;
    if (now - idle_since_ < linger) return std::chrono::nanoseconds(longest_sleep);
    idle_since_ = 0;
    served_ = false;
    return idle;
  }
  idle_since_ = 0;
  const std::uint64_t issued = issued_.load(std::memory_order_relaxed);
  const std::uint64_t changes = finished_ + issued + signals_reached_;
  if (busy_since_ == 0 || changes != changes_seen_) busy_since_ = now;
  changes_seen_ = changes;
  const std::uint64_t marked = markers_.empty() ? reached_ : markers_.back()->position;
  if (issued > marked && markers_.size() < enough_markers) {
    try {
      marker* m = nullptr;
      if (const code c = cover(issued, m); c != success && !in_doubt(c)) fail(c);
    } catch (...) {
      // Next time.
    }
  }
  // What has taken long may take longer. Whoever waits for the next change waits at most a part of that too long.
  const std::uint64_t age = now - busy_since_;
  return std::chrono::nanoseconds(std::clamp(
      age / (pending_.empty() && signalling_ == nullptr ? 4 : 16), shortest_sleep, longest_sleep));
}

status lane::lend_event(std::uint64_t position, event& out) {
  while (issued() < position && !progress_.reached(position)) {
    if (engine_.state.gone()) return engine_.state.why();
    if (!issue_pending(position) && !host::team::instance().help(host::team::current_thread()))
      std::this_thread::yield();
  }
  guard lock(mutex_);
  wait_for_stream(lock);
  lent_.reserve(lent_.size() + 1);
  event made;
  code c = engine_.drv.make_event(device_, false, made);
  if (c != success) return engine_.failure(c, "making an event");
  c = engine_.drv.record(device_, stream_, made);
  if (c == success) {
    lent_.push_back(made);
    out = made;
    return {};
  }
  engine_.drv.destroy(device_, made);
  return engine_.failure(c, "recording an event");
}

status lane::wait_for(event e) {
  if (!engine_.state.usable()) return engine_.state.why();
  guard lock(mutex_);
  wait_for_stream(lock);
  const code c = engine_.drv.wait(device_, stream_, e);
  if (c != success) return engine_.failure(c, "waiting for an event of the program");
  gated_ = true;
  return {};
}

void lane::forget_kernels() noexcept {
  guard lock(mutex_);
  for (cached_kernel& k : kernels_) k = {};
  part_kernel_.reset();
}

void lane::drain() noexcept {
  guard lock(mutex_);
  while (reached_ < issued_.load(std::memory_order_relaxed)) {
    if (engine_.state.gone()) return;
    synchronise(lock, issued_.load(std::memory_order_relaxed));
  }
  retire(lock, true);
  finish_what_holds_up(lock, true);
}

void lane::abandon() noexcept {
  guard lock(mutex_);
  progress_.finish(submitted_);
  for (gpu_graph* g = signalling_; g != nullptr; g = g->next_watched) g->links().abandon();
  for (const auto& p : pending_)
    if (p->graph != nullptr) p->graph->links().abandon();
  tell_hosts();
  changed_.notify_all();
}

}  // namespace pianola::gpu
