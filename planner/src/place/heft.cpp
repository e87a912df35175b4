// SPDX-License-Identifier: Apache-2.0
#include "place/heft.hpp"

#include <algorithm>
#include <iterator>
#include <map>

namespace pianola::planner::place {

namespace {

// All gaps, however many: HEFT looks at every one. What follows without a gap is one interval.
class busy_times {
 public:
  [[nodiscard]] double find(double ready, double length) const {
    // The first interval that ends after `ready`; whatever is before cannot be in the way.
    auto next = by_start_.upper_bound(ready);
    double at = ready;
    if (next != by_start_.begin()) at = std::max(at, std::prev(next)->second);
    for (; next != by_start_.end(); ++next) {
      if (at + length <= next->first) return at;
      at = std::max(at, next->second);
    }
    return at;
  }
  void take(double start, double length) {
    if (length <= 0) return;
    const auto next = by_start_.lower_bound(start);
    if (next != by_start_.begin() && std::prev(next)->second == start)
      std::prev(next)->second = start + length;
    else
      by_start_.emplace_hint(next, start, start + length);
  }

 private:
  std::map<double, double> by_start_;
};

}  // namespace

placing_of_all heft(const ranked_problem& p) {
  const problem& graph = p.graph;
  std::vector<busy_times> devices(graph.devices());
  std::vector<double> ends(graph.size(), 0.0);
  placing_of_all places(graph.size(), 0);
  for (const std::uint32_t i : p.order) {
    const auto choices = graph.choices(i);
    double best_start = 0, best_end = 0;
    for (std::uint32_t k = 0; k < choices.size(); ++k) {
      double ready = 0;
      for (const predecessor& b : graph.before(i)) {
        const std::size_t from = graph.choices(b.command)[places[b.command]].memory;
        ready = std::max(
            ready, ends[b.command] + graph.transfer_seconds(from, choices[k].memory, b.bytes));
      }
      const double start = devices[choices[k].device.value()].find(ready, choices[k].seconds);
      const double end = start + choices[k].seconds;
      if (k != 0 && end >= best_end) continue;
      places[i] = k;
      best_start = start;
      best_end = end;
    }
    const choice& chosen = choices[places[i]];
    devices[chosen.device.value()].take(best_start, chosen.seconds);
    ends[i] = best_end;
  }
  return places;
}

}  // namespace pianola::planner::place
