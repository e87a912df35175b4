// SPDX-License-Identifier: Apache-2.0
#include "replay/split_snapshot.hpp"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <pianola/planner/split.hpp>

#include "machine/machine.hpp"

namespace pianola::runtime {

std::optional<split_snapshot> split_kernels_of(const graph::snapshot& whole, const machine& m,
                                               const model::topology& topology) {
  std::vector<model::command> commands = whole.commands;
  std::vector<std::vector<model::device_id>> devices(commands.size());
  for (std::size_t i = 0; i < commands.size(); ++i) {
    for (const model::device_id d : commands[i].candidates)
      if (!m.device(d).needs_images) devices[i].push_back(d);
    commands[i].candidates = devices[i];
  }
  std::optional<planner::split_graph> cut =
      planner::split_kernels(commands, whole.buffers, topology);
  if (!cut) return std::nullopt;

  split_snapshot made{whole, cut->kernels};
  graph::snapshot& parts = made.parts;
  parts.commands = std::move(cut->commands);
  parts.buffers = std::move(cut->buffers);
  parts.after.clear();
  parts.place.clear();
  parts.exchanged.clear();
  std::vector<std::uint32_t> first(whole.commands.size());
  for (auto i = static_cast<std::uint32_t>(parts.commands.size()); i-- > 0;) {
    const std::uint32_t of = cut->part_of[i];
    first[of] = i;
    const auto* const kernel = std::get_if<model::kernel_command>(&parts.commands[i].payload);
    if (kernel == nullptr || kernel->geometry.part == nullptr)
      parts.commands[i].candidates = whole.commands[of].candidates;
  }
  for (const std::uint32_t of : cut->part_of)
    parts.exchanged.push_back(of < whole.exchanged.size() ? whole.exchanged[of] : nullptr);
  for (recorder::staging& s : parts.staged) {
    s.in = first[s.in];
    s.out = first[s.out];
  }
  parts.hash = recorder::structural_hash(parts.commands, parts.buffers);
  parts.kept_alive.push_back(std::const_pointer_cast<void>(std::move(cut->storage)));
  return made;
}

}  // namespace pianola::runtime
