// SPDX-License-Identifier: Apache-2.0
// Placement against slow and obvious oracles: every placement there is, and the plans that come of them.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include <pianola/model/error.hpp>
#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/placement.hpp>
#include <pianola/planner/verify.hpp>
#include <pianola/test/random_scenario.hpp>
#include <pianola/test/task_graphs.hpp>

namespace {

using namespace pianola;
using planner::objective;
using planner::placement_figures;
using planner::placing;
using test::scenario;

// Every kernel of a random scenario may run on any device.
scenario free_scenario(const test::sketch& s) {
  scenario built = test::build(s);
  static std::vector<model::device_id> all;
  all.clear();
  for (std::size_t d = 0; d < built.machine.devices.size(); ++d)
    all.emplace_back(static_cast<std::uint16_t>(d));
  for (model::command& c : built.commands.all())
    if (std::holds_alternative<model::kernel_command>(c.payload)) c.candidates = all;
  return built;
}

planner::chosen_placement chosen(const scenario& s, placing how,
                                 objective wanted = objective::makespan) {
  planner::options o;
  o.place = how;
  o.objective = wanted;
  o.search_seconds = 0.01;
  return planner::choose_placement(s.commands.all(), s.buffers, s.machine, o);
}

placement_figures figures(const scenario& s, const std::vector<model::device_id>& devices) {
  return planner::figures_of(s.commands.all(), s.buffers, s.machine, devices);
}

std::tuple<double, double, double> key(const placement_figures& f, objective wanted) {
  const double s = f.seconds, b = static_cast<double>(f.bytes), p = static_cast<double>(f.peak);
  if (wanted == objective::makespan) return {s, b, p};
  if (wanted == objective::bytes) return {b, s, p};
  return {p, s, b};
}

// Calls f(devices) for every placement.
template <class F>
void for_each_placement(const scenario& s, F&& f) {
  std::vector<std::size_t> at(s.commands.size(), 0);
  std::vector<model::device_id> devices(s.commands.size());
  for (;;) {
    for (std::size_t i = 0; i < at.size(); ++i)
      devices[i] =
          s.commands[i].candidates.empty() ? s.commands[i].device : s.commands[i].candidates[at[i]];
    f(devices);
    std::size_t i = 0;
    for (; i < at.size(); ++i) {
      if (++at[i] < s.commands[i].candidates.size()) break;
      at[i] = 0;
    }
    if (i == at.size()) return;
  }
}

// Bytes that the plan of a placement moves.
std::uint64_t moved_bytes(const scenario& s, const planner::plan& plan) {
  std::uint64_t sum = 0;
  for (const planner::step& step : plan.steps)
    if (const auto* t = std::get_if<planner::transfer_step>(&step.action))
      sum += t->elements.count() * s.buffers[t->buffer.value()].element_size;
  return sum;
}

std::vector<model::device_id> devices_of(const scenario& s, const planner::plan& plan) {
  std::vector<model::device_id> devices(s.commands.size());
  for (const planner::step& step : plan.steps)
    if (const auto* e = std::get_if<planner::execute_step>(&step.action))
      devices[e->command.value()] = e->device;
  return devices;
}

// How many of the pairs of memories other than the host's are linked: none, all, or something in between, where which
// way data takes may follow from who asks first.
bool alike_links(const model::topology& machine) {
  std::size_t links = 0;
  for (const auto& l : machine.links)
    if (l.from != model::host_memory && l.to != model::host_memory) ++links;
  const std::size_t n = machine.memories.size() - 1;
  return links == 0 || links == n * (n - 1);
}

scenario small_graph(std::uint64_t seed, std::size_t most) {
  std::mt19937_64 random(seed * 977 + 5);
  const double spread = random() % 2 == 0 ? 1.0 : 1.0 + static_cast<double>(random() % 3);
  const auto machine = test::many_devices(2 + random() % 2, spread, random() % 3 != 0);
  return test::layered_graph(machine, 2 + random() % (most - 1), seed,
                             0.005 * static_cast<double>(1 + random() % 10));
}

RC_GTEST_PROP(Placement, the_exact_one_is_the_best_of_all, ()) {
  const auto seed = *test::number<std::uint64_t>(0, 1u << 20);
  const scenario s = small_graph(seed, 6);
  for (const objective wanted : {objective::makespan, objective::bytes, objective::memory}) {
    const auto found = chosen(s, placing::exact, wanted);
    auto best = key(found.figures, wanted);
    RC_ASSERT(key(figures(s, found.devices), wanted) == best);
    for_each_placement(s, [&](const std::vector<model::device_id>& devices) {
      best = std::min(best, key(figures(s, devices), wanted));
    });
    RC_ASSERT(key(found.figures, wanted) == best);
  }
}

RC_GTEST_PROP(Placement, of_pages_and_parts_the_exact_one_is_the_best_of_all,
              (test::sketch drawn)) {
  drawn.commands.resize(std::min<std::size_t>(drawn.commands.size(), 5));
  drawn.devices = drawn.devices % 3;
  const scenario s = free_scenario(drawn);
  for (const objective wanted : {objective::makespan, objective::bytes, objective::memory}) {
    const auto found = chosen(s, placing::exact, wanted);
    for_each_placement(s, [&](const std::vector<model::device_id>& devices) {
      RC_ASSERT(key(found.figures, wanted) <= key(figures(s, devices), wanted));
    });
  }
}

RC_GTEST_PROP(Placement, no_placement_takes_less_than_the_bound, (test::sketch drawn)) {
  const scenario s = free_scenario(drawn);
  for (const placing how : {placing::as_submitted, placing::heft, placing::refined}) {
    const placement_figures f = figures(s, chosen(s, how).devices);
    RC_ASSERT(f.least_seconds <= f.seconds * (1 + 1e-9));
  }
}

RC_GTEST_PROP(Placement, every_plan_is_verified_and_moves_what_was_expected, (test::sketch drawn)) {
  // Mostly such that it does not matter who asks first.
  drawn.missing_links = *rc::gen::element<std::uint16_t>(0, 0xffff, drawn.missing_links);
  const scenario s = free_scenario(drawn);
  for (const placing how : {placing::as_submitted, placing::list_scheduling, placing::heft,
                            placing::refined, placing::anywhere})
    for (const objective wanted : {objective::makespan, objective::bytes, objective::memory}) {
      planner::options o;
      o.place = how;
      o.objective = wanted;
      o.search_seconds = 0.001;
      const planner::plan plan = planner::make_plan(s.commands.all(), s.buffers, s.machine, o);
      const auto problem = planner::verify(s.commands.all(), s.buffers, s.machine, plan);
      if (problem) RC_FAIL(problem->reason);
      if (!alike_links(s.machine)) continue;
      RC_ASSERT(moved_bytes(s, plan) == figures(s, devices_of(s, plan)).bytes);
    }
}

RC_GTEST_PROP(Placement, is_never_worse_than_what_was_submitted_or_one_device, ()) {
  const auto seed = *test::number<std::uint64_t>(0, 1u << 20);
  const scenario s = small_graph(seed, 40);
  for (const objective wanted : {objective::makespan, objective::bytes, objective::memory})
    for (const placing how : {placing::list_scheduling, placing::refined, placing::anywhere}) {
      const auto found = key(chosen(s, how, wanted).figures, wanted);
      for (const model::device_id d : s.commands[0].candidates)
        RC_ASSERT(found <=
                  key(figures(s, std::vector<model::device_id>(s.commands.size(), d)), wanted));
      RC_ASSERT(found <= key(figures(s, chosen(s, placing::as_submitted).devices), wanted));
    }
}

RC_GTEST_PROP(Placement, of_the_same_graph_is_the_same, (test::sketch drawn)) {
  const scenario s = free_scenario(drawn);
  RC_ASSERT(chosen(s, placing::refined).devices == chosen(s, placing::refined).devices);
}

TEST(Placement, by_list_scheduling_is_within_a_twentieth_of_the_exact_one_on_average) {
  double lists = 0, searched = 0;
  const int graphs = 100;
  for (int seed = 0; seed < graphs; ++seed) {
    const scenario s = small_graph(static_cast<std::uint64_t>(seed), 12);
    const double least = chosen(s, placing::exact).figures.seconds;
    const double list = chosen(s, placing::list_scheduling).figures.seconds;
    const double refined = chosen(s, placing::refined).figures.seconds;
    EXPECT_LE(least, refined) << "seed " << seed;
    EXPECT_LE(refined, list) << "seed " << seed;
    lists += list / least;
    searched += refined / least;
  }
  RecordProperty("list_scheduling_over_exact", std::to_string(lists / graphs));
  RecordProperty("refined_over_exact", std::to_string(searched / graphs));
  EXPECT_LT(lists / graphs, 1.05);
  EXPECT_LT(searched / graphs, 1.02);
}

TEST(Placement, that_is_refined_of_a_small_graph_is_bettered_by_no_move_and_no_exchange) {
  for (std::uint64_t seed = 0; seed < 40; ++seed)
    for (const objective wanted : {objective::makespan, objective::bytes, objective::memory}) {
      const scenario s = small_graph(seed, 9);
      planner::options o;
      o.place = placing::refined;
      o.objective = wanted;
      o.search_seconds = 1;
      const auto found = planner::choose_placement(s.commands.all(), s.buffers, s.machine, o);
      const auto expect_no_better = [&](const std::vector<model::device_id>& other) {
        EXPECT_FALSE(planner::better(wanted, figures(s, other), found.figures)) << "seed " << seed;
      };
      for (std::size_t i = 0; i < s.commands.size(); ++i) {
        for (const model::device_id d : s.commands[i].candidates) {
          std::vector<model::device_id> other = found.devices;
          other[i] = d;
          expect_no_better(other);
        }
        for (std::size_t k = 0; k < i; ++k) {
          std::vector<model::device_id> other = found.devices;
          std::swap(other[i], other[k]);
          expect_no_better(other);
        }
      }
    }
}

// Of more commands than are moved one by one, other orders find what moves do not.
TEST(Placement, that_is_refined_is_sooner_done_than_one_by_list_scheduling_on_average) {
  double gains = 0;
  const int graphs = 12;
  for (int seed = 0; seed < graphs; ++seed) {
    const auto machine = test::many_devices(4, seed % 2 == 0 ? 1.0 : 3.0, seed % 4 < 2);
    const scenario s = test::layered_graph(machine, 300, static_cast<std::uint64_t>(seed), 0.04);
    planner::options o;
    o.place = placing::refined;
    const auto refined = planner::choose_placement(s.commands.all(), s.buffers, s.machine, o);
    const double list = chosen(s, placing::list_scheduling).figures.seconds;
    EXPECT_LE(refined.figures.seconds, list) << "seed " << seed;
    gains += std::log(list / refined.figures.seconds);
  }
  const double gain = std::exp(gains / graphs);
  RecordProperty("list_scheduling_over_refined", std::to_string(gain));
  EXPECT_GT(gain, 1.02);
}

TEST(Placement, exact_is_refused_for_graphs_that_are_too_large) {
  const scenario s = test::layered_graph(test::many_devices(3), 13, 1);
  EXPECT_THROW(static_cast<void>(chosen(s, placing::exact)), model::user_error);
  const scenario devices = test::layered_graph(test::many_devices(4), 3, 1);
  EXPECT_THROW(static_cast<void>(chosen(devices, placing::exact)), model::user_error);
}

TEST(Placement, of_factorisations_is_no_slower_than_heft) {
  for (const bool peers : {true, false})
    for (const double spread : {1.0, 3.0}) {
      const auto machine = test::many_devices(4, spread, peers);
      for (const scenario& s :
           {test::cholesky_graph(machine, 12, 512), test::lu_graph(machine, 9, 512),
            test::qr_graph(machine, 8, 512), test::fft_graph(machine, 6, 1 << 20),
            test::stencil_graph(machine, 16, 16, 1 << 20)}) {
        const double list = chosen(s, placing::list_scheduling).figures.seconds;
        const double heft = chosen(s, placing::heft).figures.seconds;
        EXPECT_LE(list, heft * 1.001) << s.commands.size() << " commands";
      }
    }
}

}  // namespace
