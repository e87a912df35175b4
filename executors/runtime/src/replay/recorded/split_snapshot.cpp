// SPDX-License-Identifier: Apache-2.0
#include "replay/recorded/split_snapshot.hpp"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <pianola/planner/split.hpp>

#include "kernels/image_registry.hpp"
#include "machine/machine.hpp"

namespace pianola::runtime {

bool has_code_for_parts(const model::kernel_descriptor& kernel) {
  const pianola_kernel* const told = image_registry::instance().find_kernel(kernel.id);
  return told != nullptr && (told->flags & PIANOLA_KERNEL_PARTS) != 0;
}

namespace {

// Candidates that run the code which the command's own device runs, since other code may round differently.
std::vector<model::device_id> devices_of_parts(const machine& m, const model::command& command) {
  std::vector<model::device_id> found;
  const auto* const kernel = std::get_if<model::kernel_command>(&command.payload);
  if (kernel == nullptr) return found;
  const device_entry& own = m.device(command.device);
  if (own.needs_images && !has_code_for_parts(*kernel->kernel)) return found;
  for (const model::device_id d : command.candidates) {
    const device_entry& other = m.device(d);
    if (own.needs_images ? other.owner == own.owner : !other.needs_images) found.push_back(d);
  }
  return found;
}

}  // namespace

std::optional<split_snapshot> split_kernels_of(const graph_snapshot& whole, const machine& m,
                                               const model::topology& topology,
                                               std::vector<double> speeds) {
  std::vector<model::command> commands = whole.commands;
  std::vector<std::vector<model::device_id>> devices(commands.size());
  for (std::size_t i = 0; i < commands.size(); ++i) {
    devices[i] = devices_of_parts(m, commands[i]);
    commands[i].candidates = devices[i];
  }
  if (speeds.empty()) speeds = planner::speeds_for_parts(commands, whole.buffers, topology);
  std::optional<planner::split_graph> cut = planner::split_kernels(commands, whole.buffers, speeds);
  if (!cut) return std::nullopt;

  split_snapshot made{whole, cut->kernels};
  graph_snapshot& parts = made.parts;
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
