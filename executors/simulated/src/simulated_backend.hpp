// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <pianola/executors/backend.hpp>

#include "device_memory.hpp"

namespace pianola::simulated {

// The devices run on the process-wide team and take part in its graphs.
[[nodiscard]] executors::backend* make_backend_on_the_team(
    std::vector<model::device_properties> devices, device_memory& memory,
    const executors::step_observer& observer);

// The devices have threads of their own, and are waited for as devices with a driver are: how far they have
// come is seen by who asks.
[[nodiscard]] executors::backend* make_separate_backend(
    std::vector<model::device_properties> devices, device_memory& memory,
    const executors::step_observer& observer);

}  // namespace pianola::simulated
