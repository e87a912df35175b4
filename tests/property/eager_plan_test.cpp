// SPDX-License-Identifier: Apache-2.0
// Random streams, planned one command at a time against a live state.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/verify.hpp>
#include <pianola/test/random_scenario.hpp>

namespace {

using namespace pianola;

const model::memory_set held_by_host(model::host_memory);

model::memory_set every_memory(const model::topology& t) {
  return model::memory_set::first(t.memories.size());
}

planner::planning_state live_state(const test::scenario& s) {
  planner::planning_state state;
  for (std::size_t b = 0; b < s.buffers.size(); ++b)
    state.add_buffer(s.buffers[b], s.initialised[b] ? held_by_host : model::memory_set());
  return state;
}

// Plans the commands one at a time; the windows' plans one after the other.
struct eager_plan {
  planner::plan all;
  std::vector<std::uint64_t> step_of;  // index: command
  model::lane_id host_lane;
};

void plan_next(const test::scenario& s, std::size_t c, planner::planning_state& state,
               const planner::options& options, eager_plan& into) {
  model::command command = s.commands[c];
  std::vector<std::uint64_t> after;
  for (const std::uint64_t a : command.after) after.push_back(into.step_of[a]);
  command.after = after;
  if (std::holds_alternative<model::host_access_command>(command.payload)) {
    if (!into.host_lane.valid()) into.host_lane = state.add_private_lane(command.device);
    command.lane = into.host_lane;
  }
  planner::plan window;
  planner::plan_window({&command, 1}, state, s.machine, options, false, window);
  RC_ASSERT(window.first_step == into.all.first_step + into.all.steps.size());
  RC_ASSERT(!window.steps.empty());
  RC_ASSERT(std::holds_alternative<planner::execute_step>(window.steps.back().action));
  into.step_of.push_back(window.first_step + window.steps.size() - 1);
  test::append(into.all, window, static_cast<std::uint32_t>(c));
  RC_ASSERT(state.next_step().value() == into.all.first_step + into.all.steps.size());
}

// What verify is to be told about the start and the end of an eager run.
void describe_ends(const test::scenario& s, const planner::planning_state& state,
                   planner::plan& all) {
  for (std::uint32_t b = 0; b < s.buffers.size(); ++b) {
    const model::buffer_id id(b);
    const model::box whole = model::box::of(s.buffers[b].grid.range());
    all.contract.push_back({id, whole, s.initialised[b] ? held_by_host : every_memory(s.machine)});
    state.for_each_validity(id, whole, [&](const model::box& e, const model::memory_set& m) {
      if (!m.empty()) all.exit.push_back({id, e, m});
    });
    all.accesses.push_back({id, whole, true});
  }
}

void check_contents(const test::scenario& s, const planner::planning_state& state,
                    const test::distributed_machine& distributed,
                    const test::sequential_machine& sequential) {
  for (std::uint32_t b = 0; b < s.buffers.size(); ++b) {
    const model::extent3& range = s.buffers[b].grid.range();
    state.for_each_validity(model::buffer_id(b), model::box::of(range),
                            [&](const model::box& where, const model::memory_set& mask) {
                              for (std::size_t m = 0; m < s.machine.memories.size(); ++m) {
                                if (!mask.contains(model::memory_id(static_cast<std::uint16_t>(m))))
                                  continue;
                                test::for_each_element(range, where, [&](std::size_t i) {
                                  RC_ASSERT(distributed.buffer(m, b)[i] == sequential.buffer(b)[i]);
                                });
                              }
                            });
  }
}

RC_GTEST_PROP(EagerPlans, pass_verify_and_compute_what_a_sequential_machine_computes_in_any_order,
              (const test::sketch& sketch, std::uint64_t seed, bool prune)) {
  const test::scenario s = test::build(sketch);
  planner::planning_state state = live_state(s);
  planner::options options;
  options.prune = prune;
  eager_plan plan;
  for (std::size_t c = 0; c < s.commands.size(); ++c) plan_next(s, c, state, options, plan);
  describe_ends(s, state, plan.all);
  const auto violation = planner::verify(s.commands.all(), s.buffers, s.machine, plan.all);
  if (violation) RC_FAIL(violation->reason);

  test::sequential_machine sequential(s);
  for (std::size_t c = 0; c < s.commands.size(); ++c) sequential.run(s.commands[c], c);
  test::distributed_machine distributed(s);
  test::in_random_order(plan.all, seed, [&](std::size_t i) {
    if (const auto* e = std::get_if<planner::execute_step>(&plan.all.steps[i].action))
      distributed.execute(s.commands[e->command.value()], e->command.value(), e->device);
    else
      distributed.transfer(std::get<planner::transfer_step>(plan.all.steps[i].action));
  });
  check_contents(s, state, distributed, sequential);
}

RC_GTEST_PROP(EagerPlans, run_to_the_end_beside_an_access_by_the_host_that_does_not_need_to_end,
              (const test::sketch& sketch)) {
  const test::scenario s = test::build(sketch);
  planner::planning_state state = live_state(s);
  eager_plan plan;
  for (std::size_t c = 0; c < s.commands.size(); ++c) plan_next(s, c, state, {}, plan);
  // Stuck is what comes after an access by waits or in its lane.
  std::vector<bool> is_stuck(plan.all.steps.size(), false);
  std::vector<bool> stuck_lanes(state.lane_count(), false);
  for (std::size_t i = 0; i < plan.all.steps.size(); ++i) {
    const planner::step& step = plan.all.steps[i];
    const auto* e = std::get_if<planner::execute_step>(&step.action);
    if (e != nullptr && std::holds_alternative<model::host_access_command>(
                            s.commands[e->command.value()].payload)) {
      is_stuck[i] = true;
      continue;
    }
    if (stuck_lanes[step.lane.value()]) is_stuck[i] = true;
    for (const model::step_id w : plan.all.waits_of(step))
      is_stuck[i] = is_stuck[i] || is_stuck[w.value()];
    if (is_stuck[i]) stuck_lanes[step.lane.value()] = true;
  }
  // Only those may be that depend on an access, which is to be seen without pruning.
  planner::planning_state again = live_state(s);
  planner::options all_edges;
  all_edges.prune = false;
  eager_plan full;
  for (std::size_t c = 0; c < s.commands.size(); ++c) plan_next(s, c, again, all_edges, full);
  std::vector<bool> after_access(full.all.steps.size(), false);
  for (std::size_t i = 0; i < full.all.steps.size(); ++i) {
    const auto* e = std::get_if<planner::execute_step>(&full.all.steps[i].action);
    after_access[i] = e != nullptr && std::holds_alternative<model::host_access_command>(
                                          s.commands[e->command.value()].payload);
    for (const model::step_id w : full.all.waits_of(full.all.steps[i]))
      after_access[i] = after_access[i] || after_access[w.value()];
  }
  for (std::size_t i = 0; i < is_stuck.size(); ++i)
    if (is_stuck[i]) RC_ASSERT(after_access[i]);
}

RC_GTEST_PROP(EagerPlans, stay_right_while_finished_steps_are_retired,
              (const test::sketch& sketch, std::uint64_t seed, const std::vector<bool>& retire)) {
  const test::scenario s = test::build(sketch);
  planner::planning_state state = live_state(s);
  test::sequential_machine sequential(s);
  test::distributed_machine distributed(s);
  eager_plan plan;
  auto run_all = [&] {
    test::in_random_order(plan.all, seed++, [&](std::size_t i) {
      if (const auto* e = std::get_if<planner::execute_step>(&plan.all.steps[i].action))
        distributed.execute(s.commands[e->command.value()], e->command.value(), e->device);
      else
        distributed.transfer(std::get<planner::transfer_step>(plan.all.steps[i].action));
    });
    plan.all.clear();
    plan.all.first_step = state.next_step().value();
  };
  for (std::size_t c = 0; c < s.commands.size(); ++c) {
    sequential.run(s.commands[c], c);
    plan_next(s, c, state, {}, plan);
    if (c < retire.size() && retire[c]) {
      run_all();
      state.retire_below(state.next_step());
    }
  }
  run_all();
  check_contents(s, state, distributed, sequential);
}

RC_GTEST_PROP(EagerPlans, are_the_same_in_windows_of_many_commands,
              (const test::sketch& sketch, std::uint64_t seed, std::uint8_t split)) {
  const test::scenario s = test::build(sketch);
  planner::planning_state state = live_state(s);
  // Windows count from their own start.
  const std::size_t half = s.commands.size() == 0 ? 0 : split % s.commands.size();
  eager_plan plan;
  for (std::size_t c = 0; c < half; ++c) plan_next(s, c, state, {}, plan);
  std::vector<model::command> rest(s.commands.all().begin() + static_cast<std::ptrdiff_t>(half),
                                   s.commands.all().end());
  std::vector<std::vector<std::uint64_t>> after(rest.size());
  for (std::size_t i = 0; i < rest.size(); ++i) {
    for (const std::uint64_t a : rest[i].after)
      if (a >= half) after[i].push_back(a - half);
    rest[i].after = after[i];
  }
  planner::plan window;
  planner::plan_window(rest, state, s.machine, {}, true, window);
  test::append(plan.all, window, static_cast<std::uint32_t>(half));
  describe_ends(s, state, plan.all);
  test::scenario checked = s;
  for (std::size_t i = 0; i < rest.size(); ++i) checked.commands.all()[half + i].after = {};
  const auto violation = planner::verify(checked.commands.all(), s.buffers, s.machine, plan.all);
  if (violation) RC_FAIL(violation->reason);

  test::sequential_machine sequential(s);
  for (std::size_t c = 0; c < s.commands.size(); ++c) sequential.run(s.commands[c], c);
  test::distributed_machine distributed(s);
  test::in_random_order(plan.all, seed, [&](std::size_t i) {
    if (const auto* e = std::get_if<planner::execute_step>(&plan.all.steps[i].action))
      distributed.execute(s.commands[e->command.value()], e->command.value(), e->device);
    else
      distributed.transfer(std::get<planner::transfer_step>(plan.all.steps[i].action));
  });
  check_contents(s, state, distributed, sequential);
}

// Which elements move between which memories, window by window.
using moved = std::vector<std::array<std::uint64_t, 4>>;

moved moved_by(const test::scenario& s, const planner::plan& p, std::size_t& transfers) {
  moved result;
  for (const planner::step& step : p.steps)
    if (const auto* t = std::get_if<planner::transfer_step>(&step.action)) {
      ++transfers;
      test::for_each_element(
          s.buffers[t->buffer.value()].grid.range(), t->elements, [&](std::size_t i) {
            result.push_back({t->buffer.value(), t->from.value(), t->to.value(), i});
          });
    }
  std::sort(result.begin(), result.end());
  return result;
}

RC_GTEST_PROP(EagerPlans, coalesce_into_fewer_transfers_of_the_same_elements,
              (const test::sketch& sketch)) {
  const test::scenario s = test::build(sketch);
  planner::planning_state with = live_state(s), without = live_state(s);
  planner::options naive;
  naive.coalesce = false;
  for (const model::command& recorded : s.commands.all()) {
    model::command command = recorded;
    command.after = {};
    planner::plan few, many;
    planner::plan_window({&command, 1}, with, s.machine, {}, false, few);
    planner::plan_window({&command, 1}, without, s.machine, naive, false, many);
    std::size_t count_few = 0, count_many = 0;
    const moved a = moved_by(s, few, count_few), b = moved_by(s, many, count_many);
    RC_ASSERT(std::adjacent_find(a.begin(), a.end()) == a.end());
    RC_ASSERT(a == b);
    RC_ASSERT(count_few <= count_many);
  }
}

}  // namespace
