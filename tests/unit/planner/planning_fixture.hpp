// SPDX-License-Identifier: Apache-2.0
// A machine with a host, three devices with memories of their own, and a live state, in few words.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <pianola/model/command.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/verify.hpp>
#include <pianola/test/scenario.hpp>

namespace pianola::test {

using model::access_mode;
using model::box;
using model::memory_id;
using planner::execute_step;
using planner::transfer_step;

inline constexpr memory_id host = model::host_memory, memory1{1}, memory2{2}, memory3{3};
// Device 0 lives in the host's memory, device n in memory n.
inline constexpr model::device_id cpu{0}, device1{1}, device2{2}, device3{3};

enum class links { all, host_only };

inline model::topology four_devices(links which = links::all, std::uint32_t lanes = 8) {
  model::topology t;
  for (std::uint16_t m = 0; m < 4; ++m) {
    t.memories.push_back({"memory" + std::to_string(m), 0});
    t.devices.push_back({"device" + std::to_string(m), "test", memory_id(m), lanes});
  }
  for (std::uint16_t a = 0; a < 4; ++a)
    for (std::uint16_t b = 0; b < 4; ++b)
      if (a != b && (which == links::all || a == 0 || b == 0))
        t.links.push_back({memory_id(a), memory_id(b), 1e10, 1e-5});
  return t;
}

inline box span(std::uint64_t from, std::uint64_t to) { return {{{0, 0, from}}, {{1, 1, to}}}; }

inline model::buffer_info row(std::uint64_t elements, std::uint64_t page = 0) {
  model::buffer_info info;
  info.grid = model::page_grid({{1, 1, elements}}, {{1, 1, page}});
  info.element_size = 4;
  return info;
}
inline model::buffer_info plane(std::uint64_t rows, std::uint64_t columns, std::uint64_t page_rows,
                                std::uint64_t page_columns) {
  model::buffer_info info;
  info.grid = model::page_grid({{1, rows, columns}}, {{1, page_rows, page_columns}});
  info.element_size = 4;
  info.dimensions = 2;
  return info;
}

inline model::requirement needs(model::buffer_id b, access_mode mode, const box& elements,
                                bool no_init = false, memory_id memory = {}) {
  model::requirement r;
  r.buffer = b;
  r.mode = mode;
  r.no_init = no_init;
  r.memory = memory;
  r.elements = elements;
  return r;
}

class Planning : public ::testing::Test {
 protected:
  model::buffer_id buffer(const model::buffer_info& info,
                          const model::memory_set& valid = model::memory_set(model::host_memory)) {
    return state.add_buffer(info, valid);
  }
  [[nodiscard]] box all(model::buffer_id b) const { return box::of(state.info(b).grid.range()); }

  // Plans one command and returns its step.
  std::uint64_t submit(model::device_id device, std::vector<model::requirement> requirements,
                       std::vector<std::uint64_t> after = {},
                       model::command_payload payload = model::kernel_command{},
                       model::lane_id lane = {}) {
    model::command c;
    c.payload = std::move(payload);
    c.requirements = requirements;
    c.after = after;
    c.device = device;
    c.lane = lane;
    planner::plan_window({&c, 1}, state, machine, options, false, plan);
    return plan.first_step + plan.steps.size() - 1;
  }

  // What the last command needed.
  [[nodiscard]] std::vector<transfer_step> transfers() const {
    std::vector<transfer_step> result;
    for (const auto& s : plan.steps)
      if (const auto* t = std::get_if<transfer_step>(&s.action)) result.push_back(*t);
    return result;
  }
  [[nodiscard]] std::vector<std::uint64_t> waits() const {
    std::vector<std::uint64_t> result;
    for (const auto w : plan.waits_of(plan.steps.back())) result.push_back(w.value());
    std::sort(result.begin(), result.end());
    return result;
  }
  [[nodiscard]] std::uint32_t lane() const { return plan.steps.back().lane.value(); }
  // Whether the last command runs after the step, by a wait or because the lane does.
  [[nodiscard]] bool after(std::uint64_t step) const {
    for (const auto& s : plan.steps) {
      if (state.lane_of(model::step_id(step)) == s.lane) return true;
      for (const auto w : plan.waits_of(s)) {
        if (w.value() == step) return true;
        if (w.value() < plan.first_step && w.value() > step &&
            state.lane_of(w) == state.lane_of(model::step_id(step)))
          return true;
      }
    }
    return false;
  }
  [[nodiscard]] model::memory_set valid(model::buffer_id b, std::uint64_t element) const {
    model::memory_set m;
    state.for_each_validity(b, span(element, element + 1),
                            [&](const box&, const model::memory_set& v) { m = v; });
    return m;
  }

  model::topology machine = four_devices();
  planner::planning_state state;
  planner::options options;
  planner::plan plan;
};

}  // namespace pianola::test
