// SPDX-License-Identifier: Apache-2.0
#include "place/exact.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <pianola/model/saturating.hpp>

#include "place/bounds.hpp"

namespace pianola::planner::place {

namespace {

class searcher {
 public:
  searcher(const ranked_problem& p, objective wanted, placing_of_all start, std::uint64_t effort,
           schedule& scratch)
      : ranked_(p),
        graph_(p.graph),
        wanted_(wanted),
        effort_(effort),
        state_(scratch),
        bound_(p.graph),
        best_(std::move(start)),
        best_figures_(state_.evaluate(best_, p.order)),
        fixed_(graph_.size(), undecided) {
    for (const std::uint32_t i : p.order)
      if (graph_.choices(i).size() > 1)
        free_.push_back(i);
      else
        fixed_[i] = 0;
  }

  exact_placement run() {
    if (!free_.empty()) decide(0);
    return {best_, effort_ != 0};
  }

 private:
  // False if there is none left.
  bool spend() noexcept {
    effort_ -= std::min<std::uint64_t>(effort_, graph_.size());
    return effort_ != 0;
  }

  void decide(std::size_t level) {
    if (!spend()) return;
    if (level == free_.size()) {
      const placement_figures f = state_.evaluate(fixed_, ranked_.order);
      if (!better(wanted_, f, best_figures_)) return;
      best_ = fixed_;
      best_figures_ = f;
      return;
    }
    const std::uint32_t i = free_[level];
    for (std::uint32_t k = 0; k < graph_.choices(i).size(); ++k) {
      fixed_[i] = k;
      if (may_be_better()) decide(level + 1);
    }
    fixed_[i] = undecided;
  }

  // Bounds of whatever the rest will be.
  [[nodiscard]] bool may_be_better() const {
    switch (wanted_) {
      case objective::makespan:
        // Equal times may still have fewer bytes. The sums here come in another order than the evaluator's.
        return bound_.least_seconds(fixed_) <= best_figures_.seconds * (1 + 1e-9);
      case objective::bytes:
        return least_bytes() <= best_figures_.bytes;
      case objective::memory:
        return least_peak() <= best_figures_.peak;
    }
    return true;
  }

  // What moves between two commands that are decided: each version of a cell once to each memory, so of those who read
  // what one command made, in one memory, the one that reads most of it counts.
  [[nodiscard]] std::uint64_t least_bytes() const {
    std::uint64_t sum = 0;
    std::map<std::pair<std::uint32_t, std::size_t>, std::uint64_t> most;  // command, memory
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (fixed_[i] == undecided) continue;
      const std::size_t to = graph_.choices(i)[fixed_[i]].memory;
      for (const predecessor& b : graph_.before(i)) {
        if (fixed_[b.command] == undecided || !graph_.at_home(i) || !graph_.at_home(b.command) ||
            graph_.choices(b.command)[fixed_[b.command]].memory == to)
          continue;
        std::uint64_t& m = most[{b.command, to}];
        m = std::max(m, b.bytes);
      }
    }
    for (const auto& [_, bytes] : most) sum += bytes;
    return sum;
  }
  [[nodiscard]] std::uint64_t least_peak() const {
    std::vector<model::memory_set> in(graph_.buffer_count());
    std::vector<std::uint64_t> used(graph_.memories(), 0);
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (fixed_[i] == undecided) continue;
      const auto use = [&](const data_use& u) {
        const std::size_t m = u.memory == data_use::own_memory ? graph_.choices(i)[fixed_[i]].memory
                                                               : std::size_t{u.memory};
        const model::memory_id memory(static_cast<std::uint16_t>(m));
        if (m == 0 || in[u.buffer].contains(memory)) return;
        in[u.buffer].add(memory);
        used[m] = model::saturating_add(used[m], graph_.bytes_of_buffer(u.buffer));
      };
      for (const data_use& u : graph_.reads(i)) use(u);
      for (const data_use& u : graph_.writes(i)) use(u);
    }
    return *std::max_element(used.begin(), used.end());
  }

  const ranked_problem& ranked_;
  const problem& graph_;
  objective wanted_;
  std::uint64_t effort_;
  schedule& state_;
  bound bound_;
  placing_of_all best_;
  placement_figures best_figures_;
  placing_of_all fixed_;
  std::vector<std::uint32_t> free_;
};

}  // namespace

exact_placement exact(const ranked_problem& p, objective wanted, placing_of_all start,
                      std::uint64_t effort, schedule& scratch) {
  return searcher(p, wanted, std::move(start), effort, scratch).run();
}

}  // namespace pianola::planner::place
