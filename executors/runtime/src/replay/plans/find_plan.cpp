// SPDX-License-Identifier: Apache-2.0
#include "replay/plans/find_plan.hpp"

#include <utility>

#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/placement.hpp>
#include <pianola/recorder/command_graph.hpp>

#include "commands/candidates.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "support/plan_log.hpp"

namespace pianola::runtime {

namespace {

using splitting = graph_placing::splitting;

planner::objective objective_of(const graph_placing& placing) {
  switch (placing.objective) {
    case graph_placing::goal::bytes:
      return planner::objective::bytes;
    case graph_placing::goal::memory:
      return planner::objective::memory;
    case graph_placing::goal::makespan:
      break;
  }
  return planner::objective::makespan;
}

stored_plans* plans_for(const planning_request& wanted) {
  return wanted.plans != nullptr ? wanted.plans.get() : stored_plans::from_environment();
}

std::optional<planner::plan> find_stored(const graph_snapshot& of, const planning_request& wanted,
                                         stored_plans::warn_of warn) {
  stored_plans* const stored = plans_for(wanted);
  return stored == nullptr ? std::nullopt : stored->find(of, warn);
}

planner::chosen_placement placed(const graph_snapshot& recorded, const model::topology& topology,
                                 const planner::options& options) {
  return planner::choose_placement(recorded.commands, recorded.buffers, topology, options);
}

}  // namespace

placing_choices find_choices(const process& rt, graph_snapshot& recorded,
                             const graph_placing& placing) {
  placing_choices choices;
  if (!placing.anywhere) return choices;
  choices.candidates.reserve(recorded.commands.size());
  for (model::command& c : recorded.commands) {
    choices.asked.push_back(c.device);
    c.candidates = choices.candidates.emplace_back(candidates_of(rt.machine, c, placing.devices));
  }
  recorded.hash = recorder::structural_hash(recorded.commands, recorded.buffers);
  return choices;
}

found_plan find_plan(process& rt, const graph_snapshot& recorded, const planning_request& wanted,
                     bool is_update, std::function<std::string(model::buffer_id)> name_of) {
  const model::topology topology = rt.whole_topology();
  const graph_placing& placing = wanted.placing;
  using warn_of = stored_plans::warn_of;
  const warn_of of_budgets = is_update ? warn_of::nothing : warn_of::budgets;
  found_plan found;
  if (placing.anywhere && placing.parts != splitting::never)
    found.parts = split_kernels_of(recorded, rt.machine, topology);
  if (found.parts) {
    if (auto stored = find_stored(found.parts->parts, wanted, of_budgets)) {
      found.plan = *std::move(stored);
      found.stored = true;
      return found;
    }
  }
  if (stored_plans* const stored = plans_for(wanted);
      stored != nullptr && placing.anywhere && placing.parts != splitting::never)
    if (auto cut = stored->find_in_parts(recorded, of_budgets))
      return {std::move(cut->plan), true, std::move(cut->parts)};
  if (auto stored =
          find_stored(recorded, wanted, is_update ? warn_of::nothing : warn_of::everything))
    return {*std::move(stored), true, std::nullopt};

  planner::options options = planning_options();
  options.memory_budget = recorded.memory_budget;
  options.buffer_name = std::move(name_of);
  planner::chosen_placement chosen;
  if (placing.anywhere) {
    options.place = planner::placing::anywhere;
    options.objective = objective_of(placing);
    // What a placement comes to tells which graph is the better one: only that is planned.
    chosen = placed(found.parts ? found.parts->parts : recorded, topology, options);
    if (found.parts && placing.parts == splitting::where_it_pays) {
      planner::chosen_placement whole = placed(recorded, topology, options);
      if (!planner::better(options.objective, chosen.figures, whole.figures)) {
        chosen = std::move(whole);
        found.parts.reset();
      }
    }
    options.chosen = &chosen;
  }
  const graph_snapshot& planned = found.parts ? found.parts->parts : recorded;
  found.plan = planner::make_plan(planned.commands, planned.buffers, topology, options);
  return found;
}

}  // namespace pianola::runtime
