// SPDX-License-Identifier: Apache-2.0
#include "place/list_scheduling.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <tuple>
#include <utility>

namespace pianola::planner::place {

namespace {

class scheduler {
 public:
  scheduler(const ranked_problem& p, objective wanted, schedule& scratch)
      : ranked_(p), graph_(p.graph), wanted_(wanted), state_(scratch) {}

  placing_of_all run(bool look_ahead, const entry_masks* entry) {
    if (look_ahead) find_successors();
    state_.tell_peaks(wanted_ == objective::memory);
    state_.start(entry);
    placing_of_all places(graph_.size(), 0);
    places_ = &places;
    const std::vector<std::uint32_t>& order = ranked_.order;
    for (std::size_t at = 0; at < order.size(); ++at) {
      if (at + schedule::expected < order.size()) state_.expect(order[at + schedule::expected]);
      const std::uint32_t i = order[at];
      places[i] = choose(i, look_ahead);
      state_.take(i, places[i]);
    }
    return places;
  }

 private:
  static constexpr std::uint32_t none = problem::none;
  // Up to here all are tried, as fast as they could be left out.
  static constexpr std::size_t few_choices = 16;
  struct successor {
    std::uint32_t command = none;
    std::uint64_t bytes = 0;
    double urgency = -1;
  };

  void find_successors() {
    next_.assign(graph_.size(), {});
    written_in_.assign(graph_.cell_count(), none);
    for (std::uint32_t i = 0; i < graph_.size(); ++i)
      for (const predecessor& b : graph_.before(i)) {
        const double urgency = ranked_.ranks[i] + graph_.mean_transfer_seconds(b.bytes);
        successor& n = next_[b.command];
        if (urgency > n.urgency) n = {i, b.bytes, urgency};
      }
  }

  std::uint32_t choose(std::uint32_t i, bool look_ahead) {
    const auto choices = graph_.choices(i);
    if (choices.size() == 1) return 0;
    const bool ahead = look_ahead && next_[i].command != none && next_[i].bytes != 0;
    if (ahead) look_at(i, next_[i].command);
    const double ready = state_.after_predecessors(i);
    if (choices.size() > few_choices) return choose_of_many(i, ready, ahead);
    std::uint32_t best = 0;
    std::tuple<double, double, double> best_key;
    for (std::uint32_t k = 0; k < choices.size(); ++k) {
      const schedule::attempt a = state_.try_choice(i, k, ready);
      const double until = ahead ? end_of_next(i, choices[k], a.end) : a.end;
      const std::tuple<double, double, double> key = key_of(a, until);
      if (k != 0 && key >= best_key) continue;
      best = k;
      best_key = key;
    }
    return best;
  }

  // The same. Most are no better even if they had all the data, which is seen sooner where the data is looked at first.
  std::uint32_t choose_of_many(std::uint32_t i, double ready, bool ahead) {
    const auto choices = graph_.choices(i);
    std::uint32_t best = none;
    std::tuple<double, double, double> best_key;
    const auto consider = [&](std::uint32_t k) {
      const schedule::attempt a = state_.try_choice(i, k, ready);
      const double until = ahead ? end_of_next(i, choices[k], a.end) : a.end;
      const std::tuple<double, double, double> key = key_of(a, until);
      if (best != none && (key > best_key || (key == best_key && k > best))) return;
      best = k;
      best_key = key;
    };
    const bool by_time = wanted_ == objective::makespan;
    const std::uint32_t near = by_time ? nearest(i) : none;
    if (near != none) consider(near);
    for (std::uint32_t k = 0; k < choices.size(); ++k)
      if (k != near &&
          !(by_time && best != none && least_until(i, k, ready, ahead) > std::get<0>(best_key)))
        consider(k);
    return best;
  }

  // The choice that has most of what the command reads of others.
  [[nodiscard]] std::uint32_t nearest(std::uint32_t i) const {
    std::uint64_t most = 0;
    std::uint32_t from = none;
    for (const predecessor& b : graph_.before(i))
      if (b.bytes > most) {
        most = b.bytes;
        from = b.command;
      }
    if (from == none) return none;
    const std::uint32_t there = (*places_)[from];
    return graph_.choice_with(i, graph_.choices(from)[there].device, there);
  }

  // If all the data were there, and at once where the next command is.
  [[nodiscard]] double least_until(std::uint32_t i, std::uint32_t k, double ready,
                                   bool ahead) const {
    const choice& c = graph_.choices(i)[k];
    const double end = state_.device(c.device.value()).find(ready, c.seconds) + c.seconds;
    return ahead ? end + next_least_ : end;
  }

  [[nodiscard]] std::tuple<double, double, double> key_of(const schedule::attempt& a,
                                                          double until) const {
    switch (wanted_) {
      case objective::makespan:
        return {until, a.end, static_cast<double>(a.bytes)};
      case objective::bytes:
        return {static_cast<double>(a.bytes), until, a.end};
      case objective::memory:
        return {static_cast<double>(a.peak), until, static_cast<double>(a.bytes)};
    }
    return {};
  }

  // When each choice of the successor would have the data that does not come from the command.
  void look_at(std::uint32_t i, std::uint32_t next) {
    for (const data_use& u : graph_.writes(i))
      for (const std::uint32_t cell : graph_.cells(u)) written_in_[cell] = i;
    double ready = 0;
    for (const predecessor& b : graph_.before(next))
      if (b.command != i) ready = std::max(ready, state_.ends_so_far(b.command));
    others_ready_.assign(graph_.choices(next).size(), ready);
    for (const data_use& u : graph_.reads(next))
      for (std::size_t k = 0; k < others_ready_.size(); ++k) {
        const std::size_t memory = u.memory == data_use::own_memory ? graph_.choices(next)[k].memory
                                                                    : std::size_t{u.memory};
        std::uint64_t missing = 0;
        double since = 0;
        std::size_t from = memory;
        for (const std::uint32_t cell : graph_.cells(u)) {
          if (written_in_[cell] == i) continue;
          if (state_.is_valid(cell, memory)) {
            others_ready_[k] = std::max(others_ready_[k], state_.since(cell, memory));
            continue;
          }
          bool over_host = false;
          if (missing == 0)
            from = graph_.source_for(state_.valid(cell), memory, u.bytes, over_host);
          missing += graph_.bytes_of_cell(cell);
          since = std::max(since, state_.since(cell, state_.lowest_valid(cell)));
        }
        if (missing != 0)
          others_ready_[k] =
              std::max(others_ready_[k], since + graph_.transfer_seconds(from, memory, missing));
      }
    const auto choices = graph_.choices(next);
    next_least_ = 0;
    if (choices.size() <= few_choices) return;
    next_least_ = std::numeric_limits<double>::infinity();
    soonest_.clear();
    ends_.clear();
    for (std::uint32_t k = 0; k < choices.size(); ++k) {
      const choice& c = choices[k];
      next_least_ = std::min(next_least_, c.seconds);
      ends_.emplace_back(
          std::max(others_ready_[k], state_.device(c.device.value()).end()) + c.seconds, k);
    }
  }

  [[nodiscard]] double end_of_next(std::uint32_t i, const choice& mine, double end) {
    const successor& next = next_[i];
    const auto choices = graph_.choices(next.command);
    double best = std::numeric_limits<double>::infinity();
    const auto consider = [&](std::uint32_t k) {
      double start =
          std::max(others_ready_[k],
                   end + graph_.transfer_seconds(mine.memory, choices[k].memory, next.bytes));
      start = std::max(start, state_.device(choices[k].device.value()).end());
      best = std::min(best, start + choices[k].seconds);
    };
    if (choices.size() <= few_choices) {
      for (std::uint32_t k = 0; k < choices.size(); ++k) consider(k);
      return best;
    }
    // Where the command itself is there is nothing to move; elsewhere, at least the least. Otherwise the soonest come
    // first, until the others are later even with the data there: mostly a few, so that all choices of the command
    // together look at hardly more than all of the next one's.
    const std::uint32_t own = graph_.choice_with(
        next.command, mine.device, static_cast<std::size_t>(&mine - graph_.choices(i).begin()));
    if (own != problem::none) consider(own);
    if (best <= end + graph_.least_transfer_seconds(next.bytes) + next_least_) return best;
    for (std::size_t at = 0; at < choices.size(); ++at) {
      if (at == soonest_.size()) take_soonest();
      if (soonest_[at].first >= best) break;
      consider(soonest_[at].second);
    }
    return best;
  }

  // When each choice of the next command would end if what comes from this one were there at once: of those that are not
  // yet in the list, the soonest.
  void take_soonest() {
    const auto later = std::greater<>();
    if (soonest_.empty()) std::make_heap(ends_.begin(), ends_.end(), later);
    std::pop_heap(ends_.begin(), ends_.end(), later);
    soonest_.push_back(ends_.back());
    ends_.pop_back();
  }

  const ranked_problem& ranked_;
  const problem& graph_;
  objective wanted_;
  schedule& state_;
  std::vector<successor> next_;             // index: command; the most urgent
  std::vector<std::uint32_t> written_in_;   // index: cell; by which command it was looked at last
  std::vector<double> others_ready_;        // index: choice of the successor
  const placing_of_all* places_ = nullptr;  // so far
  // Of many choices of the successor: the least that it takes; its ends with the choices, the soonest apart.
  double next_least_ = 0;
  std::vector<std::pair<double, std::uint32_t>> soonest_, ends_;
};

}  // namespace

placing_of_all list_scheduling(const ranked_problem& p, objective wanted, bool look_ahead,
                               const entry_masks* entry, schedule& scratch) {
  return scheduler(p, wanted, scratch).run(look_ahead, entry);
}

}  // namespace pianola::planner::place
