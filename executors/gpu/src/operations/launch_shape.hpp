// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <pianola/model/geometry.hpp>
#include <pianola/model/kernel.hpp>

#include "pianola/gpu/driver.hpp"

namespace pianola::gpu {

// How an index space becomes groups of work-items. The groups of a range may cover more than the range: kernels
// leave work-items outside of it alone.
struct launch_shape {
  std::uint32_t groups[3] = {1, 1, 1};
  std::uint32_t group_size[3] = {1, 1, 1};
  bool empty = false;  // there is nothing to run
};

struct shape_limits {
  std::uint32_t max_grid[3] = {65535, 65535, 0x7fffffff};
  std::uint64_t max_group_sizes[3] = {1024, 1024, 1024};  // in each dimension
  std::uint32_t max_group_size = 1024;                    // of this kernel
  std::uint32_t preferred_group_size = 256;
};

enum class shape_verdict : unsigned char { fits, group_too_large, too_many_groups };

[[nodiscard]] shape_verdict shape_launch(const model::launch_geometry& geometry,
                                         const shape_limits& limits, launch_shape& out) noexcept;

}  // namespace pianola::gpu
