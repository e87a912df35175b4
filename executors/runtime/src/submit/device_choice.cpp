// SPDX-License-Identifier: Apache-2.0
#include "pianola/runtime/device_choice.hpp"

#include <algorithm>
#include <mutex>
#include <variant>

#include <pianola/planner/cost/machine_costs.hpp>
#include <pianola/planner/placement.hpp>
#include <pianola/planner/planning_state.hpp>

#include "commands/candidates.hpp"
#include "data/buffer_table.hpp"
#include "data/pointer_registry.hpp"
#include "machine/machine.hpp"
#include "process.hpp"

namespace pianola::runtime {

std::vector<model::device_id> able_devices(const submission& s,
                                           const std::vector<model::device_id>& devices) {
  const auto* submitted = std::get_if<model::kernel_command>(&s.payload);
  if (submitted == nullptr || submitted->kernel == nullptr) return devices;
  const machine& m = process::instance().machine;
  model::kernel_command kernel = *submitted;
  kernel.local_memory_bytes = s.local_memory_bytes;
  std::vector<model::device_id> able;
  for (const model::device_id d : devices)
    if (can_launch(m, kernel, d)) able.push_back(d);
  if (able.empty()) return devices;
  std::vector<model::device_id> reaching = able;
  pointer_registry::instance().find_words(s.arguments.block(), [&](const user_allocation& a) {
    if (a.kind == usm_kind::device)
      std::erase_if(reaching,
                    [&](model::device_id d) { return m.memory_of(d) != m.memory_of(a.device); });
  });
  return reaching.empty() ? able : reaching;
}

std::size_t choose_device(const submission& s, const std::vector<model::device_id>& devices,
                          std::vector<double>& busy, std::size_t first) {
  process& rt = process::instance();
  const std::vector<model::device_id> able = able_devices(s, devices);
  std::lock_guard lock(rt.mutex);
  std::vector<model::requirement> requirements;
  for (const accessor_request& a : s.accessors) {
    const buffer_entry& b = rt.buffers.living(a.buffer);
    model::requirement r;
    r.buffer = buffer_table::id_of(a.buffer);
    r.mode = a.mode;
    r.no_init = a.no_init && a.mode != model::access_mode::read;
    r.memory = a.memory;
    r.elements = intersection(a.elements, model::box::of(b.info.grid.range()));
    requirements.push_back(r);
  }
  model::command command;
  command.payload = s.payload;
  command.requirements = requirements;
  busy.resize(devices.size(), 0.0);
  const planner::machine_costs costs(rt.machine.topology());
  std::size_t best = devices.size();
  double best_end = 0;
  for (std::size_t k = 0; k < devices.size(); ++k) {
    const std::size_t at = (first + k) % devices.size();
    if (std::find(able.begin(), able.end(), devices[at]) == able.end()) continue;
    const double end = planner::end_on(command, rt.state, costs, devices[at], busy[at]);
    if (best != devices.size() && end >= best_end) continue;
    best = at;
    best_end = end;
  }
  busy[best] = best_end;
  // The queue that waits for all starts anew by itself: what is common to all is no difference.
  const double least = *std::min_element(busy.begin(), busy.end());
  for (double& b : busy) b -= least;
  return best;
}

}  // namespace pianola::runtime
