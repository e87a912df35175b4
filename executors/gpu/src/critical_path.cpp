// SPDX-License-Identifier: Apache-2.0
#include "critical_path.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <pianola/planner/cost/cost_model.hpp>

namespace pianola::gpu {

namespace {

constexpr int highest = -5;

double expected(const executors::resolved_action& action) noexcept {
  using planner::graphics_costs;
  if (const auto* k = std::get_if<executors::resolved_kernel>(&action))
    return kernel_cost(graphics_costs, volume(k->geometry.global));
  if (const auto* c = std::get_if<executors::resolved_copy>(&action))
    return copy_cost(graphics_costs, c->width * c->height * c->depth);
  if (const auto* f = std::get_if<executors::resolved_fill>(&action))
    return fill_cost(graphics_costs, f->width * f->height * f->depth);
  return graphics_costs.other;
}

}  // namespace

std::vector<int> priorities(model::array_view<const executors::graph_step> steps) {
  const std::size_t n = steps.size();
  std::vector<int> result(n, 0);
  std::vector<double> cost(n);
  std::vector<double> before(n, 0.0);  // longest way to the step's start
  std::vector<double> after(n, 0.0);   // longest way from the step's end
  bool chain = true;
  for (std::size_t i = 0; i < n; ++i) {
    cost[i] = expected(steps[i].action);
    chain = chain && (i == 0 ? steps[i].waits.empty()
                             : steps[i].waits.size() == 1 && steps[i].waits[0] == i - 1);
    for (const std::uint32_t w : steps[i].waits)
      before[i] = std::max(before[i], before[w] + cost[w]);
  }
  if (chain) return result;
  double longest = 0.0;
  for (std::size_t i = n; i-- > 0;) {
    for (const std::uint32_t w : steps[i].waits) after[w] = std::max(after[w], after[i] + cost[i]);
    longest = std::max(longest, before[i] + cost[i] + after[i]);
  }
  if (longest == 0.0) return result;
  for (std::size_t i = 0; i < n; ++i) {
    const double spare = 1.0 - (before[i] + cost[i] + after[i]) / longest;
    result[i] = static_cast<int>(std::lround(static_cast<double>(highest) * (1.0 - spare)));
  }
  // Where all are as urgent, saying so to the driver for each of them changes nothing.
  if (std::adjacent_find(result.begin(), result.end(), std::not_equal_to<>()) == result.end())
    std::fill(result.begin(), result.end(), 0);
  return result;
}

}  // namespace pianola::gpu
