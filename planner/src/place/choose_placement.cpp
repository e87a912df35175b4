// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <pianola/model/error.hpp>

#include "pianola/planner/placement.hpp"
#include "place/bounds.hpp"
#include "place/exact.hpp"
#include "place/heft.hpp"
#include "place/list_scheduling.hpp"
#include "place/refine.hpp"
#include "place/reschedule.hpp"
#include "place/schedule.hpp"

namespace pianola::planner {

using place::placing_of_all;

namespace {

// How many commands the evaluator starts in a second: a slow machine's figure, and part of what makes plans repeatable,
// so no measurement.
constexpr double starts_per_second = 2e6;
// Of `anywhere`: an exact search of few commands with a choice among many without goes through all of them each time. About
// a second.
constexpr std::uint64_t most_effort_of_exact = 4'000'000;
// Likewise: from here on a search has too little time for each command to find anything.
constexpr std::size_t most_refined = 2000;
// From here on planning has to be quick.
constexpr std::size_t large_graph = 20000;

class chooser {
 public:
  chooser(const place::ranked_problem& p, objective wanted)
      : ranked_(p), wanted_(wanted), state_(p.graph), order_(p.order) {}

  void consider(placing_of_all places) {
    if (!best_.empty() && wanted_ == objective::makespan && busiest(places) > figures_.seconds)
      return;
    const placement_figures f = state_.evaluate(places, ranked_.order);
    if (!best_.empty() && !better(wanted_, f, figures_)) return;
    best_ = std::move(places);
    figures_ = f;
    starts_ = state_.starts();
  }

  void consider_submitted() {
    placing_of_all places(ranked_.graph.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = ranked_.graph.submitted(i);
    consider(std::move(places));
  }

  // Everything on one device, for each device that every command with a choice may choose, or one of each kind.
  void consider_single_devices() {
    const place::problem& graph = ranked_.graph;
    if (graph.free_commands().empty()) return;
    const auto of_first = graph.choices(graph.free_commands().front());
    const std::vector<std::uint32_t> kinds = graph.kinds_of_devices();
    std::set<std::uint32_t> considered;
    for (std::size_t k = 0; k < of_first.size(); ++k) {
      const place::choice& c = of_first[k];
      if (!considered.insert(kinds[c.device.value()]).second) continue;
      placing_of_all places(graph.size(), 0);
      bool all = true;
      for (const std::uint32_t i : graph.free_commands()) {
        places[i] = graph.choice_with(i, c.device, k);
        all = places[i] != place::problem::none;
        if (!all) break;
      }
      if (all) consider(std::move(places));
    }
  }

  // From wherever data is first looked for; then, of a graph that is not large, from where it was left. Of a large one
  // nothing more is tried once it is known to be about as good as any.
  void consider_lists() {
    for (const bool look_ahead : {true, false}) {
      if (!look_ahead && good_enough()) return;
      placing_of_all first = place::list_scheduling(ranked_, wanted_, look_ahead, nullptr, state_);
      if (ranked_.graph.size() > large_graph) {
        consider(std::move(first));
        continue;
      }
      const place::entry_masks entry = state_.entry_of(first, ranked_.order);
      consider(std::move(first));
      consider(place::list_scheduling(ranked_, wanted_, look_ahead, &entry, state_));
    }
  }

  [[nodiscard]] bool good_enough() const {
    return ranked_.graph.size() > large_graph && wanted_ == objective::makespan &&
           figures_.seconds <= 1.05 * place::bound(ranked_.graph).least_seconds();
  }

  // What the device takes that has the most to do.
  [[nodiscard]] double busiest(const placing_of_all& places) const {
    std::vector<double> work(ranked_.graph.devices(), 0.0);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const place::choice& c = ranked_.graph.choices(i)[places[i]];
      work[c.device.value()] += c.seconds;
    }
    return *std::max_element(work.begin(), work.end());
  }

  // Moves of commands; then, with what is left, other orders. What an exact search goes through stays in its order, so
  // that nothing is better than what that finds.
  void refine(double seconds) {
    auto effort = static_cast<std::uint64_t>(seconds * starts_per_second);
    best_ = place::refined(ranked_, wanted_, std::move(best_), effort, state_);
    evaluate_best();
    if (ranked_.graph.free_commands().size() <= largest_exact) return;
    place::ordered_placement found = place::rescheduled(
        ranked_.graph, wanted_, {std::move(best_), order_, figures_}, effort, state_);
    best_ = std::move(found.places);
    order_ = std::move(found.order);
    evaluate_best();
  }
  // False if it would take more than so much effort; the best one that was found stays.
  bool search_all(std::uint64_t effort) {
    place::exact_placement found = place::exact(ranked_, wanted_, std::move(best_), effort, state_);
    best_ = std::move(found.places);
    evaluate_best();
    return found.complete;
  }

  [[nodiscard]] chosen_placement result() const {
    chosen_placement r;
    for (std::size_t i = 0; i < best_.size(); ++i)
      r.devices.push_back(ranked_.graph.choices(i)[best_[i]].device);
    r.figures = figures_;
    // Of those that start at the same time, as when one takes none, the one comes first that was placed first.
    r.order = order_;
    std::vector<std::uint32_t> position(r.order.size());
    for (std::uint32_t at = 0; at < r.order.size(); ++at) position[r.order[at]] = at;
    std::sort(r.order.begin(), r.order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return starts_[a] != starts_[b] ? starts_[a] < starts_[b] : position[a] < position[b];
    });
    return r;
  }

 private:
  void evaluate_best() {
    figures_ = state_.evaluate(best_, order_);
    starts_ = state_.starts();
  }

  const place::ranked_problem& ranked_;
  objective wanted_;
  place::schedule state_;
  placing_of_all best_;
  std::vector<std::uint32_t> order_;  // in which the best one is started
  placement_figures figures_;
  std::vector<double> starts_;  // index: command
};

bool fits_exact(const place::problem& p) {
  return p.free_commands().size() <= largest_exact &&
         std::all_of(p.free_commands().begin(), p.free_commands().end(),
                     [&](std::uint32_t i) { return p.choices(i).size() <= most_devices_of_exact; });
}

[[noreturn]] void refuse_exact(const place::problem& p) {
  std::size_t most = 0;
  for (const std::uint32_t i : p.free_commands()) most = std::max(most, p.choices(i).size());
  throw model::user_error(
      model::error_code::invalid,
      fmt::format("an exact placement is for graphs of at most {} commands that have a choice of "
                  "at most {} devices; this one has {} with up to {} devices: ask for list "
                  "scheduling or refinement",
                  largest_exact, most_devices_of_exact, p.free_commands().size(), most));
}

void check_candidates(model::array_view<const model::command> commands,
                      const model::topology& machine) {
  for (std::size_t i = 0; i < commands.size(); ++i)
    for (const model::device_id d : commands[i].candidates)
      if (!d.valid() || d.value() >= machine.devices.size())
        throw model::user_error(
            model::error_code::invalid,
            fmt::format("command {} may run on device {}, but there are only {}", i, d.value(),
                        machine.devices.size()));
}

}  // namespace

chosen_placement choose_placement(model::array_view<const model::command> commands,
                                  model::array_view<const model::buffer_info> buffers,
                                  const model::topology& machine, const options& options) {
  check_candidates(commands, machine);
  const place::problem graph(commands, buffers, machine);
  const place::ranked_problem ranked(graph);
  chooser c(ranked, options.objective);
  placing how = options.place;
  if (how == placing::anywhere)
    how = fits_exact(graph)             ? placing::exact
          : graph.size() > most_refined ? placing::list_scheduling
                                        : placing::refined;
  if (how == placing::heft) {
    c.consider(place::heft(ranked));
    return c.result();
  }
  if (how == placing::as_submitted || graph.free_commands().empty()) {
    c.consider_submitted();
    return c.result();
  }
  if (how == placing::exact && !fits_exact(graph)) refuse_exact(graph);
  c.consider_lists();
  // Behind the lists: mostly it can be seen without going through them that these are no better.
  c.consider_submitted();
  c.consider_single_devices();
  if (how == placing::exact &&
      !c.search_all(options.place == placing::exact ? ~std::uint64_t{0} : most_effort_of_exact))
    how = placing::refined;
  if (how == placing::refined) c.refine(options.search_seconds);
  return c.result();
}

placement_figures figures_of(model::array_view<const model::command> commands,
                             model::array_view<const model::buffer_info> buffers,
                             const model::topology& machine,
                             model::array_view<const model::device_id> devices) {
  check_candidates(commands, machine);
  const place::problem graph(commands, buffers, machine);
  const place::ranked_problem ranked(graph);
  placing_of_all places(graph.size(), 0);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto choices = graph.choices(i);
    const auto* const at =
        std::find_if(choices.begin(), choices.end(),
                     [&](const place::choice& c) { return c.device == devices[i]; });
    if (at == choices.end())
      throw model::user_error(
          model::error_code::invalid,
          fmt::format("command {} cannot run on device {}", i, devices[i].value()));
    places[i] = static_cast<std::uint32_t>(at - choices.begin());
  }
  place::schedule state(graph);
  placement_figures f = state.evaluate(places, ranked.order);
  f.least_seconds = place::bound(graph).least_seconds();
  return f;
}

}  // namespace pianola::planner
