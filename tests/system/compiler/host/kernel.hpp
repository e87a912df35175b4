// SPDX-License-Identifier: Apache-2.0
// Kernels without sycl.hpp, which takes most of the time that a test needs, and without the runtime.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <sycl/glue/intrinsics.hpp>

template <class Kernel, int Dimensions>
[[clang::annotate("pianola.kernel", 2, Dimensions)]] __attribute__((noinline)) void kernel_body(
    const Kernel& kernel, const pianola_launch&) {
  const Kernel own = kernel;
  own();
}

/// One work-group.
template <int Dimensions, class Kernel>
void launch(const Kernel& kernel, const pianola_launch& all, const pianola_work_group& group) {
  __pianola_work_group(reinterpret_cast<const void*>(&kernel_body<Kernel, Dimensions>), &kernel,
                       &all, &group);
}

inline void barrier() { __pianola_group_barrier(2); }
inline unsigned x() { return __pianola_local_id_x(); }
inline unsigned y() { return __pianola_local_id_y(); }
inline unsigned z() { return __pianola_local_id_z(); }

template <class T>
T* local_memory() {
  return static_cast<T*>(__pianola_local_memory());
}

/// Marks the start of what is checked.
extern const pianola_launch all;
extern const pianola_work_group group;
