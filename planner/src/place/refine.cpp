// SPDX-License-Identifier: Apache-2.0
#include "place/refine.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace pianola::planner::place {

namespace {

// Up to here every move is evaluated as a whole.
constexpr std::size_t small_graph = 128;

class search {
 public:
  search(const ranked_problem& p, objective wanted, placing_of_all places, std::uint64_t& effort,
         schedule& scratch)
      : ranked_(p),
        graph_(p.graph),
        wanted_(wanted),
        state_(scratch),
        effort_(effort),
        places_(std::move(places)),
        figures_(evaluate(places_)) {}

  placing_of_all run() {
    if (graph_.free_commands().empty()) return places_;
    if (graph_.size() <= small_graph)
      climb();
    else
      while (sweep()) {
      }
    return places_;
  }

 private:
  [[nodiscard]] bool spend(std::uint64_t starts) {
    if (starts > effort_) return false;
    effort_ -= starts;
    return true;
  }
  placement_figures evaluate(const placing_of_all& places) {
    return state_.evaluate(places, ranked_.order);
  }

  [[nodiscard]] model::device_id device_of(std::uint32_t command) const {
    return graph_.choices(command)[places_[command]].device;
  }

  // --- Small graphs ---

  // Evaluates the graph with some commands elsewhere, and keeps that if it is better.
  bool try_move(model::array_view<const std::pair<std::uint32_t, std::uint32_t>> moves) {
    if (!spend(2 * graph_.size())) return false;
    trial_ = places_;
    for (const auto& [command, choice] : moves) trial_[command] = choice;
    const placement_figures f = evaluate(trial_);
    if (!better(wanted_, f, figures_)) return false;
    places_.swap(trial_);
    figures_ = f;
    return true;
  }

  bool move_one(std::uint32_t i) {
    bool moved = false;
    for (std::uint32_t k = 0; k < graph_.choices(i).size(); ++k) {
      const std::pair<std::uint32_t, std::uint32_t> move{i, k};
      if (k != places_[i]) moved |= try_move({&move, 1});
    }
    return moved;
  }

  // A command and one that it feeds, together; and each where the other was.
  bool move_two(std::uint32_t a, std::uint32_t b) {
    bool moved = false;
    for (std::uint32_t k = 0; k < graph_.choices(a).size(); ++k) {
      const std::uint32_t other = graph_.choice_with(b, graph_.choices(a)[k].device, k);
      if (other == problem::none || (k == places_[a] && other == places_[b])) continue;
      const std::pair<std::uint32_t, std::uint32_t> moves[] = {{a, k}, {b, other}};
      moved |= try_move(moves);
    }
    return moved;
  }
  bool exchange(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t ka = graph_.choice_with(a, device_of(b), places_[b]),
                        kb = graph_.choice_with(b, device_of(a), places_[a]);
    if (ka == problem::none || kb == problem::none || device_of(a) == device_of(b)) return false;
    const std::pair<std::uint32_t, std::uint32_t> moves[] = {{a, ka}, {b, kb}};
    return try_move(moves);
  }

  void climb() {
    const std::vector<std::uint32_t>& free = graph_.free_commands();
    for (bool moved = true; moved;) {
      moved = false;
      for (const std::uint32_t i : free) moved |= move_one(i);
      if (moved) continue;
      for (const std::uint32_t i : free)
        for (const predecessor& b : graph_.before(i))
          if (b.bytes != 0 && graph_.choices(b.command).size() > 1) moved |= move_two(b.command, i);
      if (moved) continue;
      for (std::size_t a = 0; a < free.size(); ++a)
        for (std::size_t b = a + 1; b < free.size(); ++b) moved |= exchange(free[a], free[b]);
      if (2 * graph_.size() > effort_) return;
    }
  }

  // --- Large graphs ---

  // What a stretch is expected to make of the whole graph: by its latest way to the end, by the work that is left, then
  // by how soon all is done.
  struct outlook {
    double makespan = 0;
    double sum = 0;
    std::uint64_t bytes = 0, peak = 0;
  };
  [[nodiscard]] bool brighter(const outlook& a, const outlook& b) const {
    switch (wanted_) {
      case objective::makespan:
        return std::tie(a.makespan, a.sum, a.bytes) < std::tie(b.makespan, b.sum, b.bytes);
      case objective::bytes:
        return std::tie(a.bytes, a.makespan, a.sum) < std::tie(b.bytes, b.makespan, b.sum);
      case objective::memory:
        return std::tie(a.peak, a.makespan, a.sum) < std::tie(b.peak, b.makespan, b.sum);
    }
    return false;
  }

  // Starts [from, to) of the order, and looks.
  outlook start_stretch(std::size_t from, std::size_t to) {
    outlook o;
    for (std::size_t at = from; at < to; ++at) {
      const std::uint32_t i = ranked_.order[at];
      const double end = state_.take(i, places_[i]);
      o.makespan = std::max(o.makespan, end + below_[i]);
      o.sum += end;
    }
    double ends = 0;
    for (std::size_t d = 0; d < graph_.devices(); ++d) ends += state_.device(d).end();
    o.makespan =
        std::max(o.makespan, (ends + work_left_[to]) / static_cast<double>(graph_.devices()));
    o.bytes = state_.figures().bytes;
    o.peak = state_.figures().peak;
    return o;
  }
  outlook try_stretch(std::size_t from, std::size_t to) {
    state_.begin_trial();
    const outlook o = start_stretch(from, to);
    state_.undo_trial();
    return o;
  }

  void prepare() {
    const std::size_t n = graph_.size();
    below_.resize(n);
    work_left_.assign(n + 1, 0.0);
    for (std::size_t at = n; at-- > 0;) {
      const std::uint32_t i = ranked_.order[at];
      double mean = 0;
      for (const choice& c : graph_.choices(i)) mean += c.seconds;
      mean /= static_cast<double>(graph_.choices(i).size());
      below_[i] = ranked_.ranks[i] - mean;
      work_left_[at] = work_left_[at + 1] + mean;
    }
  }

  // Goes through the order once. Whether it made the graph better and there may be more to gain.
  bool sweep() {
    if (below_.empty()) prepare();
    constexpr std::size_t stretch = 24;
    const std::size_t n = graph_.size();
    if (!spend(2 * n)) return false;
    const placing_of_all before = places_;
    const entry_masks entry = state_.entry_of(places_, ranked_.order);
    state_.start(&entry);
    bool moved = false, exhausted = false;
    for (std::size_t at = 0; at < n; ++at) {
      const std::uint32_t i = ranked_.order[at];
      if (!exhausted && graph_.choices(i).size() > 1) {
        const std::size_t to = std::min(n, at + stretch);
        // Room for the evaluation at the end.
        exhausted = !spend((to - at) * graph_.choices(i).size());
        if (!exhausted) moved |= improve(i, at, to);
      }
      state_.take(i, places_[i]);
    }
    if (!moved) return false;
    const placement_figures f = evaluate(places_);
    if (!better(wanted_, f, figures_)) {
      places_ = before;
      return false;
    }
    figures_ = f;
    return !exhausted;
  }

  bool improve(std::uint32_t i, std::size_t at, std::size_t to) {
    const std::uint32_t was = places_[i];
    std::uint32_t best = was;
    outlook best_outlook = try_stretch(at, to);
    for (std::uint32_t k = 0; k < graph_.choices(i).size(); ++k) {
      if (k == was) continue;
      places_[i] = k;
      const outlook o = try_stretch(at, to);
      if (!brighter(o, best_outlook)) continue;
      best_outlook = o;
      best = k;
    }
    places_[i] = best;
    return best != was;
  }

  const ranked_problem& ranked_;
  const problem& graph_;
  objective wanted_;
  schedule& state_;
  std::uint64_t& effort_;
  placing_of_all places_, trial_;
  placement_figures figures_;
  std::vector<double> below_;      // index: command; from its end to the graph's
  std::vector<double> work_left_;  // index: place in the order
};

}  // namespace

placing_of_all refined(const ranked_problem& p, objective wanted, placing_of_all places,
                       std::uint64_t& effort, schedule& scratch) {
  return search(p, wanted, std::move(places), effort, scratch).run();
}

}  // namespace pianola::planner::place
