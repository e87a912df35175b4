// SPDX-License-Identifier: Apache-2.0
#include "pianola/runtime/queues.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <utility>

#include <pianola/model/error.hpp>

#include "core.hpp"
#include "eager_recorder.hpp"
#include "memory_desk.hpp"
#include "queue_impl.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

queue::~queue() {
  if (core* c = core::started()) {
    callback_lock lock(c->mutex);
    c->queues.erase(id_);
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
  core& c = core::instance();
  if (d.device.value() >= c.devices.size())
    throw user_error(error_code::invalid, "there is no such device");
  std::lock_guard lock(c.mutex);
  const std::uint64_t id = c.next_queue++;
  auto q = std::make_shared<queue>(id, std::move(d));
  c.queues[id] = q;
  return q;
}

model::device_id device_of(const queue& q) noexcept { return q.description().device; }
bool is_in_order(const queue& q) noexcept { return q.description().in_order; }
std::uint64_t id_of(const queue& q) noexcept { return q.id(); }

void throw_asynchronous(queue& q) { q.deliver_errors(); }

bool is_idle(queue& q) noexcept {
  core* c = core::started();
  if (c == nullptr) return true;
  std::vector<executors::lane_position> ends;
  try {
    std::lock_guard lock(c->mutex);
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
  core& c = core::instance();
  std::lock_guard lock(c.mutex);
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
  core& c = core::instance();
  std::lock_guard lock(c.mutex);
  return q.recording.expired() ? q.last : q.last_recorded_event;
}

void wait(queue& q) {
  core& c = core::instance();
  std::vector<executors::lane_position> ends;
  std::uint32_t seen = 0;  // by the recording; later ones, of other threads, are not waited for
  {
    std::lock_guard lock(c.mutex);
    if (!q.recording.expired())
      throw user_error(error_code::invalid,
                       "the queue records into a graph: end_recording before waiting for it");
    if (c.recording != nullptr) [[unlikely]]
      seen = c.recording->commands();
    ends.reserve(q.tails.size());
    for (const auto& t : q.tails) ends.push_back({t.lane, t.position});
  }
  refuse_own_wait(ends, "a queue");
  c.wait(ends);
  memory_desk::instance().trim();
  std::lock_guard lock(c.mutex);
  if (c.recording != nullptr) [[unlikely]]
    c.recording->host_waited_for_queue(c, q, seen);
  c.retire_finished_steps();
}

}  // namespace pianola::runtime
