// SPDX-License-Identifier: Apache-2.0
#include "separate_lane.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include <pianola/host/clock.hpp>
#include <pianola/host/function_objects.hpp>
#include <pianola/host/kernel_runner.hpp>
#include <pianola/host/memory_steps.hpp>
#include <pianola/host/team.hpp>
#include <pianola/model/error.hpp>

namespace pianola::simulated {

using executors::lane_position;
using executors::resolved_copy;
using executors::resolved_fill;
using executors::resolved_host_task;
using executors::resolved_kernel;

namespace {

void must_reach(const separate_machine& machine, model::memory_id memory) {
  if (memory != model::host_memory && (machine.reachable >> memory.value() & 1U) == 0)
    throw model::internal_error(fmt::format(
        "a separate simulated device was given memory {}, which it cannot reach", memory.value()));
}

// The step's own copy of what it does not own.
void keep(std::vector<std::max_align_t>& storage, model::argument_block& b, bool owned) {
  if (owned || b.size == 0) return;
  storage.resize((b.size + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
  std::memcpy(storage.data(), b.bytes, b.size);
  b.bytes = storage.data();
}

}  // namespace

void run_on_device(separate_machine& machine, const executors::resolved_action& action,
                   bool copy_has_begun) {
  if (const auto* k = std::get_if<resolved_kernel>(&action)) {
    host::run_kernel(*k, host::team::instance(), host::team::current_thread(), false);
  } else if (const auto* c = std::get_if<resolved_copy>(&action)) {
    must_reach(machine, c->from);
    must_reach(machine, c->to);
    const std::uint64_t wait = copy_has_begun ? 0 : machine.memory.begin_copy(*c);
    if (wait != 0) std::this_thread::sleep_for(std::chrono::nanoseconds(wait));
    host::copy_bytes(*c);
  } else if (const auto* f = std::get_if<resolved_fill>(&action)) {
    must_reach(machine, f->memory);
    host::fill_bytes(*f);
  } else if (const auto* t = std::get_if<resolved_host_task>(&action)) {
    if (!t->enqueues)
      throw model::internal_error("a separate simulated device was given a host task");
    (*t)();
  }
}

void separate_graph::add(const executors::graph_step& step) {
  const auto number = static_cast<std::uint32_t>(nodes_.size());
  node& n = nodes_.emplace_back();
  n.action = step.action;
  n.wait_count = static_cast<std::uint32_t>(step.waits.size());
  n.stamped = step.stamped;
  most_urgent_ = std::min(most_urgent_, step.priority);
  for (const std::uint32_t before : step.waits) nodes_[before].successors.push_back(number);
  n.context.assign(step.context.begin(), step.context.end());
}

void separate_graph::run() noexcept {
  const auto& observer = machine_.observer;
  std::vector<std::uint32_t> open, ready;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    open.push_back(nodes_[i].wait_count);
    if (nodes_[i].wait_count == 0) ready.push_back(i);
  }
  while (!ready.empty()) {
    random_ = random_ * 6364136223846793005U + 1442695040888963407U;
    std::swap(ready[(random_ >> 33) % ready.size()], ready.back());
    node& n = nodes_[ready.back()];
    ready.pop_back();
    if (!observer.attention->load(std::memory_order_relaxed) || observer.admit(n.context.data())) {
      const std::uint64_t begin = n.stamped ? host::nanoseconds_now() : 0;
      try {
        run_on_device(machine_, n.action, false);
      } catch (...) {
        observer.failed(n.context.data(), std::current_exception());
      }
      if (n.stamped) observer.times(n.context.data(), begin, host::nanoseconds_now());
    }
    for (const std::uint32_t next : n.successors)
      if (--open[next] == 0) ready.push_back(next);
  }
}

bool separate_lane::over(const lane_position& w) noexcept {
  if (w.lane->reached(w.position)) return true;
  // Devices of this machine know of each other.
  if (const auto* own = dynamic_cast<separate_lane*>(w.lane->source()))
    return own->done_.load(std::memory_order_acquire) >= w.position;
  if (w.lane->source() == nullptr) return false;
  w.lane->source()->look(*w.lane);
  return w.lane->reached(w.position);
}

// What a driver does when it is given a step: refusals and failures come back at once.
void separate_lane::decide(step& s) noexcept {
  const auto& observer = machine_.observer;
  if (observer.attention->load(std::memory_order_relaxed) && !observer.admit(s.context.data())) {
    s.decided = step::fate::skipped;
    return;
  }
  s.decided = step::fate::begun;
  const auto* c = std::get_if<resolved_copy>(&s.action);
  if (c == nullptr || s.graph != nullptr || machine_.memory.delays(*c)) {
    if (c != nullptr) s.decided = step::fate::open;
    return;
  }
  try {
    machine_.memory.begin_copy(*c);
  } catch (...) {
    observer.failed(s.context.data(), std::current_exception());
    s.decided = step::fate::skipped;
  }
}

void separate_lane::submit(const executors::step_submission& from, separate_graph* graph) {
  auto made = std::make_unique<step>();
  step& s = *made;
  s.action = from.action;
  s.waits.assign(from.waits.begin(), from.waits.end());
  s.context.assign(from.context.begin(), from.context.end());
  s.graph = graph;
  s.timed = from.timed;
  if (auto* k = std::get_if<resolved_kernel>(&s.action)) {
    keep(s.arguments, k->arguments, k->owns_arguments);
    s.slots.assign(k->local_slots.begin(), k->local_slots.end());
    k->local_slots = s.slots;
    s.accessible.assign(k->accessible.begin(), k->accessible.end());
    k->accessible = s.accessible;
  } else if (auto* t = std::get_if<resolved_host_task>(&s.action)) {
    keep(s.arguments, t->arguments, t->owns_arguments);
  } else if (auto* f = std::get_if<resolved_fill>(&s.action); f && f->large_pattern != nullptr) {
    const auto* bytes = static_cast<const std::byte*>(f->large_pattern);
    s.pattern.assign(bytes, bytes + f->pattern_bytes);
    f->large_pattern = s.pattern.data();
  }
  // With nothing to wait for the driver gets the step at once, from this thread.
  bool at_once = done_.load(std::memory_order_acquire) == submitted_;
  for (const lane_position& w : s.waits) at_once = at_once && over(w);
  {
    std::lock_guard<std::mutex> lock(steps_mutex_);
    steps_.push_back(nullptr);  // nothing can fail any more
  }
  if (at_once) decide(s);
  if (machine_.outstanding.fetch_add(1) == 0) {
    std::lock_guard<std::mutex> lock(machine_.mutex);
    machine_.any_outstanding.notify_one();
  }
  {
    std::lock_guard<std::mutex> lock(steps_mutex_);
    steps_.back() = std::move(made);
    ++submitted_;
  }
  std::lock_guard<std::mutex> lock(thread_.mutex);
  ++thread_.submissions;
  if (!listed) thread_.lanes.push_back(this);  // there is room: see make_lane
  listed = true;
  thread_.news.notify_one();
}

separate_lane::outcome separate_lane::run_one() noexcept {
  step* s = nullptr;
  {
    std::lock_guard<std::mutex> lock(steps_mutex_);
    if (steps_.empty() || steps_.front() == nullptr) return outcome::empty;
    s = steps_.front().get();
  }
  for (const lane_position& w : s->waits)
    if (!over(w)) return outcome::blocked;
  const auto& observer = machine_.observer;
  const std::uint64_t position = done_.load(std::memory_order_relaxed) + 1;
  progress_.begin(position);
  const std::uint64_t started = host::nanoseconds_now();
  const bool begun = s->decided == step::fate::begun;
  const bool skipped = s->decided == step::fate::skipped ||
                       (!begun && observer.attention->load(std::memory_order_relaxed) &&
                        !observer.admit(s->context.data()));
  if (!skipped) {
    if (s->graph != nullptr) {
      observer.entering(s->context.data());
      s->graph->run();
    } else {
      try {
        run_on_device(machine_, s->action, begun);
      } catch (...) {
        observer.failed(s->context.data(), std::current_exception());
      }
    }
  }
  const model::argument_block owned = host::owned_by(s->action);
  {
    std::lock_guard<std::mutex> lock(steps_mutex_);
    if (s->timed)
      times_.push_back({position, started, host::nanoseconds_now(), std::move(s->context)});
    steps_.pop_front();
  }
  done_.store(position);
  if (machine_.waiting.load() != 0) {
    std::lock_guard<std::mutex> lock(machine_.mutex);
    machine_.finished.notify_all();
  }
  host::end_function_object_elsewhere(owned);
  return outcome::ran;
}

void separate_lane::look(const executors::progress& /*own*/) noexcept {
  bool any = false;
  {
    std::lock_guard<std::mutex> publishing(publish_mutex_);
    const std::uint64_t done = done_.load(std::memory_order_acquire);
    for (std::uint64_t at = progress_.finished() + 1; at <= done; ++at) {
      std::vector<times> known;
      {
        std::lock_guard<std::mutex> lock(steps_mutex_);
        if (!times_.empty() && times_.front().position == at) {
          known.push_back(std::move(times_.front()));
          times_.pop_front();
        }
      }
      for (const times& t : known) machine_.observer.times(t.context.data(), t.started, t.ended);
      progress_.finish(at);
      machine_.outstanding.fetch_sub(1);
      any = true;
    }
  }
  if (!any) return;
  host::team::instance().work_finished();
  host::team::instance().work_published();
}

void separate_lane::wait(const executors::progress& own, std::uint64_t position) noexcept {
  while (!own.reached(position)) {
    look(own);
    if (own.reached(position)) return;
    // It may wait for work of the team.
    if (host::team::instance().help(host::team::current_thread())) continue;
    std::unique_lock<std::mutex> lock(machine_.mutex);
    machine_.waiting.fetch_add(1);
    machine_.finished.wait_for(lock, std::chrono::microseconds(200),
                               [&] { return done_.load() >= position; });
    machine_.waiting.fetch_sub(1);
  }
}

}  // namespace pianola::simulated
