// SPDX-License-Identifier: Apache-2.0
#include "pianola/runtime/device_choice.hpp"

#include <algorithm>
#include <mutex>

#include <pianola/planner/placement.hpp>
#include <pianola/planner/planning_state.hpp>

#include "data/buffer_table.hpp"
#include "machine/machine.hpp"
#include "process.hpp"

namespace pianola::runtime {

std::size_t choose_device(const submission& s, const std::vector<model::device_id>& devices,
                          std::vector<double>& busy, std::size_t first) {
  process& rt = process::instance();
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
  std::size_t best = 0;
  double best_end = 0;
  for (std::size_t k = 0; k < devices.size(); ++k) {
    const std::size_t at = (first + k) % devices.size();
    const double end =
        planner::end_on(command, rt.state, rt.machine.topology(), devices[at], busy[at]);
    if (k != 0 && end >= best_end) continue;
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
