// SPDX-License-Identifier: Apache-2.0
// What has finished of a queue's commands.
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include <pianola/model/error.hpp>
#include <pianola/runtime/queues.hpp>

#include "execute/dispatcher.hpp"
#include "execute/memory_pools.hpp"
#include "execute/own_waits.hpp"
#include "execute/waiting.hpp"
#include "process.hpp"
#include "queues/capturing.hpp"
#include "queues/queue.hpp"
#include "queues/split_recording.hpp"
#include "recording/eager_recorder.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

bool is_idle(queue& q) noexcept {
  process* rt = process::started();
  if (rt == nullptr) return true;
  std::vector<executors::lane_position> ends;
  try {
    if (capturing* const c = capturing::active()) c->host_waits_for(q);
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
  if (capturing* const c = capturing::active()) c->host_waits_for(q);
  std::lock_guard lock(rt.mutex);
  if (!q.recording.expired())
    throw user_error(
        error_code::invalid,
        "the queue records into a graph, whose nodes have no state: end_recording before asking "
        "what is unfinished");
  if (q.description().in_order) {
    std::vector<event> events;
    if (q.last.lane != nullptr && !q.last.lane->reached(q.last.position)) events.push_back(q.last);
    return events;
  }
  return q.unfinished_tails();
}

event last_event(queue& q) {
  process& rt = process::instance();
  if (capturing* const c = capturing::active()) c->host_waits_for(q);
  std::lock_guard lock(rt.mutex);
  return q.recording.expired() ? q.last : q.last_recorded_event;
}

void wait(queue& q) {
  process& rt = process::instance();
  std::vector<executors::lane_position> ends;
  std::uint64_t seen = 0;  // by the recording; later ones, of other threads, are not waited for
  if (capturing* const c = capturing::active()) c->host_waits_for(q);
  // May be the last that holds it: goes without the lock.
  std::shared_ptr<split_recording> recording;
  {
    std::unique_lock lock(rt.mutex);
    if (!q.recording.expired()) {
      recording = q.cut_by_waits.lock();
      if (recording == nullptr)
        throw user_error(error_code::invalid,
                         "the queue records into a graph: end_recording before waiting for it, or "
                         "have waits cut the recording "
                         "(ext::pianola::property::graph::split_at_waits)");
      lock.unlock();
      recording->cut();
      lock.lock();
    }
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
    rt.recording->host_waited_for_queue(q, seen);
  rt.dispatcher.retire_finished_steps();
}

}  // namespace pianola::runtime
