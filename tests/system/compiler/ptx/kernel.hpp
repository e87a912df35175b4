// SPDX-License-Identifier: Apache-2.0
// Kernels as the headers make them, without the headers: the function object and the launch by reference.
#pragma once

#include <cstdint>

#include <pianola/abi/launch.h>

#include <sycl/glue/intrinsics.hpp>

/// kind: 0 single_task, 1 range, 2 nd_range.
#define KERNEL(kind, dimensions) \
  [[clang::annotate("pianola.kernel", kind, dimensions)]] __attribute__((noinline)) void

inline std::uint64_t global_x() {
  return __pianola_group_id_x() * __pianola_local_size_x() + __pianola_local_id_x();
}
