// SPDX-License-Identifier: Apache-2.0
// Random streams, planned as recorded graphs and replayed among eager commands.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/verify.hpp>
#include <pianola/test/random_scenario.hpp>

namespace {

using namespace pianola;

RC_GTEST_PROP(RecordedPlans, pass_verify, (const test::sketch& sketch, bool coalesce, bool prune)) {
  const test::scenario s = test::build(sketch);
  planner::options options;
  options.coalesce = coalesce;
  options.prune = prune;
  options.single_lane = sketch.shape % 7 == 0;
  const planner::plan p = planner::make_plan(s.commands.all(), s.buffers, s.machine, options);
  const auto violation = planner::verify(s.commands.all(), s.buffers, s.machine, p);
  if (violation) RC_FAIL(violation->reason);
}

RC_GTEST_PROP(RecordedPlans, are_the_same_every_time, (const test::sketch& sketch)) {
  const test::scenario s = test::build(sketch), copy = test::build(sketch);
  const planner::plan a = planner::make_plan(s.commands.all(), s.buffers, s.machine);
  const planner::plan b = planner::make_plan(copy.commands.all(), copy.buffers, copy.machine);
  RC_ASSERT(a.steps.size() == b.steps.size());
  RC_ASSERT(a.waits == b.waits);
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    RC_ASSERT(a.steps[i].lane == b.steps[i].lane);
    RC_ASSERT(a.steps[i].wait_count == b.steps[i].wait_count);
    RC_ASSERT(a.steps[i].action.index() == b.steps[i].action.index());
    if (const auto* t = std::get_if<planner::transfer_step>(&a.steps[i].action)) {
      const auto& u = std::get<planner::transfer_step>(b.steps[i].action);
      RC_ASSERT(t->buffer == u.buffer && t->from == u.from && t->to == u.to &&
                t->elements == u.elements);
    }
  }
}

RC_GTEST_PROP(RecordedPlans, begin_where_they_are_told_to, (const test::sketch& sketch)) {
  const test::scenario s = test::build(sketch);
  const auto from = [&s](const std::vector<planner::validity_entry>& entry) {
    planner::options options;
    options.entry = &entry;
    const planner::plan p = planner::make_plan(s.commands.all(), s.buffers, s.machine, options);
    const auto violation = planner::verify(s.commands.all(), s.buffers, s.machine, p);
    if (violation) RC_FAIL(violation->reason);
    return p;
  };
  std::vector<planner::validity_entry> host;
  for (std::uint32_t b = 0; b < s.buffers.size(); ++b)
    host.push_back({model::buffer_id(b), model::box::of(s.buffers[b].grid.range()),
                    model::memory_set(model::host_memory)});
  for (const planner::validity_entry& e : from(host).contract)
    RC_ASSERT(e.memories == model::memory_set(model::host_memory));
  // Where it would begin by itself, it moves and needs the same. Boxes may be cut at other places.
  const auto moved = [](const planner::plan& p) {
    std::map<std::tuple<model::buffer_id, model::memory_id, model::memory_id>, std::uint64_t> sum;
    for (const planner::step& x : p.steps)
      if (const auto* t = std::get_if<planner::transfer_step>(&x.action))
        sum[{t->buffer, t->from, t->to}] += t->elements.count();
    return sum;
  };
  const auto needed = [](const planner::plan& p) {
    std::map<std::pair<model::buffer_id, model::memory_set>, std::uint64_t> sum;
    for (const planner::validity_entry& e : p.contract)
      sum[{e.buffer, e.memories}] += e.elements.count();
    return sum;
  };
  const planner::plan own = planner::make_plan(s.commands.all(), s.buffers, s.machine);
  const planner::plan again = from(own.contract);
  RC_ASSERT(moved(again) == moved(own));
  RC_ASSERT(needed(again) == needed(own));
}

// What nobody wrote satisfies any contract.
bool contract_holds(const planner::plan& p, const std::vector<model::buffer_id>& buffers,
                    const planner::planning_state& state) {
  bool holds = true;
  for (const planner::validity_entry& e : p.contract)
    state.for_each_validity(buffers[e.buffer.value()], e.elements,
                            [&](const model::box&, const model::memory_set& m) {
                              holds = holds && (m.empty() || m.contains(e.memories));
                            });
  return holds;
}

RC_GTEST_PROP(RecordedPlans, leave_behind_what_they_need, (const test::sketch& sketch)) {
  const test::scenario s = test::build(sketch);
  const planner::plan p = planner::make_plan(s.commands.all(), s.buffers, s.machine);
  planner::planning_state state;
  std::vector<model::buffer_id> buffers;
  for (const auto& info : s.buffers)
    buffers.push_back(state.add_buffer(info, model::memory_set(model::host_memory)));
  for (const auto& e : p.contract)
    state.set_validity(e.buffer, e.elements, e.memories, model::step_id());
  RC_ASSERT(contract_holds(p, buffers, state));
  planner::apply_exit_state(p, buffers, state, model::step_id());
  RC_ASSERT(contract_holds(p, buffers, state));
}

// A replay as a command, as the runtime makes it.
struct replay {
  std::vector<model::requirement> requirements;
  model::command command;

  replay(const planner::plan& p, model::device_id device) {
    for (const auto& e : p.contract)
      e.memories.for_each([&](model::memory_id m) {
        model::requirement r;
        r.buffer = e.buffer;
        r.mode = model::access_mode::read;
        r.memory = m;
        r.elements = e.elements;
        requirements.push_back(r);
      });
    for (const auto& e : p.accesses)
      if (e.written) {
        model::requirement r;
        r.buffer = e.buffer;
        r.mode = model::access_mode::write;
        r.no_init = true;
        r.elements = e.elements;
        requirements.push_back(r);
      }
    command.payload = model::subgraph_command{};
    command.requirements = requirements;
    command.device = device;
  }
};

RC_GTEST_PROP(RecordedPlans, replayed_among_eager_commands_compute_what_a_sequential_machine_does,
              (const test::sketch& sketch, std::uint64_t seed, const std::vector<bool>& script)) {
  test::scenario s = test::build(sketch);
  const planner::plan graph = planner::make_plan(s.commands.all(), s.buffers, s.machine);
  planner::planning_state state;
  std::vector<model::buffer_id> buffers;
  for (std::size_t b = 0; b < s.buffers.size(); ++b)
    buffers.push_back(state.add_buffer(s.buffers[b], s.initialised[b]
                                                         ? model::memory_set(model::host_memory)
                                                         : model::memory_set()));
  const replay launch(graph, model::device_id(0));

  test::sequential_machine sequential(s);
  planner::plan all;
  struct event {
    bool replay;
    std::size_t command;
    std::uint64_t id;
  };
  std::vector<event> events;
  bool just_replayed = false;
  std::size_t next_eager = 0;
  // Replays where the script says yes, single commands of the same stream where it says no.
  for (std::size_t i = 0; i < std::min<std::size_t>(script.size(), 6); ++i) {
    planner::plan window;
    event e{script[i], 0, (i + 1) * 1000};
    if (script[i]) {
      planner::plan_window({&launch.command, 1}, state, s.machine, {}, false, window);
      planner::apply_exit_state(graph, buffers, state,
                                model::step_id(state.next_step().value() - 1));
      if (just_replayed) RC_ASSERT(window.steps.size() == 1U);
      for (std::size_t c = 0; c < s.commands.size(); ++c) sequential.run(s.commands[c], e.id + c);
    } else if (s.commands.size() > 0) {
      e.command = next_eager++ % s.commands.size();
      model::command command = s.commands[e.command];
      command.after = {};
      planner::plan_window({&command, 1}, state, s.machine, {}, false, window);
      sequential.run(command, e.id);
    } else {
      continue;
    }
    just_replayed = script[i];
    test::append(all, window, static_cast<std::uint32_t>(events.size()));
    events.push_back(e);
  }

  test::distributed_machine distributed(s);
  auto run_step = [&](const planner::step& step, auto&& execute) {
    if (const auto* x = std::get_if<planner::execute_step>(&step.action))
      execute(*x);
    else
      distributed.transfer(std::get<planner::transfer_step>(step.action));
  };
  test::in_random_order(all, seed, [&](std::size_t i) {
    run_step(all.steps[i], [&](const planner::execute_step& x) {
      const event& e = events[x.command.value()];
      if (!e.replay) {
        distributed.execute(s.commands[e.command], e.id, x.device);
        return;
      }
      test::in_random_order(graph, seed + i, [&](std::size_t j) {
        run_step(graph.steps[j], [&](const planner::execute_step& y) {
          distributed.execute(s.commands[y.command.value()], e.id + y.command.value(), y.device);
        });
      });
    });
  });
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

// Everything that comes before each step, by waits and lanes.
std::vector<std::vector<bool>> ancestors(const planner::plan& p) {
  std::vector<std::vector<bool>> result(p.steps.size(), std::vector<bool>(p.steps.size()));
  std::vector<std::size_t> tails(p.lanes.size(), p.steps.size());
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    auto add = [&](std::size_t before) {
      for (std::size_t k = 0; k < before; ++k)
        if (result[before][k]) result[i][k] = true;
      result[i][before] = true;
    };
    std::size_t& tail = tails[p.steps[i].lane.value()];
    if (tail != p.steps.size()) add(tail);
    tail = i;
    for (const model::step_id w : p.waits_of(p.steps[i])) add(w.value());
  }
  return result;
}

RC_GTEST_PROP(Pruning, keeps_every_order_and_no_wait_that_follows_from_others,
              (const test::sketch& sketch)) {
  const test::scenario s = test::build(sketch);
  planner::options all_edges;
  all_edges.prune = false;
  const planner::plan full = planner::make_plan(s.commands.all(), s.buffers, s.machine, all_edges);
  const planner::plan pruned = planner::make_plan(s.commands.all(), s.buffers, s.machine);
  RC_ASSERT(full.steps.size() == pruned.steps.size());
  const auto reach = ancestors(pruned);
  RC_ASSERT(ancestors(full) == reach);
  std::vector<std::size_t> tails(pruned.lanes.size(), pruned.steps.size());
  for (std::size_t i = 0; i < pruned.steps.size(); ++i) {
    std::size_t& tail = tails[pruned.steps[i].lane.value()];
    for (const model::step_id w : pruned.waits_of(pruned.steps[i])) {
      bool implied = tail != pruned.steps.size() && (tail == w.value() || reach[tail][w.value()]);
      for (const model::step_id other : pruned.waits_of(pruned.steps[i]))
        implied = implied || (other != w && reach[other.value()][w.value()]);
      RC_ASSERT(!implied);
    }
    tail = i;
  }
}

RC_GTEST_PROP(RecordedPlans, coalesce_into_no_more_transfers_of_no_more_elements,
              (const test::sketch& sketch)) {
  const test::scenario s = test::build(sketch);
  planner::options naive;
  naive.coalesce = false;
  auto count = [](const planner::plan& p) {
    std::pair<std::size_t, std::size_t> n{0, 0};
    for (const auto& step : p.steps)
      if (const auto* t = std::get_if<planner::transfer_step>(&step.action)) {
        ++n.first;
        n.second += t->elements.count();
      }
    return n;
  };
  const auto few = count(planner::make_plan(s.commands.all(), s.buffers, s.machine));
  const auto many = count(planner::make_plan(s.commands.all(), s.buffers, s.machine, naive));
  RC_ASSERT(few.first <= many.first);
  RC_ASSERT(few.second == many.second);
}

// Removes one step; waits for it go.
planner::plan without_step(const planner::plan& p, std::size_t removed) {
  planner::plan result = p;
  result.steps.clear();
  result.waits.clear();
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    if (i == removed) continue;
    planner::step s = p.steps[i];
    s.first_wait = static_cast<std::uint32_t>(result.waits.size());
    for (const model::step_id w : p.waits_of(p.steps[i]))
      if (w.value() != removed)
        result.waits.emplace_back(w.value() > removed ? w.value() - 1 : w.value());
    s.wait_count = static_cast<std::uint32_t>(result.waits.size()) - s.first_wait;
    result.steps.push_back(s);
  }
  return result;
}

// Puts a copy of a step right behind it.
planner::plan with_step_twice(const planner::plan& p, std::size_t doubled) {
  planner::plan result = p;
  for (auto& w : result.waits)
    if (w.value() > doubled) w = model::step_id(w.value() + 1);
  result.steps.insert(result.steps.begin() + static_cast<std::ptrdiff_t>(doubled),
                      p.steps[doubled]);
  // The copy in front keeps the waits; the other one runs after it in the same lane.
  result.steps[doubled + 1].wait_count = 0;
  return result;
}

RC_GTEST_PROP(Verify, reports_every_way_of_spoiling_a_plan, (const test::sketch& sketch)) {
  test::sketch shorter = sketch;
  if (shorter.commands.size() > 10) shorter.commands.resize(10);
  const test::scenario s = test::build(shorter);
  const planner::plan good = planner::make_plan(s.commands.all(), s.buffers, s.machine);
  auto reported = [&](const planner::plan& p) {
    return planner::verify(s.commands.all(), s.buffers, s.machine, p).has_value();
  };
  RC_ASSERT(!reported(good));
  for (std::size_t i = 0; i < good.steps.size(); ++i) {
    RC_ASSERT(reported(without_step(good, i)));
    RC_ASSERT(reported(with_step_twice(good, i)));
    const planner::step& step = good.steps[i];
    for (std::uint32_t w = 0; w < step.wait_count; ++w) {
      planner::plan missing = good;
      missing.waits[step.first_wait + w] = missing.waits[step.first_wait + step.wait_count - 1];
      --missing.steps[i].wait_count;
      RC_ASSERT(reported(missing));
    }
    if (std::holds_alternative<planner::transfer_step>(step.action)) {
      for (int d = 0; d < 3; ++d) {
        planner::plan shifted = good;
        auto& t = std::get<planner::transfer_step>(shifted.steps[i].action);
        ++t.elements.lo.c[d];
        ++t.elements.hi.c[d];
        RC_ASSERT(reported(shifted));
      }
      planner::plan turned = good;
      auto& t = std::get<planner::transfer_step>(turned.steps[i].action);
      std::swap(t.from, t.to);
      RC_ASSERT(reported(turned));
    }
  }
  for (std::size_t i = 0; i < good.contract.size(); ++i) {
    planner::plan p = good;
    p.contract.erase(p.contract.begin() + static_cast<std::ptrdiff_t>(i));
    RC_ASSERT(reported(p));
  }
  for (std::size_t i = 0; i < good.exit.size(); ++i) {
    planner::plan p = good;
    p.exit.erase(p.exit.begin() + static_cast<std::ptrdiff_t>(i));
    RC_ASSERT(reported(p));
    for (std::size_t m = 0; m < s.machine.memories.size(); ++m) {
      const model::memory_id id(static_cast<std::uint16_t>(m));
      if (good.exit[i].memories.contains(id)) continue;
      p = good;
      p.exit[i].memories.add(id);
      RC_ASSERT(reported(p));
    }
  }
  for (std::size_t i = 0; i < good.accesses.size(); ++i) {
    planner::plan p = good;
    p.accesses.erase(p.accesses.begin() + static_cast<std::ptrdiff_t>(i));
    RC_ASSERT(reported(p));
    if (good.accesses[i].written) {
      p = good;
      p.accesses[i].written = false;
      RC_ASSERT(reported(p));
    }
  }
}

}  // namespace
