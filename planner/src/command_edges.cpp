// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/command_edges.hpp"

#include <algorithm>
#include <numeric>

#include "passes/derive_dependencies.hpp"
#include "passes/insert_transfers.hpp"
#include "passes/place_commands.hpp"
#include "pianola/planner/options.hpp"
#include "state/state.hpp"
#include "state/window.hpp"

namespace pianola::planner {

std::vector<std::pair<std::uint32_t, std::uint32_t>> command_edges(
    model::array_view<const model::command> commands,
    model::array_view<const model::buffer_info> buffers) {
  // On a machine with one memory nothing is transferred, and only the order is left.
  model::topology machine;
  machine.memories.push_back({"host", 0});
  std::vector<model::requirement> requirements;
  std::vector<model::command> placed(commands.begin(), commands.end());
  std::size_t count = 0;
  for (const model::command& c : commands) count += c.requirements.size();
  requirements.reserve(count);
  std::uint16_t devices = 0;
  for (model::command& c : placed) {
    const std::size_t first = requirements.size();
    for (model::requirement r : c.requirements) {
      r.memory = {};
      requirements.push_back(r);
    }
    c.requirements = {requirements.data() + first, requirements.size() - first};
    c.lane = {};
    devices = std::max<std::uint16_t>(devices, static_cast<std::uint16_t>(c.device.value() + 1));
  }
  for (std::uint16_t d = 0; d < devices; ++d)
    machine.devices.push_back({"device", "", model::host_memory, 1});
  planning_state state;
  for (const model::buffer_info& b : buffers)
    state.add_buffer(b, model::memory_set(model::host_memory));
  const options wanted;
  window& w = state.internals().scratch;
  w.start();
  w.commands = placed;
  w.machine = &machine;
  w.wanted = &wanted;
  w.first = 0;
  w.retired = 0;
  w.relative = true;
  place_commands(w, state);
  insert_transfers(w, state);
  derive_dependencies(w, state);
  // Nodes are in the order of their commands, so that edges from one are in the order of where they lead to.
  const auto for_each = [&](auto&& f) {
    for (const node& n : w.nodes)
      for (std::uint32_t e = 0; e < n.edge_count; ++e)
        f(w.nodes[w.edges[n.first_edge + e]].index, n.index);
  };
  std::vector<std::uint64_t> next(commands.size() + 1, 0);  // index: command that edges come from
  for_each([&](std::uint32_t from, std::uint32_t) { ++next[from + 1]; });
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges(next.back());
  for_each([&](std::uint32_t from, std::uint32_t to) { edges[next[from]++] = {from, to}; });
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

}  // namespace pianola::planner
