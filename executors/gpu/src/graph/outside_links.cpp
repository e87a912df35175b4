// SPDX-License-Identifier: Apache-2.0
#include "graph/outside_links.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include <pianola/host/team.hpp>

#include "engine/engine.hpp"
#include "graph/gpu_graph.hpp"

namespace pianola::gpu {

// Signals.

graph_signal::~graph_signal() {
  for (std::size_t i = 0; i < count_; ++i) give_back(at(i).recorded);
  event_pool& pool = engine_.resources(device).events;
  if (in_graph_.native != nullptr && in_graph_.native != event_.native) pool.give(false, in_graph_);
  if (event_.native != nullptr) pool.give(false, event_);
}

// Not those that are still used by the graph.
void graph_signal::give_back(event e) noexcept {
  if (e.native != nullptr && e.native != event_.native && e.native != in_graph_.native)
    engine_.resources(device).events.give(false, e);
}

code graph_signal::add_to(graph g, const std::vector<node>& after) {
  if (event_.native == nullptr)
    if (const code c = engine_.resources(device).events.take(false, event_); c != success) return c;
  // The graph's node keeps this one; until the graph is built anew it is nobody else's.
  if (in_graph_.native == nullptr) in_graph_ = event_;
  engine_.counters.event_nodes.fetch_add(1, std::memory_order_relaxed);
  return engine_.drv.add_record(g, after, device, in_graph_, node_);
}

void graph_signal::renew() noexcept {
  bool in_use = false;
  for (std::size_t i = 0; i < count_; ++i)
    in_use = in_use || at(i).recorded.native == event_.native;
  event fresh;
  if (in_use && engine_.resources(device).events.take(false, fresh) == success) event_ = fresh;
}

code graph_signal::exchange(executable e) noexcept {
  if (in_executable_.native == event_.native) return success;
  const code c = engine_.drv.set_recorded(e, node_, device, event_);
  if (c == success) in_executable_ = event_;
  return c;
}

code graph_signal::record(stream where) noexcept {
  return engine_.drv.record(device, where, event_);
}

void graph_signal::issued(const executors::progress& lane, std::uint64_t number,
                          std::uint64_t position, bool recorded) noexcept {
  lane_.store(&lane, std::memory_order_release);
  const launch l{number, position, recorded ? event_ : event{}};
  if (count_ == launches_.size() || rest_.number != 0)
    rest_ = {number, position, {}};
  else
    at(count_++) = l;
}

bool graph_signal::poll(std::uint64_t lane_reached) noexcept {
  bool any = false;
  for (; count_ != 0; first_ = (first_ + 1) % launches_.size(), --count_) {
    const launch l = at(0);
    if (l.position > lane_reached) {
      if (l.recorded.native == nullptr) return any;
      code why = success;
      // What has failed is told where the lane asks.
      if (engine_.drv.query(l.recorded, why) != event_state::reached) return any;
    }
    progress_.finish(l.number);
    any = true;
    give_back(l.recorded);
  }
  if (rest_.number != 0 && rest_.position <= lane_reached) {
    progress_.finish(rest_.number);
    rest_ = {};
    any = true;
  }
  return any;
}

void graph_signal::wait(const executors::progress&, std::uint64_t position) noexcept {
  while (!progress_.reached(position)) {
    look(progress_);
    if (progress_.reached(position)) return;
    if (!host::team::instance().help(host::team::current_thread()))
      std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

void graph_signal::look(const executors::progress&) noexcept {
  if (const executors::progress* const l = lane_.load(std::memory_order_acquire); l != nullptr)
    l->source()->look(*l);
}

// All of a graph.

void outside_links::collect(const engine& e, std::uint32_t first,
                            model::array_view<const executors::graph_step> steps) {
  std::uint32_t number = first;
  for (const executors::graph_step& s : steps) {
    const std::uint32_t device = e.ordinals[s.device];
    if (s.signals) signals_.push_back(std::make_unique<graph_signal>(engine_, number, device));
    for (const executors::outside_step& o : s.outside)
      waits_.push_back({number,
                        device,
                        static_cast<gpu_graph*>(o.graph)->links().signal_of(o.step),
                        {},
                        {},
                        {}});
    ++number;
  }
}

model::array_view<outside_links::outside_wait> outside_links::waits_of(
    std::uint32_t step) noexcept {
  const auto first =
      std::lower_bound(waits_.begin(), waits_.end(), step,
                       [](const outside_wait& w, std::uint32_t s) { return w.step < s; });
  const auto last =
      std::find_if(first, waits_.end(), [&](const outside_wait& w) { return w.step != step; });
  return {waits_.data() + (first - waits_.begin()), static_cast<std::size_t>(last - first)};
}

graph_signal* outside_links::signal_of(std::uint32_t step) const noexcept {
  const auto at =
      std::lower_bound(signals_.begin(), signals_.end(), step,
                       [](const auto& signal, std::uint32_t s) { return signal->step < s; });
  return at != signals_.end() && (*at)->step == step ? at->get() : nullptr;
}

code outside_links::add_waits(graph g, std::uint32_t step, std::vector<node>& after) {
  for (outside_wait& w : waits_of(step)) {
    w.in_graph = w.on->last();
    engine_.counters.event_nodes.fetch_add(1, std::memory_order_relaxed);
    if (const code c = engine_.drv.add_wait(g, {}, w.device, w.in_graph, w.native); c != success)
      return c;
    after.push_back(w.native);
  }
  return success;
}

code outside_links::add_record(graph g, std::uint32_t step, const std::vector<node>& after) {
  graph_signal* const s = signal_of(step);
  return s == nullptr ? success : s->add_to(g, after);
}

void outside_links::instantiated() noexcept {
  for (const auto& s : signals_) s->instantiated();
  for (outside_wait& w : waits_) w.in_executable = w.in_graph;
}

void outside_links::updated() noexcept {
  for (const auto& s : signals_) s->updated();
  for (outside_wait& w : waits_) w.in_executable = {};
}

code outside_links::prepare_launch(executable e) noexcept {
  for (const auto& s : signals_) {
    s->renew();
    if (const code c = s->exchange(e); c != success) return c;
  }
  for (outside_wait& w : waits_) {
    const event wanted = w.on->last();
    if (w.in_executable.native == wanted.native) continue;
    if (const code c = engine_.drv.set_awaited(e, w.native, w.device, wanted); c != success)
      return c;
    w.in_executable = wanted;
  }
  return success;
}

void outside_links::begin_steps() noexcept {
  for (const auto& s : signals_) s->renew();
  recorded_ = true;
}

code outside_links::wait_at(std::uint32_t step, stream where) noexcept {
  for (const outside_wait& w : waits_of(step))
    if (const code c = engine_.drv.wait(w.device, where, w.on->last()); c != success) return c;
  return success;
}

code outside_links::record_at(std::uint32_t step, stream where) noexcept {
  graph_signal* const s = signal_of(step);
  return s == nullptr ? success : s->record(where);
}

void outside_links::issued(const executors::progress& lane, std::uint64_t position) noexcept {
  ++issued_;
  for (const auto& s : signals_) s->issued(lane, issued_, position, recorded_);
  recorded_ = false;
}

bool outside_links::poll(std::uint64_t lane_reached) noexcept {
  bool any = false;
  for (const auto& s : signals_)
    if (s->poll(lane_reached)) any = true;
  return any;
}

bool outside_links::under_way() const noexcept {
  return std::any_of(signals_.begin(), signals_.end(),
                     [](const auto& s) { return s->under_way(); });
}

void outside_links::abandon() noexcept {
  for (const auto& s : signals_) s->finish(submissions());
}

}  // namespace pianola::gpu
