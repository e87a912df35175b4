// SPDX-License-Identifier: Apache-2.0
// Loops over the work-items of a parallel_for over a range.
#pragma once

#include <cstddef>

#include <pianola/model/geometry.hpp>
#include <pianola/model/kernel.hpp>

#include <sycl/glue/intrinsics.hpp>
#include <sycl/glue/invoke.hpp>
#include <sycl/glue/kernel_arguments.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/index_factory.hpp>
#include <sycl/kernel/item.hpp>
#include <sycl/kernel/range.hpp>

// Work-items without a barrier between them are independent (SYCL 2020, 3.8.3: what two of them do
// to one object without synchronisation is a race), so a loop over them carries no dependence.
#if defined(__clang__)
#define PIANOLA_INDEPENDENT_ITEMS _Pragma("clang loop vectorize(assume_safety)")
#else
#define PIANOLA_INDEPENDENT_ITEMS _Pragma("GCC ivdep")
#endif

namespace pianola::glue {

/// The last Dimensions coordinates, for the model pads on the left.
template <int Dimensions>
constexpr sycl::range<Dimensions> to_range(const model::extent3& e) noexcept {
  if constexpr (Dimensions == 1)
    return sycl::range<1>(e[2]);
  else if constexpr (Dimensions == 2)
    return sycl::range<2>(e[1], e[2]);
  else
    return sycl::range<3>(e[0], e[1], e[2]);
}

template <int Dimensions>
constexpr sycl::id<Dimensions> to_id(const model::point3& p) noexcept {
  if constexpr (Dimensions == 1)
    return sycl::id<1>(p[2]);
  else if constexpr (Dimensions == 2)
    return sycl::id<2>(p[1], p[2]);
  else
    return sycl::id<3>(p[0], p[1], p[2]);
}

#if defined(__clang__)
#pragma clang diagnostic push
// Not every kernel can be vectorised; that is no news to the user.
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

/// Runs f(k) for lo <= k < hi.
template <class F>
inline __attribute__((always_inline)) void for_each_in_row(std::size_t lo, std::size_t hi,
                                                           const F& f) {
#if defined(__PIANOLACC__)
  // Group scopes are device code as well, where there are no vectors and the wish for them is reported.
  if (__pianola_is_device()) {
    for (std::size_t k = lo; k < hi; ++k) f(k);
    return;
  }
#endif
#if defined(__clang__)
  PIANOLA_INDEPENDENT_ITEMS
  for (std::size_t k = lo; k < hi; ++k) f(k);
#else
  // What g++ makes of the remainder of a vectorised loop costs more than the vectors of a short row. Trip
  // counts that are multiples of 16 and of 4 leave it no remainder.
  if (lo >= hi) return;
  const std::size_t count = hi - lo;
  const std::size_t sixteens = count & ~std::size_t{15}, fours = count & 12, rest = count & 3;
  PIANOLA_INDEPENDENT_ITEMS
  for (std::size_t k = 0; k < sixteens; ++k) f(lo + k);
  const std::size_t after_sixteens = lo + sixteens;
  PIANOLA_INDEPENDENT_ITEMS
  for (std::size_t k = 0; k < fours; ++k) f(after_sixteens + k);
  const std::size_t after_fours = after_sixteens + fours;
  for (std::size_t k = 0; k < rest; ++k) f(after_fours + k);
#endif
}

/// Runs f(id) for every point of the box, the last coordinate fastest.
template <int Dimensions, class F>
inline __attribute__((always_inline)) void for_each_independent(const model::box& part,
                                                                const F& f) {
  const std::size_t lo0 = part.lo[0], lo1 = part.lo[1], lo2 = part.lo[2];
  const std::size_t hi0 = part.hi[0], hi1 = part.hi[1], hi2 = part.hi[2];
  if constexpr (Dimensions == 1) {
    for_each_in_row(lo2, hi2, [&](std::size_t k) { f(sycl::id<1>(k)); });
  } else if constexpr (Dimensions == 2) {
    for (std::size_t j = lo1; j < hi1; ++j)
      for_each_in_row(lo2, hi2, [&](std::size_t k) { f(sycl::id<2>(j, k)); });
  } else {
    for (std::size_t i = lo0; i < hi0; ++i)
      for (std::size_t j = lo1; j < hi1; ++j)
        for_each_in_row(lo2, hi2, [&](std::size_t k) { f(sycl::id<3>(i, j, k)); });
  }
}

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

template <int Dimensions, bool WithOffset, class Kernel>
inline __attribute__((always_inline)) void run_item_loops(const Kernel& source,
                                                          const model::launch_geometry& geometry,
                                                          const model::box& part) {
  loop_kernel<Kernel> kernel = source;
  const sycl::range<Dimensions> extent = to_range<Dimensions>(geometry.global);
  if constexpr (WithOffset) {
    const sycl::id<Dimensions> offset = to_id<Dimensions>(geometry.offset);
    for_each_independent<Dimensions>(part, [&](const sycl::id<Dimensions>& index) {
      invoke(kernel, sycl::detail::index_factory::make_item<Dimensions, true>(
                         extent, index + offset, offset));
    });
  } else {
    for_each_independent<Dimensions>(part, [&](const sycl::id<Dimensions>& index) {
      invoke(kernel, sycl::detail::index_factory::make_item<Dimensions, false>(extent, index));
    });
  }
}

#if !defined(__clang__)
template <int Dimensions, bool WithOffset, class Kernel>
__attribute__((cold, noinline)) void run_huge_rows(const Kernel& source,
                                                   const model::launch_geometry& geometry,
                                                   const model::box& part) {
  run_item_loops<Dimensions, WithOffset>(source, geometry, part);
}
#endif

/// Runs the items of one part of a range.
template <int Dimensions, bool WithOffset, class Kernel>
inline void run_items(const Kernel& source, const model::launch_geometry& geometry,
                      const model::box& part) {
#if !defined(__clang__)
  // g++ vectorises a kernel that takes its index as int only if it knows that every index is one.
  if (part.hi[2] > 0x7fffffffU)
    return run_huge_rows<Dimensions, WithOffset>(source, geometry, part);
#endif
  run_item_loops<Dimensions, WithOffset>(source, geometry, part);
}

}  // namespace pianola::glue
