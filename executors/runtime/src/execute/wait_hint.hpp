// SPDX-License-Identifier: Apache-2.0
// What a thread is told that waits for the end of a host accessor which it holds itself.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <pianola/executors/resolved_step.hpp>
#include <pianola/model/array_view.hpp>
#include <pianola/model/ids.hpp>

namespace pianola::runtime {

class process;

// PIANOLA_WAIT_HINT in nanoseconds; nothing if no hints are wanted. Throws model::user_error (platform).
[[nodiscard]] std::optional<std::uint64_t> wait_hint_from_environment();

// A line for the calling thread, which waits for `what`; empty if nothing that it could wait for needs an access
// of its own to end. `mine`: the lane of the access that it waits for, if that is what it does. Takes the lock.
[[nodiscard]] std::string wait_hint(process&, std::string_view what, model::lane_id mine);

// Waits as wait_until_reached does, for `rt.hint_after` at most if a hint is due then, which it gives; returns early
// otherwise. Takes the lock.
void wait_for_hint(process& rt, model::array_view<const executors::lane_position>,
                   std::string_view what, model::lane_id mine);

}  // namespace pianola::runtime
