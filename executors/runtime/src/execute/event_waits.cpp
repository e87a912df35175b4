// SPDX-License-Identifier: Apache-2.0
#include "pianola/runtime/events.hpp"

#include <pianola/host/clock.hpp>
#include <pianola/host/team.hpp>
#include <pianola/model/error.hpp>

#include "execute/memory_pools.hpp"
#include "execute/own_waits.hpp"
#include "execute/waiting.hpp"
#include "process.hpp"
#include "queues/capturing.hpp"
#include "queues/event_record.hpp"
#include "queues/split_recording.hpp"
#include "recording/eager_recorder.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

bool was_held_back(const event& e) noexcept {
  return e.record != nullptr && e.record->held != nullptr;
}

bool is_recorded(const event& e) noexcept {
  return e.record != nullptr && e.record->node.valid() &&
         (e.record->over == nullptr || !e.record->over->load(std::memory_order_acquire));
}

capturing& capturing::of_held_back() {
  process::instance();  // throws in a forked process
  return *active();
}

event_status status(const event& e) noexcept {
  if (was_held_back(e)) [[unlikely]] {
    capturing* const c = capturing::active();
    return c == nullptr ? event_status::submitted : status(c->settled(e));
  }
  if (e.lane == nullptr || e.lane->reached(e.position)) {
    note_host_wait(e.step, "host sees event");
    return event_status::complete;
  }
  if (executors::progress_source* source = e.lane->source()) {
    source->look(*e.lane);
    if (e.lane->reached(e.position)) {
      note_host_wait(e.step, "host sees event");
      return event_status::complete;
    }
  }
  return e.lane->begun() >= e.position ? event_status::running : event_status::submitted;
}

void wait(const event& e) {
  if (is_recorded(e)) {
    if (const auto recording = e.record->cut_by_waits.lock()) recording->cut();
    if (!is_recorded(e)) return;
    throw user_error(error_code::invalid,
                     "the event stands for a node of a graph, which runs only when the graph is "
                     "submitted; wait for the graph's own event, or have such waits cut the "
                     "recording (ext::pianola::property::graph::split_at_waits)");
  }
  if (was_held_back(e)) [[unlikely]] {
    capturing::of_held_back().host_waits_for(e);
    return wait(capturing::of_held_back().settled(e));
  }
  if (capturing* const c = capturing::active()) c->host_waits_for(e);
  if (e.lane == nullptr || e.lane->reached(e.position)) {
    note_host_wait(e.step, "host waits for event");
    return;
  }
  process& rt =
      process::instance();  // throws in a forked process, where nobody would finish the step
  const executors::lane_position end{e.lane, e.position};
  refuse_own_wait({&end, 1}, "an event");
  wait_until_reached(rt, {&end, 1});
  note_host_wait(e.step, "host waits for event");
  memory_pools::instance().trim();
}

std::uint64_t profiling(const event& e, profiling_time what) {
  if (was_held_back(e)) [[unlikely]]
    return capturing::of_held_back().time_of(e, what);
  if (is_recorded(e))
    throw user_error(error_code::invalid,
                     "the event stands for a node of a graph, which has no times of its own; ask "
                     "the event of the graph's submission");
  if (e.record == nullptr || !e.record->timed)
    throw user_error(error_code::invalid,
                     "the event has no profiling information: construct the queue with "
                     "property::queue::enable_profiling");
  if (what == profiling_time::submit) return e.record->submitted.load(std::memory_order_relaxed);
  if (what == profiling_time::start) {
    // Devices with a driver of their own tell their times when a step has finished.
    if (e.lane->source() != nullptr) wait(e);
    while (e.record->started.load(std::memory_order_acquire) == 0 &&
           status(e) != event_status::complete)
      if (!host::team::instance().help(host::team::current_thread())) host::pause();
    return e.record->started.load(std::memory_order_acquire);
  }
  wait(e);
  return e.record->ended.load(std::memory_order_acquire);
}

}  // namespace pianola::runtime
