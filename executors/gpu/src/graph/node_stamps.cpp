// SPDX-License-Identifier: Apache-2.0
#include "graph/node_stamps.hpp"

#include <algorithm>
#include <cmath>

#include "engine/engine.hpp"

namespace pianola::gpu {

node_stamps::~node_stamps() {
  if (engine_.state.gone()) return;
  for (const stamp& s : stamps_) {
    if (s.started.native != nullptr) engine_.resources(s.device).events.give(true, s.started);
    if (s.ended.native != nullptr) engine_.resources(s.device).events.give(true, s.ended);
  }
}

void node_stamps::collect(std::uint32_t first,
                          model::array_view<const executors::graph_step> steps) {
  if (std::none_of(steps.begin(), steps.end(), [](const auto& s) { return s.stamped; })) return;
  if (!engine_.event_nodes()) return;
  for (std::uint32_t i = 0; i < steps.size(); ++i)
    if (steps[i].stamped) stamps_.push_back({first + i, 0, false, {}, {}});
}

node_stamps::stamp* node_stamps::find(std::uint32_t step) noexcept {
  const auto at = std::lower_bound(stamps_.begin(), stamps_.end(), step,
                                   [](const stamp& s, std::uint32_t x) { return s.step < x; });
  return at == stamps_.end() || at->step != step ? nullptr : &*at;
}

code node_stamps::record(graph g, std::uint32_t device, event e, std::vector<node>& after) {
  node made;
  const code c = engine_.drv.add_record(g, after, device, e, made);
  if (c != success) return c;
  engine_.counters.event_nodes.fetch_add(1, std::memory_order_relaxed);
  after.assign(1, made);
  return success;
}

code node_stamps::begin(graph g, std::uint32_t step, std::uint32_t device,
                        std::vector<node>& after) {
  stamp* const s = find(step);
  if (s == nullptr) return success;
  s->device = device;
  s->recorded = false;
  event_pool& events = engine_.resources(device).events;
  for (event* e : {&s->started, &s->ended})
    if (e->native == nullptr)
      if (const code c = events.take(true, *e); c != success) return c;
  return record(g, device, s->started, after);
}

code node_stamps::end(graph g, std::uint32_t step, std::vector<node>& after) {
  stamp* const s = find(step);
  if (s == nullptr) return success;
  s->recorded = true;
  return record(g, s->device, s->ended, after);
}

bool node_stamps::times(const stamp& s, const clock_base& base, std::uint64_t& from,
                        std::uint64_t& to) noexcept {
  float milliseconds = 0;
  if (nanoseconds_of(engine_.drv, base, s.started, from) != success ||
      engine_.drv.elapsed(s.started, s.ended, milliseconds) != success)
    return false;
  to = from + static_cast<std::uint64_t>(std::max(0.0, 1e6 * static_cast<double>(milliseconds)));
  return true;
}

}  // namespace pianola::gpu
