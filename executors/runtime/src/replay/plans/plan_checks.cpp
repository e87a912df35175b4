// SPDX-License-Identifier: Apache-2.0
#include "replay/plans/plan_checks.hpp"

#include <cstdint>
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

std::string run_check::name(model::device_id d) const {
  return fmt::format("device {} ('{}')", d.value(), topology_.devices[d.value()].name);
}

std::optional<std::string> run_check::cannot_execute(const model::command& c, model::device_id d) {
  const auto* kernel = std::get_if<model::kernel_command>(&c.payload);
  if (kernel == nullptr || kernel->kernel == nullptr) return std::nullopt;
  known_kernels& known = known_[d.value()];
  if (known.last != kernel->kernel && known.all.insert(kernel->kernel).second &&
      !can_run(*kernel->kernel, d))
    return fmt::format("{} cannot run the kernel '{}'", name(d), display_name(c));
  known.last = kernel->kernel;
  if (kernel->geometry.part != nullptr && process::instance().machine.device(d).needs_images &&
      !has_code_for_parts(*kernel->kernel))
    return fmt::format("{} cannot run a part of the kernel '{}'", name(d), display_name(c));
  return std::nullopt;
}

std::optional<std::string> run_check::cannot_arrange(const planner::plan& plan) const {
  if (auto wrong = too_many_lanes(plan, topology_)) return wrong;
  const machine& m = process::instance().machine;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const auto* t = std::get_if<planner::transfer_step>(&plan.steps[i].action);
    if (t == nullptr) continue;
    const model::device_id d = plan.lanes[plan.steps[i].lane.value()].device;
    if (!m.reaches(d, t->from) || !m.reaches(d, t->to))
      return fmt::format("step {} is a transfer between memories of which {} does not reach both",
                         i, name(d));
  }
  return std::nullopt;
}

std::optional<std::string> cannot_run(const planner::plan& plan,
                                      model::array_view<const model::command> commands,
                                      const model::topology& topology) {
  run_check check(topology);
  if (auto wrong = check.cannot_arrange(plan)) return wrong;
  for (const planner::step& s : plan.steps)
    if (const auto* e = std::get_if<planner::execute_step>(&s.action))
      if (auto wrong =
              check.cannot_execute(commands[e->command.value()], plan.lanes[s.lane.value()].device))
        return wrong;
  return std::nullopt;
}

}  // namespace pianola::runtime
