// SPDX-License-Identifier: Apache-2.0
#include "pianola/runtime/queues.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <utility>

#include <pianola/model/error.hpp>

#include "execute/dispatcher.hpp"
#include "execute/memory_pools.hpp"
#include "execute/own_waits.hpp"
#include "execute/waiting.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "queues/queue.hpp"
#include "queues/queue_table.hpp"
#include "recording/eager_recorder.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

queue::~queue() {
  if (process* rt = process::started()) {
    callback_lock lock(rt->mutex);
    rt->queues.remove(id_);
  }
  try {
    deliver_errors();
  } catch (...) {
    // The handler of a queue that ends has nobody to throw to.
  }
}

void queue::add_error(const std::exception_ptr& error) {
  std::lock_guard<std::mutex> lock(error_mutex_);
  for (const auto& e : errors_)
    if (e == error) return;
  errors_.push_back(error);
}

std::vector<std::exception_ptr> queue::take_errors() {
  std::lock_guard<std::mutex> lock(error_mutex_);
  return std::move(errors_);
}

void queue::deliver_errors() {
  std::vector<std::exception_ptr> errors = take_errors();
  if (errors.empty()) return;
  if (description_.on_errors) {
    description_.on_errors(std::move(errors));
    return;
  }
  for (const auto& e : errors) {
    try {
      std::rethrow_exception(e);
    } catch (const std::exception& x) {
      std::fprintf(stderr, "pianola: unhandled asynchronous error: %s\n", x.what());
    } catch (...) {
      std::fprintf(stderr, "pianola: unhandled asynchronous error of unknown type\n");
    }
  }
  std::fprintf(stderr, "pianola: give the queue an async_handler to deal with such errors\n");
  std::terminate();
}

std::shared_ptr<queue> create_queue(queue_description d) {
  process& rt = process::instance();
  if (d.device.value() >= rt.machine.device_count())
    throw user_error(error_code::invalid, "there is no such device");
  std::lock_guard lock(rt.mutex);
  return rt.queues.add(std::move(d));
}

model::device_id device_of(const queue& q) noexcept { return q.description().device; }
bool is_in_order(const queue& q) noexcept { return q.description().in_order; }
std::uint64_t id_of(const queue& q) noexcept { return q.id(); }

void throw_asynchronous(queue& q) { q.deliver_errors(); }

bool is_idle(queue& q) noexcept {
  process* rt = process::started();
  if (rt == nullptr) return true;
  std::vector<executors::lane_position> ends;
  try {
    std::lock_guard lock(rt->mutex);
    for (const auto& t : q.tails)
      if (!t.lane->reached(t.position)) ends.push_back({t.lane, t.position});
  } catch (const std::bad_alloc&) {
    return false;
  }
  for (const auto& e : ends) {
    executors::progress_source* source = e.lane->source();
    if (source == nullptr) return false;
    source->look(*e.lane);
    if (!e.lane->reached(e.position)) return false;
  }
  return true;
}

std::vector<event> unfinished(queue& q) {
  process& rt = process::instance();
  std::lock_guard lock(rt.mutex);
  if (!q.recording.expired())
    throw user_error(
        error_code::invalid,
        "the queue records into a graph, whose nodes have no state: end_recording before asking "
        "what is unfinished");
  std::vector<event> events;
  if (q.description().in_order) {
    if (q.last.lane != nullptr && !q.last.lane->reached(q.last.position)) events.push_back(q.last);
    return events;
  }
  for (const auto& t : q.tails) {
    if (t.lane->reached(t.position)) continue;
    event e;
    e.lane = t.lane;
    e.position = t.position;
    e.step = t.step;
    events.push_back(std::move(e));
  }
  return events;
}

event last_event(queue& q) {
  process& rt = process::instance();
  std::lock_guard lock(rt.mutex);
  return q.recording.expired() ? q.last : q.last_recorded_event;
}

void wait(queue& q) {
  process& rt = process::instance();
  std::vector<executors::lane_position> ends;
  std::uint32_t seen = 0;  // by the recording; later ones, of other threads, are not waited for
  {
    std::lock_guard lock(rt.mutex);
    if (!q.recording.expired())
      throw user_error(error_code::invalid,
                       "the queue records into a graph: end_recording before waiting for it");
    if (rt.recording != nullptr) [[unlikely]]
      seen = rt.recording->commands();
    ends.reserve(q.tails.size());
    for (const auto& t : q.tails) ends.push_back({t.lane, t.position});
  }
  refuse_own_wait(ends, "a queue");
  wait_until_reached(rt, ends);
  memory_pools::instance().trim();
  std::lock_guard lock(rt.mutex);
  if (rt.recording != nullptr) [[unlikely]]
    rt.recording->host_waited_for_queue(rt, q, seen);
  rt.dispatcher.retire_finished_steps();
}

}  // namespace pianola::runtime
