// SPDX-License-Identifier: Apache-2.0
// The number of transferred pages against an exhaustive search over all ways and times to move them.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include <pianola/planner/make_plan.hpp>
#include <pianola/test/random_scenario.hpp>

namespace {

using namespace pianola;

constexpr std::size_t impossible = std::numeric_limits<std::size_t>::max() / 2;

// What one command wants of one page; bit m is memory m.
struct want {
  std::uint64_t present;  // memories where the old contents must be
  std::uint64_t written;  // afterwards valid there alone; 0: not written
};

// Fewest moves of one page, if before every command any move along any link may be made.
std::size_t fewest_moves(const std::vector<want>& wants, std::uint64_t start,
                         const model::topology& machine) {
  const std::size_t masks = std::size_t{1} << machine.memories.size();
  std::vector<std::size_t> cost(masks, impossible);
  cost[start] = 0;
  for (const want& w : wants) {
    // Moves only add memories, so one sweep upwards finds every sequence of moves.
    for (std::size_t m = 1; m < masks; ++m)
      for (const auto& link : machine.links)
        if ((m >> link.from.value() & 1) != 0) {
          std::size_t& to = cost[m | std::size_t{1} << link.to.value()];
          to = std::min(to, cost[m] + ((m >> link.to.value() & 1) != 0 ? 0 : 1));
        }
    std::vector<std::size_t> next(masks, impossible);
    for (std::size_t m = 0; m < masks; ++m) {
      // A page that nobody has written need not be anywhere.
      if (m != 0 && (m & w.present) != w.present) continue;
      std::size_t& to = next[w.written != 0 ? w.written : m];
      to = std::min(to, cost[m]);
    }
    cost.swap(next);
  }
  return *std::min_element(cost.begin(), cost.end());
}

// Pages of one element, at most three memories that are all linked, or all with the host's only, and
// at most four commands.
test::scenario small(test::sketch sketch) {
  sketch.devices = static_cast<std::uint8_t>(sketch.devices % 2 + 1);
  if (sketch.commands.size() > 4) sketch.commands.resize(4);
  sketch.missing_links = (sketch.missing_links & 1) != 0 ? 0xffff : 0;
  test::scenario s = test::build(sketch);
  std::vector<model::buffer_info> cut = s.buffers;
  for (auto& b : cut) b.grid = model::page_grid(b.grid.range(), {{1, 1, 1}});
  s.buffers = cut;
  return s;
}

std::uint64_t memory_of(const test::scenario& s, const model::command& c,
                        const model::requirement& r) {
  if (r.memory.valid()) return model::memory_set(r.memory).word(0);
  if (std::holds_alternative<model::host_access_command>(c.payload)) return 1;
  return model::memory_set(s.machine.memory_of(c.device)).word(0);
}

std::size_t brute_force(const test::scenario& s,
                        const std::vector<std::vector<std::uint64_t>>& start) {
  std::size_t total = 0;
  for (std::size_t b = 0; b < s.buffers.size(); ++b) {
    const model::extent3& range = s.buffers[b].grid.range();
    std::vector<std::vector<want>> wants(model::volume(range),
                                         std::vector<want>(s.commands.size()));
    for (std::size_t c = 0; c < s.commands.size(); ++c)
      for (const model::requirement& r : s.commands[c].requirements)
        if (r.buffer.value() == b)
          test::for_each_element(range, r.elements, [&](std::size_t i) {
            if (r.needs_data()) wants[i][c].present |= memory_of(s, s.commands[c], r);
            if (model::writes(r.mode)) wants[i][c].written = memory_of(s, s.commands[c], r);
          });
    for (std::size_t i = 0; i < wants.size(); ++i)
      total += fewest_moves(wants[i], start[b][i], s.machine);
  }
  return total;
}

std::size_t pages_moved(const planner::plan& p) {
  std::size_t n = 0;
  for (const auto& step : p.steps)
    if (const auto* t = std::get_if<planner::transfer_step>(&step.action)) n += t->elements.count();
  return n;
}

RC_GTEST_PROP(FewestTransfers, eager_plans_move_as_few_pages_as_an_exhaustive_search,
              (const test::sketch& sketch)) {
  const test::scenario s = small(sketch);
  planner::planning_state state;
  std::vector<std::vector<std::uint64_t>> start;
  for (std::size_t b = 0; b < s.buffers.size(); ++b) {
    state.add_buffer(s.buffers[b], s.initialised[b] ? model::memory_set(model::host_memory)
                                                    : model::memory_set());
    start.emplace_back(model::volume(s.buffers[b].grid.range()), s.initialised[b] ? 1 : 0);
  }
  std::size_t total = 0;
  for (const model::command& recorded : s.commands.all()) {
    model::command command = recorded;
    command.after = {};
    planner::plan window;
    planner::plan_window({&command, 1}, state, s.machine, {}, false, window);
    total += pages_moved(window);
  }
  RC_ASSERT(total == brute_force(s, start));
}

RC_GTEST_PROP(FewestTransfers, recorded_bodies_move_as_few_pages_as_an_exhaustive_search,
              (const test::sketch& sketch)) {
  const test::scenario s = small(sketch);
  const planner::plan p = planner::make_plan(s.commands.all(), s.buffers, s.machine);
  std::vector<std::vector<std::uint64_t>> start;
  for (const auto& b : s.buffers) start.emplace_back(model::volume(b.grid.range()), 0);
  for (const auto& e : p.contract)
    test::for_each_element(s.buffers[e.buffer.value()].grid.range(), e.elements,
                           [&](std::size_t i) { start[e.buffer.value()][i] = e.memories.word(0); });
  RC_ASSERT(pages_moved(p) == brute_force(s, start));
}

}  // namespace
