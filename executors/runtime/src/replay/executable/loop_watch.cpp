// SPDX-License-Identifier: Apache-2.0
#include "replay/executable/loop_watch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>

#include <pianola/host/clock.hpp>

#include "process.hpp"
#include "replay/recorded/control.hpp"
#include "support/log.hpp"

namespace pianola::runtime {

namespace {

std::atomic<loop_watch*> the_watch{nullptr};

std::chrono::nanoseconds time_between_looks(std::uint64_t after) {
  using namespace std::chrono_literals;
  return std::clamp<std::chrono::nanoseconds>(std::chrono::nanoseconds(after / 4), 5ms, 1s);
}

}  // namespace

loop_watch::loop_watch(std::uint64_t after)
    : after_(after),
      watch_({"pianola-loops", time_between_looks(after), "loops of devices are not looked after"},
             [this] { return look(); }) {}

loop_watch* loop_watch::instance() {
  const process& rt = process::instance();
  if (!rt.hint_after || current_log_level() < log_level::warn) return nullptr;
  static loop_watch* const watch = new loop_watch(*rt.hint_after);
  the_watch.store(watch);
  return watch;
}

void loop_watch::stop() noexcept {
  if (loop_watch* const watch = the_watch.load()) watch->watch_.stop();
}

bool loop_watch::concerns(const graph_snapshot& graph) {
  return std::any_of(graph.commands.begin(), graph.commands.end(), [](const model::command& c) {
    const control* const what = control_of(c);
    if (what == nullptr) return false;
    if (what->on_device && what->what == model::control_kind::loop) return true;
    return std::any_of(what->bodies.begin(), what->bodies.end(),
                       [](const control::body& b) { return concerns(b.recorded); });
  });
}

void loop_watch::note(const executors::progress& lane, std::uint64_t position,
                      std::uint64_t& graph) {
  {
    const std::lock_guard lock(mutex_);
    if (graph == 0) graph = ++graphs_;
    const auto known = std::find_if(launches_.begin(), launches_.end(),
                                    [&](const launch& l) { return l.lane == &lane; });
    if (known == launches_.end()) {
      launches_.push_back({&lane, position, position, host::nanoseconds_now(), graph, 0});
    } else {
      if (lane.reached(known->last)) {
        known->position = position;
        known->since = host::nanoseconds_now();
        known->graph = graph;
      }
      known->last = position;
    }
  }
  watch_.begin();
}

bool loop_watch::look() {
  bool any = false;
  std::vector<const executors::progress*> lanes;
  std::unique_lock lock(mutex_);
  for (const launch& l : launches_)
    if (!l.lane->reached(l.last)) lanes.push_back(l.lane);
  // Who looks may tell the runtime that something has finished, which takes its lock.
  lock.unlock();
  for (const executors::progress* lane : lanes)
    if (executors::progress_source* const source = lane->source()) source->look(*lane);
  lock.lock();
  const std::uint64_t now = host::nanoseconds_now();
  for (launch& l : launches_) {
    if (l.lane->reached(l.last)) continue;
    any = true;
    if (l.lane->reached(l.position)) {
      l.position = l.lane->finished() + 1;
      l.since = now;
    } else if (l.told != l.graph && now - l.since >= after_) {
      l.told = l.graph;
      log_warn(
          "a recorded graph with a loop that the device runs by itself was launched {} s ago and "
          "has not ended: the loop ends when a command of its body, or of another graph or queue, "
          "makes its condition 0",
          (now - l.since) / 1'000'000'000);
    }
  }
  return any;
}

}  // namespace pianola::runtime
