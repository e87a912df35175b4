// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pianola/model/topology.hpp>

namespace pianola::runtime {

// The machine that this process plans for, as of now: every device, also one that the program does not see because the host
// needs it, and parts of devices that have been made. First use starts the runtime; see device_count for what it throws.
[[nodiscard]] model::topology topology();

}  // namespace pianola::runtime
