// SPDX-License-Identifier: Apache-2.0
#include "order.hpp"

#include <algorithm>
#include <bitset>
#include <numeric>

#include "pianola/planner/command_edges.hpp"

namespace pianola::planner::checking {

command_order::command_order(const graph_view& graph) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges =
      command_edges(graph.commands(), graph.buffers());
  const std::size_t n = graph.commands().size();
  std::sort(edges.begin(), edges.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second, a.first) < std::pair(b.second, b.first);
  });
  first_.assign(n + 1, 0);
  for (const auto& e : edges) ++first_[e.second + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  before_.reserve(edges.size());
  for (const auto& e : edges) before_.push_back(e.first);
}

bool command_order::has_edge(std::uint32_t from, std::uint32_t to) const noexcept {
  return std::binary_search(before_.begin() + first_[to], before_.begin() + first_[to + 1], from);
}

// For a few hundred earlier ones at a time, which commands come after them: bits that go along the edges.
std::vector<bool> command_order::ordered(
    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) const {
  using set = std::bitset<512>;
  std::vector<bool> result(pairs.size(), false);
  std::vector<std::size_t> by_first;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    if (has_edge(pairs[p].first, pairs[p].second))
      result[p] = true;
    else
      by_first.push_back(p);
  }
  std::sort(by_first.begin(), by_first.end(),
            [&](std::size_t a, std::size_t b) { return pairs[a] < pairs[b]; });
  std::vector<set> reached;
  for (std::size_t at = 0; at < by_first.size();) {
    const std::uint32_t low = pairs[by_first[at]].first;
    std::vector<std::uint32_t> sources;
    std::uint32_t high = low;
    std::size_t end = at;
    for (; end < by_first.size(); ++end) {
      const auto& [from, to] = pairs[by_first[end]];
      if (sources.empty() || sources.back() != from) {
        if (sources.size() == set().size()) break;
        sources.push_back(from);
      }
      high = std::max(high, to);
    }
    reached.assign(high - low + 1, set{});
    std::size_t next = 0;
    for (std::uint32_t c = low; c <= high; ++c) {
      set& mine = reached[c - low];
      for (std::uint32_t e = first_[c]; e < first_[c + 1]; ++e)
        if (before_[e] >= low) mine |= reached[before_[e] - low];
      if (next < sources.size() && sources[next] == c) mine.set(next++);
    }
    for (; at < end; ++at) {
      const auto& [from, to] = pairs[by_first[at]];
      const auto source = static_cast<std::size_t>(
          std::lower_bound(sources.begin(), sources.end(), from) - sources.begin());
      result[by_first[at]] = reached[to - low][source];
    }
  }
  return result;
}

}  // namespace pianola::planner::checking
