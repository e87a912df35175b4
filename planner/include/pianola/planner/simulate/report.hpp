// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>

#include "simulate.hpp"

namespace pianola::planner {

// For people to read on a terminal, like planner::to_text. `timeline`: also when each step runs, in the order of starts.
[[nodiscard]] std::string to_text(const simulation&, const graph_view&, const plan&,
                                  const model::topology&, bool timeline, std::size_t maximum = 400);

// For programs: pianola.simulation/1 (docs/simulation.md).
[[nodiscard]] std::string to_json(const simulation&, const plan&, const model::topology&);

}  // namespace pianola::planner
