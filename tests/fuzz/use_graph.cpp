// SPDX-License-Identifier: Apache-2.0
#include "use_graph.hpp"

#include <pianola/planner/check/check.hpp>
#include <pianola/planner/dot.hpp>
#include <pianola/planner/explain/report.hpp>
#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/planner/simulate/report.hpp>
#include <pianola/planner/simulate/trace.hpp>
#include <pianola/planner/text.hpp>
#include <pianola/planner/verify.hpp>

#include "target.hpp"

namespace pianola::testing {

void use_graph(const recorder::command_graph& graph, const model::topology& machine) {
  const planner::graph_view view(graph);
  (void)planner::to_text(view, machine);
  (void)planner::to_dot(view);
  (void)planner::to_text(planner::check(view, graph.usm_accesses(), {true}), view, 10);
  accepts([&] {
    const planner::plan plan = planner::make_plan(view.commands(), view.buffers(), machine);
    promise(!planner::verify(view.commands(), view.buffers(), machine, plan).has_value(),
            "planning made a plan that is not right");
    use_plan(view, plan, machine);
    const planner::explainer why(view, plan, machine, 64, true);
    (void)planner::summary_text(why, 4);
  });
}

void use_plan(const planner::graph_view& graph, const planner::plan& plan,
              const model::topology& machine) {
  const std::string written = planner::to_json(plan, graph);
  promise(planner::to_json(planner::read_plan(written, graph, machine), graph) == written,
          "a plan changes when it is written and read again");
  (void)planner::to_text(graph, plan, machine);
  (void)planner::to_dot(graph, plan, machine);
  if (planner::verify(graph.commands(), graph.buffers(), machine, plan).has_value()) return;
  const planner::simulation s = planner::simulate(graph, plan, machine);
  (void)planner::to_text(s, graph, plan, machine, true, 10);
  (void)planner::to_trace(s, graph, plan, machine);
}

}  // namespace pianola::testing
