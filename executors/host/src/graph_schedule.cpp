// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <pianola/planner/cost/cost_model.hpp>

#include "pianola/host/host_graph.hpp"
#include "pianola/host/kernel_runner.hpp"
#include "pianola/host/part_independence.hpp"
#include "piece_runs.hpp"

namespace pianola::host {

namespace {

using executors::resolved_copy;
using executors::resolved_fill;
using executors::resolved_kernel;

// Steps whose parts a step may follow part by part. Each is compared with every one that follows like that.
constexpr std::size_t max_unfinished = 16;

}  // namespace

double expected_cost(const executors::resolved_action& action) noexcept {
  using planner::processor_costs;
  if (const auto* k = std::get_if<resolved_kernel>(&action)) {
    const double known = expected_nanoseconds(*k);
    return known >= 0 ? known : kernel_cost(processor_costs, volume(k->geometry.units()));
  }
  if (const auto* c = std::get_if<resolved_copy>(&action))
    return copy_cost(processor_costs, c->width * c->height * c->depth);
  if (const auto* f = std::get_if<resolved_fill>(&action))
    return fill_cost(processor_costs, f->width * f->height * f->depth);
  return processor_costs.other;
}

graph_schedule graph_schedule::parallel(const std::vector<graph_node>& nodes,
                                        const std::vector<std::uint32_t>& waits, unsigned threads,
                                        const piece_limits& limits) {
  constexpr planner::strand_costs costs;
  graph_schedule s;
  s.strands_.resize(threads);
  // Where the parts of a node are: items finished on each strand once the node is done there (0: no
  // part of it there).
  std::vector<std::uint32_t> position(nodes.size() * threads, 0);
  std::vector<double> finish(nodes.size(), 0.0);
  std::vector<double> available(threads, 0.0);
  // What strand t knows to have finished on strand u when it comes to its next item.
  std::vector<std::uint32_t> known(std::size_t{threads} * threads, 0);
  // The same, as it was after each item, so that waiting for an item implies all that it knew.
  std::vector<std::vector<std::uint32_t>> known_at(threads);

  // Other parts of open steps may still run when a part of a step starts: steps that follow it must not
  // forget them.
  std::vector<part_relations> relations(nodes.size());

  // Fills relations[n].
  const auto split_waits = [&](std::uint32_t n, bool cut) {
    const graph_node& node = nodes[n];
    const auto first = waits.begin() + node.first_wait;
    std::vector<std::uint32_t>& waits_for = relations[n].ended;
    waits_for.assign(first, first + node.wait_count);
    relations[n].in_parts = cut;
    const auto* kernel = std::get_if<resolved_kernel>(&node.action);
    if (!cut || kernel == nullptr || kernel->kernel->facts == nullptr) return;
    std::vector<std::uint32_t>& open = relations[n].open;
    std::vector<std::uint32_t> candidates;
    for (const std::uint32_t before : waits_for) {
      candidates.push_back(before);
      const std::vector<std::uint32_t>& unfinished = relations[before].open;
      candidates.insert(candidates.end(), unfinished.begin(), unfinished.end());
    }
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    if (candidates.size() > max_unfinished) return;
    waits_for.clear();
    for (const std::uint32_t before : candidates) {
      const auto* earlier = std::get_if<resolved_kernel>(&nodes[before].action);
      if (relations[before].in_parts && earlier != nullptr &&
          parts_are_independent(*earlier, *kernel))
        open.push_back(before);
      else
        waits_for.push_back(before);
    }
    s.relies_on_arguments_ = s.relies_on_arguments_ || !open.empty();
  };

  const auto append = [&](unsigned t, std::uint32_t n, bool whole, const model::box& part) {
    item it{n, static_cast<std::uint32_t>(s.waits_.size()), 0, whole, part};
    for (const std::uint32_t before : relations[n].ended) {
      for (unsigned u = 0; u < threads; ++u) {
        const std::uint32_t count = position[std::size_t{before} * threads + u];
        if (u == t || count == 0 || known[std::size_t{t} * threads + u] >= count) continue;
        s.waits_.push_back({u, count});
        const std::uint32_t* implied = &known_at[u][std::size_t{count - 1} * threads];
        for (unsigned v = 0; v < threads; ++v)
          known[std::size_t{t} * threads + v] =
              std::max(known[std::size_t{t} * threads + v], implied[v]);
        known[std::size_t{t} * threads + u] = std::max(known[std::size_t{t} * threads + u], count);
      }
    }
    it.wait_count = static_cast<std::uint32_t>(s.waits_.size()) - it.first_wait;
    s.strands_[t].push_back(it);
    const auto done = static_cast<std::uint32_t>(s.strands_[t].size());
    position[std::size_t{n} * threads + t] = done;
    known[std::size_t{t} * threads + t] = done;
    known_at[t].insert(known_at[t].end(), known.begin() + std::size_t{t} * threads,
                       known.begin() + std::size_t{t} * threads + threads);
  };

  const auto next_waits_for = [&](std::uint32_t n) {
    if (n + 1 == nodes.size()) return true;
    const auto first = waits.begin() + nodes[n + 1].first_wait;
    return std::find(first, first + nodes[n + 1].wait_count, n) != first + nodes[n + 1].wait_count;
  };

  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    const graph_node& node = nodes[n];
    const double cost = expected_cost(node.action);
    const auto* kernel = std::get_if<resolved_kernel>(&node.action);
    double ready = 0;
    for (std::uint32_t w = 0; w < node.wait_count; ++w)
      ready = std::max(ready, finish[waits[node.first_wait + w]]);
    if (kernel != nullptr && node.hooks->parallel_kernels() &&
        cost >= (next_waits_for(n) ? costs.cut_in_chain_from : costs.cut_from) &&
        max_slices(kernel->geometry.units(), threads) == threads) {
      double end = 0;
      split_waits(n, true);
      for (unsigned t = 0; t < threads; ++t) {
        append(t, n, false, slice_of(kernel->geometry.units(), t, threads));
        available[t] = std::max(available[t], ready + costs.handover) + cost / threads;
        end = std::max(end, available[t]);
      }
      finish[n] = end;
      continue;
    }
    unsigned best = 0;
    double best_end = 0;
    // Steps that may block stay with the thread that runs the graph: strand 0.
    const bool blocking = std::holds_alternative<executors::resolved_host_task>(node.action) ||
                          node.hooks->blocks(node.action);
    for (unsigned t = 0; t < (blocking ? 1 : threads); ++t) {
      double begin = available[t];
      for (std::uint32_t w = 0; w < node.wait_count; ++w) {
        const std::uint32_t before = waits[node.first_wait + w];
        const bool here = position[std::size_t{before} * threads + t] != 0;
        begin = std::max(begin, finish[before] + (here ? 0.0 : costs.handover));
      }
      if (t == 0 || begin + cost < best_end) {
        best = t;
        best_end = begin + cost;
      }
    }
    split_waits(n, false);
    append(best, n, true, model::box{});
    available[best] = best_end;
    finish[n] = best_end;
  }
  for (auto& strand : s.strands_)
    s.has_pieces_ = form_piece_runs(strand, nodes, relations, limits) || s.has_pieces_;
  return s;
}

}  // namespace pianola::host
