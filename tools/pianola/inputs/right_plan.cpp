// SPDX-License-Identifier: Apache-2.0
#include "inputs/right_plan.hpp"

#include <fmt/format.h>

#include <pianola/formats/text.hpp>

#include "outputs/print.hpp"
#include "outputs/stages.hpp"

namespace pianola::tool {

std::optional<planner::violation> violation_of(const planner::graph_view& graph,
                                               const planner::plan& plan,
                                               const model::topology& machine) {
  begin_stage("verifying the plan");
  return planner::verify(graph.commands(), graph.buffers(), machine, plan);
}

std::string text_of(const planner::violation& v) {
  const std::string where =
      v.step.valid() ? fmt::format("step {}", v.step.value()) : std::string("the plan as a whole");
  return fmt::format("{}: {}", where, formats::one_line(v.reason));
}

void print_violation(const planner::violation& v) {
  print(fmt::format("not valid: {}\n", text_of(v)));
}

bool is_right(const planner::graph_view& graph, const planner::plan& plan,
              const model::topology& machine) {
  const auto violation = violation_of(graph, plan, machine);
  if (violation) print_violation(*violation);
  return !violation;
}

}  // namespace pianola::tool
