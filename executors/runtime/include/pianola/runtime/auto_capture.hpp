// SPDX-License-Identifier: Apache-2.0
// Queues that find out by themselves what they are given again and again, and replay it.
#pragma once
#include <cstdint>

#include "events.hpp"
#include "queues.hpp"

namespace pianola::runtime {

// Whether queues that are made from now on capture, if nothing else is said of them. At first as PIANOLA_AUTOCAPTURE says.
// Throws model::user_error (platform) if that makes no sense.
[[nodiscard]] bool is_auto_capture_default();
void set_auto_capture_default(bool on) noexcept;

// Of one queue. What it holds back is submitted before it ceases.
void set_auto_capture(queue&, bool on);
// Whatever the queue holds back is submitted: the program cannot submit to it any more.
void end_auto_capture(queue&) noexcept;
// The command of this event is not submitted yet.
[[nodiscard]] bool is_held_back(const event&) noexcept;

// Counted over the process since the last reset.
struct auto_capture_statistics {
  std::uint64_t sequences = 0;          // that were captured
  std::uint64_t replays = 0;            // of them
  std::uint64_t replayed_commands = 0;  // submitted by the program, and run as a part of a replay
  std::uint64_t flushes = 0;  // times that what was held back had to be submitted by itself
  std::uint64_t flushed_commands = 0;  // submitted by themselves after they were held back
  std::uint64_t changed_commands = 0;  // exchanged in a captured graph, as they had other values
};
[[nodiscard]] auto_capture_statistics get_auto_capture_statistics() noexcept;
void reset_auto_capture_statistics() noexcept;

}  // namespace pianola::runtime
