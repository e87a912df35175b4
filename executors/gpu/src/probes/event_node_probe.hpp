// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "pianola/gpu/driver.hpp"

namespace pianola::gpu {

// Whether nodes of graphs do with events what streams do when the graph is launched.
// A record: the event is unreached from the call on that launches the graph. If it still stood for what it was recorded
// for before until the device comes to the node, who waits for it would be let go too early.
// A wait: it is for what was recorded before the launch. If it were for what is recorded when the device comes to the
// node, it would wait for a later launch, perhaps for one that waits for this one.
// Documentation says so in other words only ("each launch of the graph will record the event"), so it is tried out, with
// graphs behind work that takes a while. False if the driver cannot tell; `why` is what it said, if that was an error.
[[nodiscard]] bool event_nodes_keep_to_launches(driver& d, std::uint32_t device,
                                                code& why) noexcept;

}  // namespace pianola::gpu
