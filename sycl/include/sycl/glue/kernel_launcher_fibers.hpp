// SPDX-License-Identifier: Apache-2.0
// Library-only mode: work-groups of a parallel_for over an nd_range, on fibers where they meet barriers.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pianola/model/error.hpp>
#include <pianola/model/geometry.hpp>
#include <pianola/model/kernel.hpp>
#include <pianola/runtime/fibers.hpp>

#include <sycl/detail/mode.hpp>
#include <sycl/glue/group_context.hpp>
#include <sycl/glue/kernel_arguments.hpp>
#include <sycl/glue/kernel_launcher_range.hpp>
#include <sycl/glue/kernel_requirements.hpp>
#include <sycl/glue/launched_group.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/index_factory.hpp>
#include <sycl/kernel/nd_item.hpp>
#include <sycl/kernel/range.hpp>

#if defined(__clang__)
#pragma clang diagnostic push
// Not every kernel can be vectorised; that is no news to the user.
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

namespace pianola::glue {

[[noreturn]] inline void refuse_late_barrier(const group_context&) {
  throw model::user_error(
      model::error_code::kernel,
      "a barrier or group function was reached by some work-items of a work-group but not by its "
      "first one: every "
      "work-item of the group must reach a group_barrier, and in library-only mode the first "
      "work-item must ask for its sub-group or take part in some barrier if any other does");
}
[[noreturn]] inline void** refuse_late_exchange(const group_context& c) { refuse_late_barrier(c); }

inline void fiber_barrier(const group_context& c) {
  runtime::group_barrier(*static_cast<runtime::fiber_group*>(c.scheduler));
}
inline void fiber_sub_group_barrier(const group_context& c) {
  runtime::sub_group_barrier(*static_cast<runtime::fiber_group*>(c.scheduler));
}
inline void fiber_members_barrier(const group_context& c, std::uint64_t members) {
  runtime::members_barrier(*static_cast<runtime::fiber_group*>(c.scheduler), members);
}
inline std::uint64_t fiber_meet_at(const group_context& c, std::uint64_t place) {
  return runtime::meet_at(*static_cast<runtime::fiber_group*>(c.scheduler), place);
}
inline void fiber_expect_sub_groups(const group_context& c) {
  static_cast<void>(runtime::current_item(*static_cast<runtime::fiber_group*>(c.scheduler)));
}
inline void** fiber_slots(const group_context& c) {
  return runtime::group_slots(*static_cast<runtime::fiber_group*>(c.scheduler));
}

template <class Kernel, class = void>
inline constexpr bool has_no_dimensions = false;
template <class Kernel>
inline constexpr bool has_no_dimensions<Kernel, typename Kernel::without_dimensions> = true;

/// Everything the work-items of one group share.
template <int Dimensions, class Kernel>
struct running_group : launched_group<Dimensions> {
  using base = launched_group<Dimensions>;
  using base::context;
  using base::global;
  using base::group;
  using base::local;
  using base::offset;

  running_group(const Kernel& k, const model::launch_geometry& geometry)
      : base{to_range<Dimensions>(geometry.global),
             to_range<Dimensions>(geometry.local),
             to_id<Dimensions>(geometry.offset),
             {},
             group_context{&fiber_barrier, &fiber_sub_group_barrier, &fiber_slots, nullptr,
                           property_requirements<Kernel>.sub_group_size != 0
                               ? property_requirements<Kernel>.sub_group_size
                               : sub_group_size,
                           &fiber_expect_sub_groups, &fiber_members_barrier, &fiber_meet_at}},
        kernel(k) {
    base::without_dimensions = has_no_dimensions<Kernel>;
  }

  const Kernel& kernel;

  static void run_on_fiber(void* self, std::uint32_t item, runtime::fiber_group& fibers) {
    auto& g = *static_cast<running_group*>(self);
    g.context.scheduler = &fibers;
    // A copy per work-item: after a barrier (an opaque call) nothing of it is read again.
    loop_kernel<Kernel> kernel = g.kernel;
    invoke(kernel,
           sycl::detail::index_factory::make_nd_item<Dimensions>(
               g.global, g.local, g.group, base::position(item, g.local), g.offset, &g.context));
  }

  /// All items but the first, which has run and met no barrier.
  void run_rest(const Kernel& unbarred) {
    context.scheduler = nullptr;
    const group_context no_fibers{&refuse_late_barrier, &refuse_late_barrier, &refuse_late_exchange,
                                  nullptr, context.sub_group_size};
    const auto run = [&](const sycl::id<Dimensions>& at) {
      invoke(unbarred, sycl::detail::index_factory::make_nd_item<Dimensions>(
                           global, local, group, at, offset, &no_fibers));
    };
    // The first row (a row is a run of the last coordinate) without its first item, then whole rows.
    model::box rest;
    for (std::size_t d = 0; d < 3; ++d) rest.hi[d] = 1;
    for (int d = 0; d < Dimensions; ++d)
      rest.hi[static_cast<std::size_t>(3 - Dimensions + d)] = local.get(d);
    model::box row = rest;
    row.lo[2] = 1;
    row.hi[0] = 1;
    if constexpr (Dimensions > 1) row.hi[1] = 1;
    for_each_independent<Dimensions>(row, run);
    if constexpr (Dimensions == 2) {
      rest.lo[1] = 1;
      for_each_independent<2>(rest, run);
    } else if constexpr (Dimensions == 3) {
      model::box plane = rest;
      plane.lo[1] = 1;
      plane.hi[0] = 1;
      for_each_independent<3>(plane, run);
      rest.lo[0] = 1;
      for_each_independent<3>(rest, run);
    }
  }
};

inline namespace PIANOLA_SYCL_VERSION {

/// Runs the groups of one part of an nd_range.
template <int Dimensions, class Kernel>
inline void run_groups(const Kernel& source, const model::launch_geometry& geometry,
                       const model::box& part, const model::group_resources& resources) {
  loop_kernel<Kernel> kernel = source;
  running_group<Dimensions, Kernel> g(source, geometry);
  g.objects.set_reserved(resources.local_memory_bytes);
  const launched_group_scope<Dimensions> current(g);
  const auto items = static_cast<std::uint32_t>(g.local.size());
  for (std::size_t i = part.lo[0]; i < part.hi[0]; ++i)
    for (std::size_t j = part.lo[1]; j < part.hi[1]; ++j)
      for (std::size_t k = part.lo[2]; k < part.hi[2]; ++k) {
        g.group = to_id<Dimensions>(model::point3{{i, j, k}});
        g.objects.start_group();
        if (items == 1) {
          invoke(kernel, sycl::detail::index_factory::make_nd_item<Dimensions>(
                             g.global, g.local, g.group, sycl::id<Dimensions>(), g.offset));
        } else if (!runtime::run_work_group(items, g.context.sub_group_size,
                                            &running_group<Dimensions, Kernel>::run_on_fiber, &g)) {
          g.run_rest(kernel);
        }
      }
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace pianola::glue

#if defined(__clang__)
#pragma clang diagnostic pop
#endif
