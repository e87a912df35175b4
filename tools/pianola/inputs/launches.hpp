// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include <pianola/planner/graph_view.hpp>
#include <pianola/planner/simulate/trace.hpp>

namespace pianola::tool {

// Of pianola.launches/1, with a time for each command of this graph. Throws model::user_error (invalid).
[[nodiscard]] planner::measured_launches read_launches(std::string_view text,
                                                       const planner::graph_view&,
                                                       std::string_view source);
[[nodiscard]] planner::measured_launches load_launches(const std::string& path,
                                                       const planner::graph_view&);

// Where recordings have the launches of the graph in this file; empty if there is no such file.
[[nodiscard]] std::string launches_beside(const std::string& graph);

}  // namespace pianola::tool
