// SPDX-License-Identifier: Apache-2.0
#include "place/ranks.hpp"

#include <algorithm>
#include <numeric>

namespace pianola::planner::place {

std::vector<double> upward_ranks(const problem& p) {
  // Until a command's turn comes, what follows it.
  std::vector<double> ranks(p.size(), 0.0);
  for (std::size_t i = p.size(); i-- > 0;) {
    double sum = 0;
    for (const choice& c : p.choices(i)) sum += c.seconds;
    ranks[i] += sum / static_cast<double>(p.choices(i).size());
    for (const predecessor& b : p.before(i))
      ranks[b.command] = std::max(ranks[b.command], p.mean_transfer_seconds(b.bytes) + ranks[i]);
  }
  return ranks;
}

std::vector<std::uint32_t> by_rank(const std::vector<double>& ranks) {
  std::vector<std::uint32_t> order(ranks.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return ranks[a] != ranks[b] ? ranks[a] > ranks[b] : a < b;
  });
  return order;
}

}  // namespace pianola::planner::place
