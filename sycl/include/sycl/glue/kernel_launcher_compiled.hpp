// SPDX-License-Identifier: Apache-2.0
// Compiled mode: work-groups of a parallel_for over an nd_range, as loops that the compiler makes of
// kernel_body.
#pragma once

#if defined(__PIANOLACC__)

#include <cstddef>
#include <cstdint>

#include <pianola/abi/launch.h>
#include <pianola/model/geometry.hpp>
#include <pianola/model/kernel.hpp>

#include <sycl/detail/mode.hpp>
#include <sycl/glue/intrinsics.hpp>
#include <sycl/glue/kernel_body.hpp>

namespace pianola::glue {

inline namespace PIANOLA_SYCL_VERSION {

/// Runs the groups of one part of an nd_range. Local accessors of `kernel` hold offsets.
template <int Dimensions, class Kernel>
inline void run_groups(const Kernel& kernel, const model::launch_geometry& geometry,
                       const model::box& part, const model::group_resources& resources) {
  pianola_launch launch;
  pianola_work_group group{};
  const model::extent3 count = geometry.groups();
  for (std::size_t d = 0; d < 3; ++d) {
    launch.global[d] = geometry.global[d];
    launch.offset[d] = geometry.offset[d];
    group.group_count[d] = count[d];
    group.local_size[d] = static_cast<std::uint32_t>(geometry.local[d]);
  }
  group.local_memory = resources.local_memory;
  const auto body = reinterpret_cast<const void*>(&kernel_body<Kernel, 2, Dimensions>);
  for (std::size_t i = part.lo[0]; i < part.hi[0]; ++i)
    for (std::size_t j = part.lo[1]; j < part.hi[1]; ++j)
      for (std::size_t k = part.lo[2]; k < part.hi[2]; ++k) {
        group.group_id[0] = i;
        group.group_id[1] = j;
        group.group_id[2] = k;
        __pianola_work_group(body, &kernel, &launch, &group);
      }
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace pianola::glue

#endif
