// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include <pianola/model/topology.hpp>

namespace pianola::tool {

// Measures the machine of this process, as PIANOLA_DEVICES selects it: links alone and together, devices. Takes about
// `seconds`, and not much more than `at_most` where there are very many of them or the machine is busy. What was not measured
// stays as the backends say; `remarks` gets a line for each such thing.
[[nodiscard]] model::topology measure_machine(double seconds, double at_most,
                                              std::vector<std::string>& remarks);

}  // namespace pianola::tool
