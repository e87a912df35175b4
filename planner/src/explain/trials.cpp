// SPDX-License-Identifier: Apache-2.0
#include "trials.hpp"

#include <algorithm>
#include <cmath>
#include <future>
#include <optional>
#include <thread>
#include <tuple>
#include <variant>

#include <pianola/formats/progress.hpp>
#include <pianola/model/error.hpp>

#include "pianola/planner/command_edges.hpp"
#include "pianola/planner/make_plan.hpp"

namespace pianola::planner {

namespace {

// Whether commands may wait for others with it than without.
bool changes_order(const graph_change& change) {
  if (std::holds_alternative<device_change>(change)) return false;
  const auto* access = std::get_if<access_change>(&change);
  return access == nullptr || access->what == access_change::to::read_only;
}

bool same_places(const std::vector<validity_entry>& a, const std::vector<validity_entry>& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(), [](const validity_entry& x, const validity_entry& y) {
        return x.buffer == y.buffer && x.elements == y.elements && x.memories == y.memories;
      });
}

}  // namespace

plan trials::planned(model::array_view<const model::command> commands,
                     model::array_view<const model::buffer_info> buffers) const {
  options wanted;
  wanted.entry = entry_;
  return make_plan(commands, buffers, machine_, wanted);
}

void trials::find_entry() {
  if (entry_found_) return;
  entry_found_ = true;
  if (base_.is_usual) return;
  // A run is not repeated, even where it happens to end where it began.
  if (base_.plan.finished.empty()) {
    usual_ = planned(graph_.commands(), graph_.buffers());
    if (same_places(usual_->contract, base_.plan.contract)) return;
    usual_.reset();
  }
  entry_ = &base_.plan.contract;
}

const graph_outcome& trials::now() {
  if (done_) return now_;
  find_entry();
  if (!base_.is_usual && !usual_) usual_ = planned(graph_.commands(), graph_.buffers());
  const plan& p = base_.is_usual ? base_.plan : *usual_;
  now_ = outcome_of(graph_.commands(), graph_.buffers(), machine_, p);
  now_.edges = base_.edges != nullptr ? base_.edges->size()
                                      : command_edges(graph_.commands(), graph_.buffers()).size();
  done_ = true;
  return now_;
}

trials::outcome trials::run(const std::vector<graph_change>& changes, const judge& wanted) {
  outcome all;
  const std::uint64_t each = std::max<std::uint64_t>(graph_.commands().size(), 1);
  all.tried = static_cast<std::size_t>(
      effort_ == 0
          ? changes.size()
          : std::min<std::uint64_t>(changes.size(), std::max<std::uint64_t>(effort_ / each, 1)));
  all.not_tried = changes.size() - all.tried;
  if (changes.empty()) return all;
  find_entry();

  struct result {
    graph_outcome figures;
    bool reordered = false;  // else its edges are those of the graph
    bool wanted = false;
  };
  const auto attempt = [&](std::size_t i) -> std::optional<result> {
    try {
      const changed_graph changed(graph_, changes[i]);
      const plan p = planned(changed.commands(), changed.buffers());
      edge_list edges;
      result r;
      r.figures = outcome_of(changed.commands(), changed.buffers(), machine_, p);
      r.reordered = changes_order(changes[i]);
      if (r.reordered) edges = command_edges(changed.commands(), changed.buffers());
      r.figures.edges = edges.size();
      r.wanted = !wanted || wanted(changed, p, edges);
      return r;
    } catch (const model::user_error&) {
      return std::nullopt;  // the machine has no room for it
    }
  };
  std::vector<std::optional<result>> results(all.tried);
  std::future<void> base = std::async(std::launch::async, [this] { static_cast<void>(now()); });
  const std::size_t threads = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 8);
  for (std::size_t first = 0; first < all.tried; first += threads) {
    const std::size_t last = std::min(first + threads, all.tried);
    std::vector<std::future<std::optional<result>>> beside;
    for (std::size_t i = first + 1; i < last; ++i)
      beside.push_back(std::async(std::launch::async, attempt, i));
    results[first] = attempt(first);
    for (std::size_t i = first + 1; i < last; ++i) results[i] = beside[i - first - 1].get();
    formats::tell_progress(last, all.tried);
  }
  base.get();
  for (std::size_t i = 0; i < all.tried; ++i) {
    if (!results[i] || !results[i]->wanted) continue;
    tried_change t{changes[i], now_, results[i]->figures};
    if (!results[i]->reordered) t.after.edges = now_.edges;
    if (!t.gains()) continue;
    all.gaining.push_back(std::move(t));
    all.place.push_back(i);
  }
  return all;
}

bool gains_more(const tried_change& a, const tried_change& b) noexcept {
  const auto saved = [](const tried_change& t) {
    const auto less = [](std::uint64_t before, std::uint64_t after) {
      return static_cast<std::int64_t>(before) - static_cast<std::int64_t>(after);
    };
    // Times in nanoseconds: what adding up in another order makes is no difference.
    return std::make_tuple(std::llround(1e9 * (t.before.seconds - t.after.seconds)),
                           less(t.before.bytes, t.after.bytes),
                           less(t.before.transfers, t.after.transfers),
                           less(t.before.edges, t.after.edges));
  };
  return saved(a) > saved(b);
}

}  // namespace pianola::planner
