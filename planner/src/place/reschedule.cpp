// SPDX-License-Identifier: Apache-2.0
#include "place/reschedule.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include "place/list_scheduling.hpp"

namespace pianola::planner::place {

namespace {

class rescheduler {
 public:
  rescheduler(const problem& p, objective wanted, ordered_placement best, std::uint64_t& effort,
              schedule& scratch)
      : graph_(p), wanted_(wanted), state_(scratch), effort_(effort), best_(std::move(best)) {}

  ordered_placement run() {
    // An evaluation goes through the commands twice, and so much does a list take, whose attempts change nothing.
    const std::uint64_t starts = 4 * graph_.size();
    std::uint32_t fruitless = 0;
    for (std::uint32_t round = 0; fruitless < patience && effort_ >= starts; ++round) {
      effort_ -= starts;
      fruitless = attempt(round) ? 0 : fruitless + 1;
    }
    return std::move(best_);
  }

 private:
  // A small graph, which could go on for thousands of rounds, is soon as good as it gets.
  static constexpr std::uint32_t patience = 32;

  // Between 1 - most and 1 + most.
  double wrong_by(double most) {
    return 1 + most * (static_cast<double>(random_() >> 11) * 0x1p-52 - 1);
  }

  // As upward_ranks, with times that are wrong, of the devices that the best placement has chosen or of the mean one.
  [[nodiscard]] std::vector<double> ranks(bool as_placed, double most) {
    std::vector<double> result(graph_.size(), 0.0);
    for (std::size_t i = graph_.size(); i-- > 0;) {
      const auto choices = graph_.choices(i);
      double own = 0;
      if (as_placed) {
        own = choices[best_.places[i]].seconds;
      } else {
        for (const choice& c : choices) own += c.seconds;
        own /= static_cast<double>(choices.size());
      }
      result[i] += own * wrong_by(most);
      for (const predecessor& b : graph_.before(i)) {
        const double way =
            as_placed
                ? graph_.transfer_seconds(graph_.choices(b.command)[best_.places[b.command]].memory,
                                          choices[best_.places[i]].memory, b.bytes)
                : graph_.mean_transfer_seconds(b.bytes);
        result[b.command] = std::max(result[b.command], way * wrong_by(most) + result[i]);
      }
    }
    return result;
  }

  bool attempt(std::uint32_t round) {
    // First what follows from the best placement; then the more the longer nothing is found.
    const double most = round < 2 ? 0 : 0.1 * (1 + round / 2 % 5);
    ranked_problem other(graph_, ranks(round % 4 < 2, most));
    const entry_masks entry = state_.entry_of(best_.places, best_.order);
    placing_of_all places = list_scheduling(other, wanted_, round % 2 == 0, &entry, state_);
    const placement_figures figures = state_.evaluate(places, other.order);
    if (!better(wanted_, figures, best_.figures)) return false;
    best_ = {std::move(places), std::move(other.order), figures};
    return true;
  }

  const problem& graph_;
  objective wanted_;
  schedule& state_;
  std::uint64_t& effort_;
  ordered_placement best_;
  std::mt19937_64 random_;
};

}  // namespace

ordered_placement rescheduled(const problem& p, objective wanted, ordered_placement best,
                              std::uint64_t& effort, schedule& scratch) {
  return rescheduler(p, wanted, std::move(best), effort, scratch).run();
}

}  // namespace pianola::planner::place
