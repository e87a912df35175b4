// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include <pianola/model/topology.hpp>

namespace pianola::tool {

// Measures the machine of this process, as PIANOLA_DEVICES selects it: links alone and together, devices. Takes about
// `seconds` in all. What could not be measured stays as the backends say; `remarks` gets a line for each such thing.
[[nodiscard]] model::topology measure_machine(double seconds, std::vector<std::string>& remarks);

}  // namespace pianola::tool
