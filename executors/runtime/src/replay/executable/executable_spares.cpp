// SPDX-License-Identifier: Apache-2.0
// Updates of an executable graph while replays are under way: what they would change stays as it is, and native graphs of
// the same plan, in which nothing runs, take its place.
#include <algorithm>
#include <utility>

#include <pianola/planner/planning_state.hpp>

#include "execute/own_waits.hpp"
#include "machine/lane_table.hpp"
#include "process.hpp"
#include "replay/executable/executable.hpp"
#include "replay/executable/replay_table.hpp"

namespace pianola::runtime {

namespace {

void unite(std::vector<std::uint32_t>& all, const std::vector<std::uint32_t>& more) {
  all.insert(all.end(), more.begin(), more.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

}  // namespace

std::unique_lock<runtime_mutex> executable_graph::lock_if_idle(process& rt) const {
  std::unique_lock<runtime_mutex> lock(rt.mutex);
  if (!is_instantiated() || is_idle(rt)) return lock;
  return {};
}

void executable_graph::note_changes(const exchange& change) {
  for (spare& s : spares_) {
    s.all = s.all || change.whole != nullptr;
    unite(s.stale, change.changed);
  }
}

// What `old` has recorded becomes what this graph has, with the change.
void executable_graph::bring_up_to_date(spare& old, exchange& change) const {
  graph_snapshot& to = old.contents->recorded_;
  // The edges stay.
  const auto take = [&](std::uint32_t i, const model::command& c,
                        std::shared_ptr<const void> refers_to) {
    const auto after = to.commands[i].after;
    to.commands[i] = c;
    to.commands[i].after = after;
    change.dropped.push_back(std::exchange(to.exchanged[i], std::move(refers_to)));
  };
  if (change.whole != nullptr) {
    std::swap(to, *change.whole);
    to.refer();
    return;
  }
  if (old.all) {
    change.before = std::exchange(to, recorded_.copy());
    to.refer();
  } else {
    to.exchanged.resize(to.commands.size());
    for (const std::uint32_t i : old.stale)
      take(i, recorded_.commands[i],
           i < recorded_.exchanged.size() ? recorded_.exchanged[i] : nullptr);
  }
  to.exchanged.resize(to.commands.size());
  for (const node_change& c : *change.nodes) take(c.index, c.command, c.refers_to);
}

// What is here now becomes a spare.
void executable_graph::continue_in(process& rt, std::shared_ptr<executable_graph> made) {
  if (rt.replays.were_last(*this)) rt.replays.settle(rt);
  if (rt.replays.were_last(*made)) rt.replays.settle(rt);
  retire_generations(rt);
  if (last_step_.valid()) before_.push_back(last_step_);
  outside_.add(std::exchange(made->outside_, {}));
  swap_contents(*made);
  spares_.push_back({std::move(made), false, {}});
}

bool executable_graph::exchange_elsewhere(process& rt, exchange& change,
                                          std::vector<own_arguments>& replaced) {
  std::unique_lock<runtime_mutex> lock(rt.mutex);
  if (ends_behind_calling_task(rt)) {
    lock.unlock();
    refuse_own_wait("the replays of a graph that is to be updated");
  }
  outside_events outside;
  if (change.whole != nullptr) outside = std::exchange(change.whole->outside, {});
  const auto idle = std::find_if(spares_.begin(), spares_.end(),
                                 [&](const spare& s) { return s.contents->is_idle(rt); });
  std::shared_ptr<executable_graph> taken;
  if (idle != spares_.end()) {
    spare old = std::move(*idle);
    spares_.erase(idle);
    unite(old.stale, change.changed);
    taken = old.contents;
    try {
      bring_up_to_date(old, change);
      taken->exchange_commands(rt, old.stale, replaced);
    } catch (...) {
      // It ends, without the lock.
      lock.unlock();
      throw;
    }
  } else {
    if (spares_.size() + 1 >= generations::most) {
      if (change.whole != nullptr) change.whole->outside = std::move(outside);
      return false;
    }
    spare fresh;
    graph_snapshot contents = change.whole != nullptr ? change.whole->copy() : recorded_.copy();
    fresh.contents = begin_generation(std::move(contents));
    if (change.whole == nullptr) bring_up_to_date(fresh, change);
    taken = fresh.contents;
    fresh.contents.reset();
    finish_generation(rt, taken, lock);
  }
  note_changes(change);
  outside_.add(outside);
  continue_in(rt, std::move(taken));
  spares_.back().all = change.whole != nullptr;
  spares_.back().stale = change.changed;
  return true;
}

}  // namespace pianola::runtime
