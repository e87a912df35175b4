// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "pianola/gpu/driver.hpp"

namespace pianola::gpu {

// Whether an event that a graph records is unreached from the call on that launches the graph, as it is when a stream
// records it. Documentation says so in other words only ("each launch of the graph will record the event"); if the event
// still stood for what it was recorded for before until the device comes to the node, who waits for it would be let go
// too early. Tried out: a graph is launched behind work that takes a while. False if the driver cannot tell; `why` is
// what it said, if that was an error.
[[nodiscard]] bool launches_renew_events(driver& d, std::uint32_t device, code& why) noexcept;

}  // namespace pianola::gpu
