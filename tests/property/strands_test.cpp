// SPDX-License-Identifier: Apache-2.0
// Strands of threads, against list scheduling as one would write it down, and against all schedules that there are.
// compiled alone: others have its short names, too.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <pianola/planner/schedule/strands.hpp>
#include <vector>

namespace pianola::planner {
namespace {

struct strand_graph : part_knowledge {
  std::vector<strand_node> nodes;
  std::vector<std::uint32_t> waits;
  unsigned strands = 2;
  strand_costs costs;

  [[nodiscard]] bool independent(std::uint32_t, std::uint32_t) const override { return false; }
  [[nodiscard]] std::vector<std::uint32_t> before(std::uint32_t n) const {
    const auto first = waits.begin() + nodes[n].first_wait;
    return {first, first + nodes[n].wait_count};
  }
  [[nodiscard]] bool follows(std::uint32_t later, std::uint32_t n) const {
    const auto all = before(later);
    return std::find(all.begin(), all.end(), n) != all.end();
  }
  [[nodiscard]] strand_schedule made(strand_order order) const {
    return assign_strands(nodes, waits, strands, *this, costs, order);
  }
  // `next`: the one that gets its place after it, or none.
  [[nodiscard]] bool is_cut(std::uint32_t n, const std::uint32_t* next) const {
    const bool chained = next == nullptr || follows(*next, n);
    return nodes[n].divisible &&
           nodes[n].cost >= (chained ? costs.cut_in_chain_from : costs.cut_from);
  }
  [[nodiscard]] double urgency(std::uint32_t n) const {
    const auto count = static_cast<std::uint32_t>(nodes.size());
    const std::uint32_t next = n + 1;
    double longest = 0;
    for (std::uint32_t later = next; later < count; ++later)
      if (follows(later, n))
        longest = std::max(longest, urgency(later) + costs.handover * (1.0 - 1.0 / strands));
    double whole =
        longest + nodes[n].cost / (is_cut(n, next < count ? &next : nullptr) ? strands : 1);
    for (std::uint32_t later = next; later < count; ++later)
      if (nodes[later].blocking) whole = std::max(whole, urgency(later));
    return whole;
  }
};

// As many different numbers in the first case as in the last one.
std::uint32_t drawn(std::uint32_t from, std::uint32_t below) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(from, below));
}

strand_graph any_graph(std::uint32_t most) {
  strand_graph g;
  g.strands = drawn(1, 5);
  const std::uint32_t n = drawn(1, most + 1);
  for (std::uint32_t i = 0; i < n; ++i) {
    strand_node node;
    node.cost = 50.0 * drawn(0, 60);
    node.first_wait = static_cast<std::uint32_t>(g.waits.size());
    for (std::uint32_t b = 0; b < i; ++b)
      if (drawn(0, 4) == 0) g.waits.push_back(b);
    node.wait_count = static_cast<std::uint32_t>(g.waits.size()) - node.first_wait;
    node.divisible = drawn(0, 4) == 0;
    node.blocking = !node.divisible && drawn(0, 8) == 0;
    g.nodes.push_back(node);
  }
  return g;
}

using lists = std::vector<std::vector<std::uint32_t>>;  // of each strand, its nodes

lists nodes_of(const strand_schedule& s) {
  lists result;
  for (const auto& strand : s.strands) {
    result.emplace_back();
    for (const strand_item& it : strand) result.back().push_back(it.node);
  }
  return result;
}

// Always the most urgent of those that are ready; each where it ends first.
lists slow_schedule(const strand_graph& g, double& makespan) {
  const auto count = static_cast<std::uint32_t>(g.nodes.size());
  std::vector<bool> taken(count, false);
  std::vector<std::uint32_t> order;
  while (order.size() < count) {
    std::uint32_t best = count;
    for (std::uint32_t n = 0; n < count; ++n) {
      const auto before = g.before(n);
      if (taken[n] || std::any_of(before.begin(), before.end(), [&](auto b) { return !taken[b]; }))
        continue;
      if (best == count || g.urgency(n) > g.urgency(best)) best = n;
    }
    taken[best] = true;
    order.push_back(best);
  }
  lists result(g.strands);
  std::vector<double> end(count, 0), free(g.strands, 0);
  makespan = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t n = order[i];
    const bool cut = g.is_cut(n, i + 1 < count ? &order[i + 1] : nullptr);
    const auto begin_on = [&](unsigned t) {
      double begin = free[t];
      for (const std::uint32_t b : g.before(n)) {
        const bool here = std::count(result[t].begin(), result[t].end(), b) != 0;
        begin = std::max(begin, end[b] + (here && !cut ? 0.0 : g.costs.handover));
      }
      return cut ? std::max(begin, g.costs.handover) : begin;
    };
    const double takes = g.nodes[n].cost / (cut ? g.strands : 1);
    unsigned best = 0;
    for (unsigned t = 1; t < g.strands && !g.nodes[n].blocking; ++t)
      if (begin_on(t) < begin_on(best)) best = t;
    std::vector<double> begins;
    for (unsigned t = 0; t < g.strands; ++t) begins.push_back(begin_on(t));
    for (unsigned t = 0; t < g.strands; ++t) {
      if (!cut && t != best) continue;
      free[t] = begins[t] + takes;
      end[n] = std::max(end[n], free[t]);
      result[t].push_back(n);
    }
    makespan = std::max(makespan, end[n]);
  }
  return result;
}

RC_GTEST_PROP(Strands, by_urgency_are_those_of_the_obvious_list_scheduling, ()) {
  const strand_graph g = any_graph(9);
  double makespan = 0;
  const lists expected = slow_schedule(g, makespan);
  const strand_schedule s = g.made(strand_order::by_urgency);
  RC_ASSERT(nodes_of(s) == expected);
  RC_ASSERT(s.makespan == makespan);
}

RC_GTEST_PROP(Strands, leave_the_order_that_was_given_only_for_what_is_clearly_shorter, ()) {
  const strand_graph g = any_graph(30);
  const strand_schedule given = g.made(strand_order::as_given),
                        urgent = g.made(strand_order::by_urgency),
                        chosen = g.made(strand_order::shorter);
  if (g.strands > 1 && urgent.makespan < 0.98 * given.makespan)
    RC_ASSERT(nodes_of(chosen) == nodes_of(urgent));
  else
    RC_ASSERT(nodes_of(chosen) == nodes_of(given));
  for (const auto& strand : nodes_of(given))
    RC_ASSERT(std::is_sorted(strand.begin(), strand.end()));
}

// What may block waits for something that nobody here knows of: none that was given before it may be behind it.
RC_GTEST_PROP(Strands, let_nothing_that_was_given_before_a_blocking_node_wait_behind_it, ()) {
  const strand_graph g = any_graph(20);
  for (const auto& strand : nodes_of(g.made(strand_order::by_urgency)))
    for (std::size_t i = 0; i < strand.size(); ++i)
      for (std::size_t k = i + 1; k < strand.size() && g.nodes[strand[i]].blocking; ++k)
        RC_ASSERT(strand[k] > strand[i]);
}

// The least that any order and any places of whole nodes take on two strands.
double shortest(const strand_graph& g, std::vector<std::uint32_t>& where, std::vector<double>& end,
                std::vector<bool>& done, double free0, double free1, double best) {
  const auto count = static_cast<std::uint32_t>(g.nodes.size());
  bool any = false;
  for (std::uint32_t n = 0; n < count; ++n) {
    const auto before = g.before(n);
    if (done[n] || std::any_of(before.begin(), before.end(), [&](auto b) { return !done[b]; }))
      continue;
    any = true;
    done[n] = true;
    for (std::uint32_t t = 0; t < 2; ++t) {
      double begin = t == 0 ? free0 : free1;
      for (const std::uint32_t b : before)
        begin = std::max(begin, end[b] + (where[b] == t ? 0.0 : g.costs.handover));
      where[n] = t;
      end[n] = begin + g.nodes[n].cost;
      if (end[n] < best)
        best = std::min(best, shortest(g, where, end, done, t == 0 ? end[n] : free0,
                                       t == 0 ? free1 : end[n], best));
    }
    done[n] = false;
  }
  return any ? best : std::max(free0, free1);
}

TEST(Strands, take_little_more_than_the_best_of_all_schedules) {
  std::uint64_t random = 2026;
  const auto below = [&](std::uint64_t n) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::uint32_t>((random >> 33) % n);
  };
  double sum = 0, given = 0;
  constexpr int cases = 200;
  for (int c = 0; c < cases; ++c) {
    strand_graph g;
    for (std::uint32_t i = 0; i < 7; ++i) {
      strand_node node;
      node.cost = 100.0 * (1 + below(20));
      node.first_wait = static_cast<std::uint32_t>(g.waits.size());
      for (std::uint32_t b = 0; b < i; ++b)
        if (below(4) == 0) g.waits.push_back(b);
      node.wait_count = static_cast<std::uint32_t>(g.waits.size()) - node.first_wait;
      g.nodes.push_back(node);
    }
    std::vector<std::uint32_t> where(7, 0);
    std::vector<double> end(7, 0);
    std::vector<bool> done(7, false);
    const double best = shortest(g, where, end, done, 0, 0, 1e300);
    const double chosen = g.made(strand_order::shorter).makespan;
    ASSERT_GE(chosen, best * (1 - 1e-12)) << "case " << c;
    sum += chosen / best;
    given += g.made(strand_order::as_given).makespan / best;
  }
  std::printf("strands over the best of all schedules: %.3f, in the order that was given %.3f\n",
              sum / cases, given / cases);
  EXPECT_LE(sum / cases, 1.04);
  EXPECT_LT(sum, given);
}

}  // namespace
}  // namespace pianola::planner
