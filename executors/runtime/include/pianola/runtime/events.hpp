// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>

#include <pianola/model/array_view.hpp>
#include <pianola/model/ids.hpp>

namespace pianola::executors {
class progress;
}

namespace pianola::runtime {

class graph;
struct event_record;  // profiling times, node of a graph: only where asked for

// When something has finished. A default event has. Copies are cheap and refer to the same thing.
struct event {
  const executors::progress* lane = nullptr;  // null: already finished (or `record` tells)
  std::uint64_t position = 0;                 // finished once the lane has finished that many
  model::step_id step;
  std::shared_ptr<event_record> record;
  std::uint64_t queue = ~std::uint64_t{0};  // of the program's event: its id
};

enum class event_status : unsigned char { submitted, running, complete };

[[nodiscard]] event_status status(const event&) noexcept;
// The event stands for a node of a graph: it has no status and no times.
[[nodiscard]] bool is_recorded(const event&) noexcept;
// Blocks; the waiting thread helps with the work meanwhile. Throws model::user_error (invalid) for an
// event of a recording.
void wait(const event&);

enum class profiling_time : unsigned char { submit, start, end };
// Nanoseconds. Throws model::user_error: invalid if the queue does not profile; waits for the
// command to reach that state.
[[nodiscard]] std::uint64_t profiling(const event&, profiling_time);

}  // namespace pianola::runtime
