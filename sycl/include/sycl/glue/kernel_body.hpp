// SPDX-License-Identifier: Apache-2.0
// Compiled mode: one work-item of a kernel as a function that the compiler finds by its annotation.
#pragma once

#if defined(__PIANOLACC__)

#include <cstddef>
#include <cstdint>

#include <pianola/abi/launch.h>

#include <sycl/glue/group_context.hpp>
#include <sycl/glue/intrinsics.hpp>
#include <sycl/glue/invoke.hpp>
#include <sycl/glue/kernel_arguments.hpp>
#include <sycl/glue/kernel_requirements.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/index_factory.hpp>
#include <sycl/kernel/nd_item.hpp>
#include <sycl/kernel/range.hpp>

namespace pianola::glue {

/// kind: 0 single_task, 1 range, 2 nd_range (pianola_kernel_kind of pianola/abi/image.h).
template <int Kind, int Dimensions>
struct compiled_shape;

/// Last Dimensions of the three numbers.
template <int Dimensions, class Vector>
inline __attribute__((always_inline)) Vector last_of(std::uint64_t z, std::uint64_t y,
                                                     std::uint64_t x) {
  if constexpr (Dimensions == 1)
    return Vector(x);
  else if constexpr (Dimensions == 2)
    return Vector(y, x);
  else
    return Vector(z, y, x);
}

template <int Dimensions>
struct compiled_shape<2, Dimensions> {
  template <class Kernel>
  static __attribute__((always_inline)) void run(const Kernel& kernel,
                                                 const pianola_launch& launch) {
    using range = sycl::range<Dimensions>;
    using id = sycl::id<Dimensions>;
    const range local = last_of<Dimensions, range>(Dimensions > 2 ? __pianola_local_size_z() : 1,
                                                   Dimensions > 1 ? __pianola_local_size_y() : 1,
                                                   __pianola_local_size_x());
    const id at = last_of<Dimensions, id>(Dimensions > 2 ? __pianola_local_id_z() : 0,
                                          Dimensions > 1 ? __pianola_local_id_y() : 0,
                                          __pianola_local_id_x());
    const id group = last_of<Dimensions, id>(Dimensions > 2 ? __pianola_group_id_z() : 0,
                                             Dimensions > 1 ? __pianola_group_id_y() : 0,
                                             __pianola_group_id_x());
    invoke(kernel,
           sycl::detail::index_factory::make_nd_item<Dimensions>(
               last_of<Dimensions, range>(launch.global[0], launch.global[1], launch.global[2]),
               local, group, at,
               last_of<Dimensions, id>(launch.offset[0], launch.offset[1], launch.offset[2])));
  }
};

template <int Dimensions, bool WithOffset>
inline __attribute__((always_inline)) auto make_compiled_item(const pianola_launch& launch,
                                                              const sycl::id<Dimensions>& index) {
  const auto extent = last_of<Dimensions, sycl::range<Dimensions>>(
      launch.global[0], launch.global[1], launch.global[2]);
  if constexpr (WithOffset) {
    const auto offset = last_of<Dimensions, sycl::id<Dimensions>>(
        launch.offset[0], launch.offset[1], launch.offset[2]);
    return sycl::detail::index_factory::make_item<Dimensions, true>(extent, index + offset, offset);
  } else {
    return sycl::detail::index_factory::make_item<Dimensions, false>(extent, index);
  }
}

template <int Dimensions, bool WithOffset>
struct compiled_range {
  template <class Kernel>
  static __attribute__((always_inline)) void run(const Kernel& kernel,
                                                 const pianola_launch& launch) {
    const std::uint64_t x = __pianola_group_id_x() * __pianola_local_size_x() +
                            __pianola_local_id_x() + __pianola_part_first_x();
    std::uint64_t y = 0, z = 0;
    bool inside = x < __pianola_part_end_x();
    if constexpr (Dimensions > 1) {
      y = __pianola_group_id_y() * __pianola_local_size_y() + __pianola_local_id_y() +
          __pianola_part_first_y();
      inside = inside && y < __pianola_part_end_y();
    }
    if constexpr (Dimensions > 2) {
      z = __pianola_group_id_z() * __pianola_local_size_z() + __pianola_local_id_z() +
          __pianola_part_first_z();
      inside = inside && z < __pianola_part_end_z();
    }
    // Groups of an executor's choice cover the range, the last ones only in part.
    if (inside)
      invoke(kernel, make_compiled_item<Dimensions, WithOffset>(
                         launch, last_of<Dimensions, sycl::id<Dimensions>>(z, y, x)));
  }
};

template <int Dimensions>
struct compiled_shape<1, Dimensions> : compiled_range<Dimensions, false> {};

/// The deprecated parallel_for with an offset.
template <int Dimensions>
struct compiled_shape<3, Dimensions> : compiled_range<Dimensions, true> {};

template <>
struct compiled_shape<0, 1> {
  template <class Kernel>
  static __attribute__((always_inline)) void run(const Kernel& kernel, const pianola_launch&) {
    invoke_task(kernel);
  }
};

/// One work-item. Kind 3 is a range with an offset; the annotation says 1 for it.
template <class Kernel, int Kind, int Dimensions>
// clang-format off
[[clang::annotate("pianola.kernel", Kind == 3 ? 1 : Kind, Dimensions),
  clang::annotate("pianola.sub_group_property", property_requirements<Kernel>.sub_group_size),
  clang::annotate("pianola.sub_group_choice", chosen_sub_group_size)]]
__attribute__((noinline)) void
// clang-format on
kernel_body(const Kernel& kernel, const pianola_launch& launch) {
  // A copy that nobody else can see: its members stay in registers whatever the kernel stores.
  loop_kernel<Kernel> own = kernel;
  compiled_shape<Kind, Dimensions>::run(own, launch);
}

}  // namespace pianola::glue

#endif
