// SPDX-License-Identifier: Apache-2.0
// Graphs that are replayed: which nodes each node waits for.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace bench::gpu {

enum class shape : unsigned char { chain, fork_join, layered };
inline const char* name_of(shape s) {
  return s == shape::chain ? "chain" : s == shape::fork_join ? "fork_join" : "layered";
}

using graph_edges = std::vector<std::vector<std::uint32_t>>;  // of node i: earlier nodes

// fork_join: one node, n - 2 that wait for it, one that waits for those. layered: layers of about sqrt(n) nodes, each
// of which waits for two of the layer before, chosen by a fixed sequence of numbers. No edge follows from others.
inline graph_edges edges_of(shape s, std::size_t n) {
  graph_edges edges(n);
  const auto width = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(n))));
  std::uint64_t state = 88172645463325252ULL;
  const auto random = [&](std::size_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<std::size_t>(state % below);
  };
  for (std::size_t i = 1; i < n; ++i) {
    auto& waits = edges[i];
    const auto add = [&](std::size_t node) { waits.push_back(static_cast<std::uint32_t>(node)); };
    if (s == shape::chain) {
      add(i - 1);
    } else if (s == shape::fork_join) {
      if (i + 1 < n || n < 3)
        add(0);
      else
        for (std::size_t j = 1; j + 1 < n; ++j) add(j);
    } else if (i >= width) {
      const std::size_t layer = (i / width - 1) * width;
      std::size_t a = random(width), b = random(width);
      if (a > b) std::swap(a, b);
      add(layer + a);
      if (b != a) add(layer + b);
    }
  }
  return edges;
}

}  // namespace bench::gpu
