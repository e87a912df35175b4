// SPDX-License-Identifier: Apache-2.0
// Kernels without the rest of SYCL: a function object is called for one work-item.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pianola/abi/launch.h>

#include <sycl/glue/intrinsics.hpp>

template <class Kernel, int Kind, int Dimensions>
[[clang::annotate("pianola.kernel", Kind, Dimensions)]] __attribute__((noinline)) void kernel_body(
    const Kernel& kernel, const pianola_launch& launch) {
  kernel(launch);
}

/// Makes the unit hold the kernel.
template <int Dimensions = 1, class Kernel>
const void* nd_range(const Kernel&) {
  return reinterpret_cast<const void*>(&kernel_body<Kernel, 2, Dimensions>);
}

inline std::uint64_t global_x() {
  return __pianola_group_id_x() * __pianola_local_size_x() + __pianola_local_id_x();
}
inline std::uint64_t global_y() {
  return __pianola_group_id_y() * __pianola_local_size_y() + __pianola_local_id_y();
}
inline std::uint64_t global_z() {
  return __pianola_group_id_z() * __pianola_local_size_z() + __pianola_local_id_z();
}
