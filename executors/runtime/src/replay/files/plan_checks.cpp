// SPDX-License-Identifier: Apache-2.0
#include "replay/files/plan_checks.hpp"

#include <cstdint>
#include <unordered_set>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <pianola/runtime/kernels.hpp>

#include "commands/names.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "replay/recorded/split_snapshot.hpp"

namespace pianola::runtime {

namespace {

std::optional<std::string> too_many_lanes(const planner::plan& plan,
                                          const model::topology& topology) {
  std::vector<std::uint32_t> lanes(topology.devices.size(), 0);
  for (std::size_t i = 0; i < plan.lanes.size(); ++i) {
    const model::device_id d = plan.lanes[i].device;
    if (!d.valid()) return fmt::format("lane {} is of no device", i);
    const std::uint32_t most = topology.devices[d.value()].maximum_lanes;
    if (++lanes[d.value()] > most)
      return fmt::format("device {} has more than {} lanes", d.value(), most);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> cannot_run(const planner::plan& plan,
                                      model::array_view<const model::command> commands,
                                      const model::topology& topology) {
  if (auto wrong = too_many_lanes(plan, topology)) return wrong;
  const machine& m = process::instance().machine;
  const auto name = [&](model::device_id d) {
    return fmt::format("device {} ('{}')", d.value(), topology.devices[d.value()].name);
  };
  // Of each device, the kernels that it can run.
  std::vector<std::unordered_set<const model::kernel_descriptor*>> known(topology.devices.size());
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const planner::step& s = plan.steps[i];
    const model::device_id d = plan.lanes[s.lane.value()].device;
    if (const auto* t = std::get_if<planner::transfer_step>(&s.action)) {
      if (!m.reaches(d, t->from) || !m.reaches(d, t->to))
        return fmt::format("step {} is a transfer between memories of which {} does not reach both",
                           i, name(d));
      continue;
    }
    const model::command& c = commands[std::get<planner::execute_step>(s.action).command.value()];
    const auto* kernel = std::get_if<model::kernel_command>(&c.payload);
    if (kernel == nullptr || kernel->kernel == nullptr) continue;
    if (known[d.value()].insert(kernel->kernel).second && !can_run(*kernel->kernel, d))
      return name(d) + " cannot run the kernel '" + display_name(c) + "'";
    if (kernel->geometry.part != nullptr && m.device(d).needs_images &&
        !has_code_for_parts(*kernel->kernel))
      return name(d) + " cannot run a part of the kernel '" + display_name(c) + "'";
  }
  return std::nullopt;
}

}  // namespace pianola::runtime
