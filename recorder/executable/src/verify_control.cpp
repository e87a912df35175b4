// SPDX-License-Identifier: Apache-2.0
#include "pianola/executable/verify_control.hpp"

#include <algorithm>
#include <variant>
#include <vector>

#include <pianola/planner/bodies.hpp>

namespace pianola::executable {

std::optional<std::string> wrong_control(const model::command& command,
                                         const control<std::shared_ptr<file>>& saved,
                                         model::array_view<const planner::plan* const> plans,
                                         model::memory_id memory) {
  std::vector<std::vector<model::buffer_id>> names;
  for (const auto& b : saved.bodies) names.emplace_back(b.buffers.begin(), b.buffers.end());
  std::vector<planner::body> bodies;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!planner::follows_itself(*plans[i]))
      return "a graph that it runs does not begin where it has ended";
    bodies.push_back({plans[i], names[i]});
  }
  const auto& s = std::get<model::subgraph_command>(command.payload);
  const planner::body_requirements needed = planner::requirements_of(
      bodies, memory, s.control == model::control_kind::repeat && s.count != 0);
  // The condition comes first.
  const std::size_t own = s.condition == model::memory_operand::no_requirement ? 0 : 1;
  const auto is_same = [](const model::requirement& a, const model::requirement& b) {
    return a.buffer == b.buffer && a.mode == b.mode && a.no_init == b.no_init &&
           a.memory == b.memory && a.elements == b.elements;
  };
  const auto& there = command.requirements;
  if (!needed.apart.empty() || there.size() < own ||
      !std::equal(there.begin() + own, there.end(), needed.needed.begin(), needed.needed.end(),
                  is_same))
    return "it does not require what the graphs that it runs need";
  return std::nullopt;
}

}  // namespace pianola::executable
