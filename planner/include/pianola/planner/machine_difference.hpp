// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include <pianola/model/topology.hpp>

namespace pianola::planner {

// Why a plan that was made for one machine does not fit another one, as a part of a sentence; nothing if it fits. It
// fits where every memory, device and link of the one is found under the same number: devices by backend, name and
// memory. How fast they are, and what there is besides, makes no difference to whether a plan is right.
[[nodiscard]] std::optional<std::string> machine_difference(const model::topology& made_for,
                                                            const model::topology& here);

}  // namespace pianola::planner
