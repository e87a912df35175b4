// SPDX-License-Identifier: Apache-2.0
// Conjugate gradient for the five-point Laplacian of n x n points, with ones on the right side, to a ten thousandth of the residual:
// what the versions share. Each iteration is four kernels, and sums are added in the same order by all.
#pragma once
#include <algorithm>
#include <cstddef>

namespace bench::gpu {

inline constexpr std::size_t cg_group = 256, cg_most_groups = 256;
inline constexpr unsigned cg_most_iterations = 10000;
// Each sums its part, and the sums of all are added by each.
constexpr std::size_t cg_groups(std::size_t n) {
  return std::min(cg_most_groups, (n * n + cg_group - 1) / cg_group);
}
constexpr float cg_goal(std::size_t n) { return 1e-8F * static_cast<float>(n * n); }

}  // namespace bench::gpu
