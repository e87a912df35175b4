// SPDX-License-Identifier: Apache-2.0
#include "queues/queue.hpp"

#include <cstdio>
#include <exception>
#include <mutex>
#include <new>
#include <utility>

#include "machine/machine.hpp"
#include "process.hpp"
#include "queues/queue_table.hpp"
#include "support/log.hpp"

namespace pianola::runtime {

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

void queue::add_error(const std::exception_ptr& error) noexcept {
  std::lock_guard<std::mutex> lock(error_mutex_);
  for (const auto& e : errors_)
    if (e == error) return;
  try {
    errors_.push_back(error);
  } catch (const std::bad_alloc&) {
    log_line(log_level::warn,
             "there is no memory left in which an asynchronous error could wait for its handler");
  }
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

std::vector<event> queue::unfinished_tails() const {
  std::vector<event> events;
  for (const lane_tail& t : tails) {
    if (t.lane->reached(t.position)) continue;
    event& e = events.emplace_back();
    e.lane = t.lane;
    e.position = t.position;
    e.step = t.step;
  }
  return events;
}

std::shared_ptr<queue> create_queue(queue_description d) {
  process& rt = process::instance();
  rt.machine.check(d.device);
  std::lock_guard lock(rt.mutex);
  return rt.queues.add(std::move(d));
}

model::device_id device_of(const queue& q) noexcept { return q.description().device; }
bool is_in_order(const queue& q) noexcept { return q.description().in_order; }
std::uint64_t id_of(const queue& q) noexcept { return q.id(); }

void throw_asynchronous(queue& q) { q.deliver_errors(); }

}  // namespace pianola::runtime
