// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include <pianola/model/ids.hpp>

#include "events.hpp"
#include "submission.hpp"

namespace pianola::runtime {

class queue;

struct queue_description {
  model::device_id device;
  bool in_order = false;
  bool profiling = false;
  // Called from throw_asynchronous and at the queue's end; empty: errors are written to standard
  // error and the program is ended, as SYCL 2020 (4.13.1.2) asks for.
  std::function<void(std::vector<std::exception_ptr>)> on_errors;
};

[[nodiscard]] std::shared_ptr<queue> create_queue(queue_description);
[[nodiscard]] model::device_id device_of(const queue&) noexcept;
[[nodiscard]] bool is_in_order(const queue&) noexcept;
[[nodiscard]] std::uint64_t id_of(const queue&) noexcept;

// Hands the command group to the planner and its steps to the executors (or to the graph that
// records this queue). Returns at once. Thread-safe. Throws model::user_error (dead buffer, box out
// of range, accessor that is not required, work-group too large, allocation failure ...): then
// nothing was submitted; but where it is several commands and an executor refuses a later one, as when a device is lost
// in between, those before it were.
event submit(queue&, submission&);

// Blocks until everything submitted to the queue has finished; the thread helps meanwhile.
void wait(queue&);
[[nodiscard]] bool is_idle(queue&) noexcept;
// Events such that everything submitted to the queue has finished when they have. Of an in-order queue at
// most one. Throws model::user_error (invalid) while the queue records into a graph.
[[nodiscard]] std::vector<event> unfinished(queue&);
// Of the last command of an in-order queue, recorded or submitted; one that has finished if there is none.
[[nodiscard]] event last_event(queue&);
// Hands errors of the queue's commands, if any, to its handler.
void throw_asynchronous(queue&);

}  // namespace pianola::runtime
