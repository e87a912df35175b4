// SPDX-License-Identifier: Apache-2.0
// A graph of 1000 small kernels: 50 layers of 20, each node combining two of the layer before.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "comparison.hpp"

namespace bench {

class dag {
 public:
  static constexpr std::size_t layers = 50, width = 20, nodes = layers * width, length = 256;

  dag() {
    std::uint64_t state = 20261121;
    const auto draw = [&](std::uint64_t below) {
      state += 0x9e3779b97f4a7c15ULL;
      std::uint64_t z = state;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
      return (z ^ (z >> 31)) % below;
    };
    for (std::size_t k = width; k < nodes; ++k) {
      const std::size_t layer_before = (k / width - 1) * width;
      const std::size_t a = draw(width), b = (a + 1 + draw(width - 1)) % width;
      predecessors_[k] = {layer_before + a, layer_before + b};
    }
  }
  [[nodiscard]] static bool is_source(std::size_t k) noexcept { return k < width; }
  [[nodiscard]] const std::array<std::size_t, 2>& predecessors(std::size_t k) const {
    return predecessors_[k];
  }

 private:
  std::array<std::array<std::size_t, 2>, nodes> predecessors_{};
};

inline float source_value(std::size_t node, std::size_t i) noexcept {
  return 0.001F * static_cast<float>(node) + 0.01F * static_cast<float>(static_cast<int>(i));
}
inline float combine(float a, float b) noexcept { return 0.5F * a + 0.25F * b + 1.0F; }

// Ours, as a queue that captures by itself runs it, and by other ways.
[[nodiscard]] subject dag_captured();
[[nodiscard]] subject dag_replayed();
[[nodiscard]] subject dag_eager();

// References; a unit of work is the whole graph.
[[nodiscard]] subject dag_in_sequence();
[[nodiscard]] subject dag_as_tasks();

}  // namespace bench
