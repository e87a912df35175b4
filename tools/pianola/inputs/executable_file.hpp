// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include <pianola/model/topology.hpp>
#include <pianola/planner/plan.hpp>
#include <pianola/planner/verify.hpp>
#include <pianola/recorder/command_graph.hpp>

namespace pianola::tool {

// What a file of format pianola.executable/4 holds, as graphs and plans are shown and verified.
struct executable_file {
  recorder::command_graph graph;
  model::topology topology;
  planner::plan plan;
  std::string summary;  // what is neither of a graph nor of a plan, in lines
  // That commands of it run, in their order; and why one may not, where the plans are right.
  std::vector<executable_file> bodies;
  std::optional<planner::violation> wrong_control;
};

// Nothing if the file begins as none of this format does. Throws model::user_error (invalid) if it is not sound.
[[nodiscard]] std::optional<executable_file> open_executable(const std::string& path);

}  // namespace pianola::tool
