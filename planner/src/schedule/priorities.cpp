// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/schedule/priorities.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace pianola::planner {

std::vector<int> priorities(model::array_view<const double> costs,
                            model::array_view<const model::array_view<const std::uint32_t>> waits) {
  const std::size_t n = costs.size();
  std::vector<int> result(n, lowest_priority);
  std::vector<double> before(n, 0.0);  // longest way to the step's start
  std::vector<double> after(n, 0.0);   // longest way from the step's end
  bool chain = true;
  for (std::size_t i = 0; i < n; ++i) {
    chain = chain && (i == 0 ? waits[i].empty() : waits[i].size() == 1 && waits[i][0] == i - 1);
    for (const std::uint32_t w : waits[i]) before[i] = std::max(before[i], before[w] + costs[w]);
  }
  if (chain) return result;
  double longest = 0.0;
  for (std::size_t i = n; i-- > 0;) {
    for (const std::uint32_t w : waits[i]) after[w] = std::max(after[w], after[i] + costs[i]);
    longest = std::max(longest, before[i] + costs[i] + after[i]);
  }
  if (longest == 0.0) return result;
  for (std::size_t i = 0; i < n; ++i) {
    const double spare = 1.0 - (before[i] + costs[i] + after[i]) / longest;
    result[i] =
        static_cast<int>(std::lround(static_cast<double>(highest_priority) * (1.0 - spare)));
  }
  // Where all are as urgent, saying so to a driver for each of them changes nothing.
  if (std::adjacent_find(result.begin(), result.end(), std::not_equal_to<>()) == result.end())
    std::fill(result.begin(), result.end(), lowest_priority);
  return result;
}

}  // namespace pianola::planner
