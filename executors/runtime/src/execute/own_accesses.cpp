// SPDX-License-Identifier: Apache-2.0
#include "execute/own_accesses.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>

#include <pianola/host/clock.hpp>
#include <pianola/host/own_threads.hpp>
#include <pianola/planner/planning_state.hpp>

#include "data/held_accesses.hpp"
#include "execute/wait_hint.hpp"
#include "machine/lane_table.hpp"
#include "process.hpp"
#include "support/log.hpp"

namespace pianola::runtime {

using executors::lane_position;

namespace {

// Host tasks may end accessors, too. What host accesses themselves wait for does not count.
bool commands_are_over(process& rt) {
  for (const model::lane_id lane : rt.lanes.of_executors()) {
    ++rt.held.looked_at;
    const model::step_id last = rt.state.tail(lane);
    if (last.valid() && !rt.lanes.finished(last)) return false;
  }
  return true;
}

// The held access which that step is; null if it is something else. It must not be over: its lane has gone on then.
const held_accesses::entry* access_of(process& rt, const lane_position& p) {
  ++rt.held.looked_at;
  const model::lane_id lane = rt.lanes.host_lane_of(p.lane);
  return lane.valid() ? rt.held.find(lane) : nullptr;
}

bool begin_inside(process& rt, model::array_view<const lane_position> own, model::lane_id mine) {
  const std::lock_guard lock(rt.mutex);
  if (!commands_are_over(rt)) return false;
  for (const lane_position& p : own) {
    if (p.lane->reached(p.position)) continue;
    if (const held_accesses::entry* e = access_of(rt, p)) rt.held.put_inside(mine, e->lane);
  }
  return true;
}

}  // namespace

model::array_view<const lane_position> own_accesses_last(process& rt, model::lane_id mine,
                                                         std::vector<lane_position>& waits) {
  const std::thread::id self = std::this_thread::get_id();
  const auto is_of_others = [&](const lane_position& w) {
    if (w.lane->reached(w.position)) return true;
    const held_accesses::entry* e = access_of(rt, w);
    return e == nullptr || e->thread != self || e->lane == mine;
  };
  const auto first = std::partition(waits.begin(), waits.end(), is_of_others);
  return {waits.data() + (first - waits.begin()), static_cast<std::size_t>(waits.end() - first)};
}

void wait_for_own_accesses(process& rt, model::array_view<const lane_position> own,
                           model::lane_id mine) {
  using namespace std::chrono_literals;
  bool hint_is_due = rt.hint_after.has_value() && current_log_level() >= log_level::warn;
  host::patience left(rt.hint_after.value_or(0));
  auto nap = 50us;
  while (!std::all_of(own.begin(), own.end(),
                      [](const lane_position& p) { return p.lane->reached(p.position); })) {
    if (host::is_only_thread_of_the_program() && begin_inside(rt, own, mine)) return;
    if (hint_is_due && left.look() == 0) {
      hint_is_due = false;
      if (const std::string text = wait_hint(rt, "a host_accessor", mine); !text.empty())
        log_warn("{}", text);
    }
    std::this_thread::sleep_for(nap);
    nap = std::min<std::chrono::microseconds>(nap * 2, 5ms);
  }
}

}  // namespace pianola::runtime
