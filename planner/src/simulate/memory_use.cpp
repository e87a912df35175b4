// SPDX-License-Identifier: Apache-2.0
#include "memory_use.hpp"

#include "pianola/planner/memory_uses.hpp"

namespace pianola::planner {

std::vector<std::uint64_t> peak_memory(const graph_view& graph, const plan& p,
                                       const model::topology& machine) {
  std::vector<std::uint64_t> peaks(machine.memories.size(), 0);
  const auto note = [&](const std::vector<memory_use>& uses) {
    for (const memory_use& u : uses)
      if (u.memory.value() < peaks.size()) peaks[u.memory.value()] = u.peak;
  };
  if (p.memories.empty())
    note(memory_uses(graph.commands(), graph.buffers(), machine, p, 0));
  else
    note(p.memories);
  return peaks;
}

}  // namespace pianola::planner
