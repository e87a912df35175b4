// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bench {

// How far apart two cores of a virtual machine are changes while it runs, and with it every figure of code
// that synchronises threads.
enum class core_state : unsigned char { fast, slow, single };

[[nodiscard]] const char* name_of(core_state) noexcept;

// Nanoseconds for a cache line to go to the other core and back, now; negative if there is one core only.
// Takes about a millisecond and leaves the calling thread's affinity alone.
[[nodiscard]] double cache_line_round_trip();

[[nodiscard]] core_state state_for(double round_trip) noexcept;

}  // namespace bench
