// SPDX-License-Identifier: Apache-2.0
#include "order_steps.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

#include "cost/link_lines.hpp"
#include "pianola/planner/cost/machine_costs.hpp"
#include "place/timeline.hpp"

namespace pianola::planner {

namespace {

class step_orderer {
 public:
  step_orderer(window& w, const planning_state& state)
      : window_(w), costs_(*w.machine), devices_(w.machine->devices.size(), 0.0) {
    for (const buffer_state& b : state.internals().buffers) buffers_.push_back(b.info);
    memories_ = w.machine->memories.size();
    line_of_.resize(memories_ * memories_, 0);
    const link_lines lines(*w.machine);
    links_.resize(lines.count);
    for (std::size_t i = 0; i < lines.of_link.size(); ++i) {
      const model::link_description& l = w.machine->links[i];
      line_of_[l.from.value() * memories_ + l.to.value()] = lines.of_link[i];
    }
  }

  void run() {
    const std::size_t n = window_.nodes.size();
    std::vector<double> starts(n), ends(n);
    for (std::size_t i = 0; i < n; ++i) {
      const node& at = window_.nodes[i];
      double ready = 0;
      for (std::uint32_t e = 0; e < at.edge_count; ++e)
        ready = std::max(ready, ends[window_.edges[at.first_edge + e] - window_.first]);
      starts[i] = start(at, ready, ends[i]);
    }
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return starts[a] != starts[b] ? starts[a] < starts[b] : a < b;
    });
    put_into(order);
  }

 private:
  // As soon as it and what it runs on are ready: a link may have a gap, a device goes by its commands' order. Host
  // tasks are in nobody's way.
  double start(const node& n, double ready, double& end) {
    if (n.transfer) {
      const pending_transfer& t = window_.transfers[n.index];
      const double takes = costs_.seconds(
          t.from, t.to, t.elements.count() * buffers_[t.buffer.value()].element_size);
      place::timeline& link = links_[line_of_[t.from.value() * memories_ + t.to.value()]];
      const double at = link.find(ready, takes);
      if (takes > 0) link.take(at, takes);
      end = at + takes;
      return at;
    }
    const model::command& c = window_.commands[n.index];
    double& free_from = devices_[n.device.value()];
    const double at = std::max(ready, free_from);
    end = at + costs_.seconds(c, buffers_, n.device);
    if (!std::holds_alternative<model::host_task_command>(c.payload)) free_from = end;
    return at;
  }

  void put_into(const std::vector<std::uint32_t>& order) {
    std::vector<std::uint32_t> place(order.size());
    for (std::uint32_t at = 0; at < order.size(); ++at) place[order[at]] = at;
    std::vector<node> nodes;
    nodes.reserve(order.size());
    for (const std::uint32_t i : order) nodes.push_back(window_.nodes[i]);
    window_.nodes.swap(nodes);
    for (std::uint64_t& e : window_.edges) e = window_.first + place[e - window_.first];
    for (const node& n : window_.nodes) {
      std::uint64_t* const first = window_.edges.data() + n.first_edge;
      std::sort(first, first + n.edge_count, std::greater<>());
    }
    for (std::uint32_t& i : window_.node_of_command) i = place[i];
  }

  window& window_;
  machine_costs costs_;
  std::vector<model::buffer_info> buffers_;
  std::vector<double> devices_;  // from when on they are free
  std::vector<place::timeline> links_;
  std::size_t memories_ = 0;
  std::vector<std::size_t> line_of_;  // index: from * memories_ + to
};

}  // namespace

void order_steps(window& window, const planning_state& state) {
  if (!window.recorded || !window.room.empty() || window.planned_order.empty()) return;
  step_orderer(window, state).run();
}

}  // namespace pianola::planner
