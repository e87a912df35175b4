// SPDX-License-Identifier: Apache-2.0
#include "assign_lanes.hpp"

#include <algorithm>
#include <utility>

#include "schedule/lane_clocks.hpp"

namespace pianola::planner {

namespace {

class assigner {
 public:
  assigner(window& window, planning_state& state)
      : window_(window), im_(state.internals()), clocks_(window, im_) {}

  void run() {
    if (window_.nodes.size() == 1) {
      node& n = window_.nodes[0];
      find_held(n);
      take(n, window_.first, choose(n, false));
      return;
    }
    clocks_.start();
    for (std::size_t i = 0; i < window_.nodes.size(); ++i) {
      node& n = window_.nodes[i];
      // Each of what it waits for, and it itself, may be in a lane that the window has not met.
      clocks_.clear_row(std::size_t{n.edge_count} + 1);
      const std::uint64_t* edges = window_.edges.data() + n.first_edge;
      for (std::uint32_t e = 0; e < n.edge_count; ++e) {
        const lane_clocks::place p = clocks_.place_of(edges[e]);
        if (!clocks_.reached(p)) clocks_.merge(edges[e], p);
      }
      find_held(n);
      const std::uint32_t lane = choose(n, true);
      take(n, window_.first + i, lane);
      if (n.previous != no_step && n.previous >= window_.first) clocks_.merge(n.previous, {});
      const lane_clocks::place own = clocks_.at(lane, n.position);
      n.column = own.column;
      clocks_.raise(own);
      clocks_.store_row();
    }
  }

 private:
  void take(node& n, std::uint64_t step, std::uint32_t lane) {
    lane_state& l = im_.lanes[lane];
    n.lane = lane;
    n.position = ++l.length;
    n.previous = std::exchange(l.tail, step);
    if (ends_with_host(n)) n.held = im_.last_host_access = step + 1;
    n.held = l.held = std::max(n.held, l.held);
  }

  // Who knows when: the program ends it, by what it does next, as a host task may wait for that.
  [[nodiscard]] bool ends_with_host(const node& n) const noexcept {
    if (window_.recorded || n.transfer) return false;
    switch (kind_of(window_.commands[n.index].payload)) {
      case model::command_kind::host_access:
      case model::command_kind::host_task:
        return true;
      case model::command_kind::empty:
      case model::command_kind::kernel:
      case model::command_kind::copy:
      case model::command_kind::fill:
      case model::command_kind::barrier:
      case model::command_kind::prefetch:
      case model::command_kind::advise:
      case model::command_kind::acquire:
      case model::command_kind::subgraph:
      case model::command_kind::allocate:
      case model::command_kind::free:
        return false;
    }
    return false;
  }

  [[nodiscard]] bool holds(std::uint64_t held) const noexcept { return held > window_.retired; }

  // Which access or task of the host the step comes after; its lane may add another one.
  void find_held(node& n) {
    if (!holds(im_.last_host_access)) return;
    const std::uint64_t* edges = window_.edges.data() + n.first_edge;
    for (std::uint32_t e = 0; e < n.edge_count; ++e)
      n.held =
          std::max(n.held, edges[e] >= window_.first ? window_.nodes[edges[e] - window_.first].held
                                                     : im_.steps.at(edges[e]).held);
  }

  std::uint32_t choose(const node& n, bool clocks) {
    if (!n.transfer) {
      const model::lane_id wanted = window_.commands[n.index].lane;
      if (wanted.valid()) return window_.recorded ? named_lane(wanted, n.device) : wanted.value();
    }
    if (im_.devices.size() <= n.device.value())
      im_.devices.resize(n.device.value() + std::size_t{1});
    const std::uint32_t maximum =
        std::max(1U, window_.machine->devices[n.device.value()].maximum_lanes);
    if (window_.wanted->single_lane)
      return pick(n, im_.devices[n.device.value()].compute, lane_use::compute, 1, clocks);
    const std::uint32_t for_transfers =
        maximum >= 2 && window_.machine->memories.size() > 1 ? std::max(1U, maximum / 4) : 0;
    if (n.transfer && for_transfers > 0)
      return pick(n, im_.devices[n.device.value()].transfer, lane_use::transfer, for_transfers,
                  clocks);
    return pick(n, im_.devices[n.device.value()].compute, lane_use::compute,
                maximum - for_transfers, clocks);
  }

  std::uint32_t pick(const node& n, const std::vector<std::uint32_t>& lanes, lane_use use,
                     std::uint32_t maximum, bool clocks) {
    const bool for_host = ends_with_host(n);
    const bool held = holds(n.held) || for_host;
    // Whether a lane that is free of what the host ends may be taken: one is left, but as many as there may be are for what
    // the host ends itself, which may wait for each other.
    bool free_lanes = true;
    if (held) {
      const auto taken = static_cast<std::size_t>(
          std::count_if(lanes.begin(), lanes.end(),
                        [&](std::uint32_t lane) { return holds(im_.lanes[lane].held); }));
      const std::size_t free =
          lanes.size() - taken + (maximum > lanes.size() ? maximum - lanes.size() : 0);
      free_lanes = for_host ? taken < maximum : free > 1;
    }
    auto fits = [&](const lane_state& l) { return holds(l.held) ? held : free_lanes; };

    const std::uint64_t* edges = window_.edges.data() + n.first_edge;
    for (std::uint32_t e = 0; e < n.edge_count; ++e) {
      const std::uint32_t lane = lane_of(edges[e]);
      const lane_state& l = im_.lanes[lane];
      if (l.tail == edges[e] && l.use == use && l.device == n.device && fits(l)) return lane;
    }
    std::uint64_t oldest = no_step;
    std::uint32_t oldest_lane = 0;
    bool oldest_is_behind = true;
    for (const std::uint32_t lane : lanes) {
      const lane_state& l = im_.lanes[lane];
      if (!fits(l)) continue;
      if (l.tail == no_step || l.tail < window_.retired) return lane;
      if (clocks && clocks_.reached(lane, l.length)) return lane;
      // Behind what the host ends only where there is no other.
      const bool behind = holds(l.held) && !holds(n.held);
      if (std::pair(behind, l.tail) < std::pair(oldest_is_behind, oldest)) {
        oldest = l.tail;
        oldest_lane = lane;
        oldest_is_behind = behind;
      }
    }
    if (oldest == no_step || (free_lanes && lanes.size() < maximum))
      return im_.add_lane(n.device, use).value();
    return oldest_lane;
  }

  std::uint32_t lane_of(std::uint64_t step) const {
    return step >= window_.first ? window_.nodes[step - window_.first].lane
                                 : im_.steps.at(step).lane;
  }

  // Recorded commands name lanes of elsewhere: those that name the same lane share one here.
  std::uint32_t named_lane(model::lane_id wanted, model::device_id device) {
    for (const auto& [name, lane] : named_)
      if (name == wanted && im_.lanes[lane].device == device) return lane;
    const std::uint32_t lane = im_.add_lane(device, lane_use::caller).value();
    named_.emplace_back(wanted, lane);
    return lane;
  }

  window& window_;
  planning_state::implementation& im_;
  lane_clocks clocks_;
  std::vector<std::pair<model::lane_id, std::uint32_t>> named_;
};

}  // namespace

void assign_lanes(window& window, planning_state& state) { assigner(window, state).run(); }

}  // namespace pianola::planner
