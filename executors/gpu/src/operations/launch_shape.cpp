// SPDX-License-Identifier: Apache-2.0
#include "operations/launch_shape.hpp"

#include <algorithm>

namespace pianola::gpu {

namespace {

// Work-items that run together on every device that matters here, or half of them.
constexpr std::uint64_t together = 32;

constexpr std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) noexcept {
  return a / b + (a % b != 0 ? 1 : 0);
}

shape_verdict shape_groups(const model::launch_geometry& g, const shape_limits& limits,
                           launch_shape& out) noexcept {
  std::uint64_t items = 1;
  for (unsigned d = 0; d < 3; ++d) {
    if (g.local.c[d] > limits.max_group_sizes[d]) return shape_verdict::group_too_large;
    items *= g.local.c[d];
    out.group_size[d] = static_cast<std::uint32_t>(g.local.c[d]);
  }
  if (items > limits.max_group_size) return shape_verdict::group_too_large;
  const model::extent3 groups = g.groups();
  for (unsigned d = 0; d < 3; ++d) {
    if (groups.c[d] > limits.max_grid[d]) return shape_verdict::too_many_groups;
    out.groups[d] = static_cast<std::uint32_t>(groups.c[d]);
  }
  return shape_verdict::fits;
}

// False if the program wishes for no size of groups, or one that the device cannot run.
bool shape_as_wished(const model::launch_geometry& g, const shape_limits& limits,
                     launch_shape& out) noexcept {
  std::uint64_t items = 1, size[3];
  for (unsigned d = 0; d < 3; ++d) {
    size[d] = std::min(g.local.c[d], g.global.c[d]);
    items *= std::min<std::uint64_t>(size[d], 1U << 20);
    if (size[d] > limits.max_group_sizes[d] ||
        divide_up(g.global.c[d], size[d]) > limits.max_grid[d])
      return false;
  }
  if (items == 1 || items > limits.max_group_size) return false;
  for (unsigned d = 0; d < 3; ++d) {
    out.group_size[d] = static_cast<std::uint32_t>(size[d]);
    out.groups[d] = static_cast<std::uint32_t>(divide_up(g.global.c[d], size[d]));
  }
  return true;
}

}  // namespace

shape_verdict shape_launch(const model::launch_geometry& g, const shape_limits& limits,
                           launch_shape& out) noexcept {
  for (unsigned d = 0; d < 3; ++d)
    if (g.global.c[d] == 0 || g.local.c[d] == 0) {
      out.empty = true;
      return shape_verdict::fits;
    }
  if (g.grouped) return shape_groups(g, limits, out);
  if (shape_as_wished(g, limits, out)) return shape_verdict::fits;

  const std::uint64_t most = std::max<std::uint64_t>(
      1, std::min<std::uint64_t>(limits.preferred_group_size, limits.max_group_size));
  // The slower dimensions first take what they need for the grid to be small enough; the fastest gets as much
  // as possible of the rest, then the others what is left.
  std::uint64_t least[3];
  for (unsigned d = 0; d < 3; ++d) {
    least[d] = divide_up(g.global.c[d], limits.max_grid[d]);
    if (least[d] > limits.max_group_sizes[d]) return shape_verdict::too_many_groups;
  }
  const std::uint64_t needed = least[0] * least[1] * least[2];
  if (needed > limits.max_group_size) return shape_verdict::too_many_groups;
  std::uint64_t left = std::max(most, needed);
  std::uint64_t size[3];
  for (int d = 2; d >= 0; --d) {
    const std::uint64_t others = d == 2 ? least[0] * least[1] : d == 1 ? least[0] : 1;
    const std::uint64_t room = std::min(left / others, limits.max_group_sizes[d]);
    std::uint64_t s = std::min(g.global.c[d], room);
    if (d == 2 && s == room && g.global.c[d] > room) {
      // Groups of about the same size rather than full ones and a rest.
      const std::uint64_t groups = divide_up(g.global.c[d], room);
      const std::uint64_t even = divide_up(g.global.c[d], groups);
      s = std::min(room, divide_up(even, together) * together);
    }
    size[d] = std::max(s, least[d]);
    left /= size[d];
  }
  for (unsigned d = 0; d < 3; ++d) {
    out.group_size[d] = static_cast<std::uint32_t>(size[d]);
    out.groups[d] = static_cast<std::uint32_t>(divide_up(g.global.c[d], size[d]));
  }
  return shape_verdict::fits;
}

}  // namespace pianola::gpu
