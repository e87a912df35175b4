// SPDX-License-Identifier: Apache-2.0
// Parameters of graphs that come from files: values in the arguments of kernels, under names.
#pragma once
#include <vector>

#include <pianola/executable/contents.hpp>
#include <pianola/runtime/executables.hpp>

#include "replay/executable/command_exchange.hpp"
#include "replay/recorded/graph_snapshot.hpp"

namespace pianola::runtime {

// The commands with other values of some of these parameters. Throws user_error: invalid if there is none of that name and
// size, feature_not_supported if a kernel touches something else with a value than the graph was planned for.
[[nodiscard]] std::vector<node_change> changes_of_parameters(
    const graph_snapshot& recorded, const std::vector<executable::named_parameter>& parameters,
    const std::vector<binding>& values);

}  // namespace pianola::runtime
