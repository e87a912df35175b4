// SPDX-License-Identifier: Apache-2.0
// The kernel that every node of a measured graph runs: short, so that what is measured is what surrounds it.
#pragma once
#include <cstddef>

namespace bench::gpu {

inline constexpr std::size_t node_items = 256;

// Each node has this many elements of its own, so that any order of nodes gives the same values.
inline float node_start(std::size_t i) { return static_cast<float>(i % 19) * 0.25F; }

// What a launch of the kernel takes: its bytes are the kernel's first parameter for the raw programs, too.
struct node_values {
  float* data = nullptr;  // node_items elements
  float factor = 0.5F;
  float summand = 1.0F;
};

}  // namespace bench::gpu
