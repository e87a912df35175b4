// SPDX-License-Identifier: Apache-2.0
// Library-only mode: work-groups of a parallel_for over an nd_range, on fibers where they meet barriers.
#pragma once

#include <cstddef>
#include <cstdint>

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

inline bool fiber_some_have_left(const group_context& c) {
  return runtime::some_have_left(*static_cast<runtime::fiber_group*>(c.scheduler));
}

/// Of a work-item that runs in a plain loop behind others that reached no barrier, in the group `running`. It may reach one
/// all the same: those before it have left then, and those behind it are no longer the loop's.
///
/// Only barriers let anybody else see it: to a loop over work-items without one, `fibers` is a constant.
struct late_context : group_context {
  explicit late_context(std::uint32_t of_sub_group)
      : group_context{
            &barrier_of, &sub_group_barrier_of, &slots_of,   nullptr,           of_sub_group,
            nullptr,     &members_barrier_of,   &meet_at_of, &some_have_left_of} {}

  using start_function = runtime::fiber_group& (*)(const late_context&);

  runtime::fiber_group* fibers = nullptr;
  start_function start = nullptr;
  void* running = nullptr;
  std::uint32_t item = 0;

 private:
  static runtime::fiber_group& begun(const group_context& c) {
    auto& late = const_cast<late_context&>(static_cast<const late_context&>(c));
    if (late.fibers == nullptr) late.fibers = &late.start(late);
    return *late.fibers;
  }
  static void wait(const group_context& c, runtime::late_wait where, std::uint64_t key = 0) {
    runtime::wait_late(begun(c), static_cast<const late_context&>(c).item, where, key);
  }
  static void barrier_of(const group_context& c) { wait(c, runtime::late_wait::group); }
  static void sub_group_barrier_of(const group_context& c) {
    wait(c, runtime::late_wait::sub_group);
  }
  static void** slots_of(const group_context& c) { return runtime::group_slots(begun(c)); }
  static void members_barrier_of(const group_context& c, std::uint64_t members) {
    wait(c, runtime::late_wait::members, members);
  }
  static std::uint64_t meet_at_of(const group_context& c, std::uint64_t place) {
    wait(c, runtime::late_wait::meeting, place);
    return runtime::met_late(begun(c), static_cast<const late_context&>(c).item);
  }
  static bool some_have_left_of(const group_context& c) {
    return runtime::some_have_left(begun(c));
  }
};

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
                           &fiber_expect_sub_groups, &fiber_members_barrier, &fiber_meet_at,
                           &fiber_some_have_left}},
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

  std::uint32_t linear(const sycl::id<Dimensions>& at) const {
    std::size_t item = 0;
    for (int d = 0; d < Dimensions; ++d) item = item * local.get(d) + at.get(d);
    return static_cast<std::uint32_t>(item);
  }

  static runtime::fiber_group& start_late(const late_context& late) {
    auto& g = *static_cast<running_group*>(late.running);
    runtime::fiber_group& fibers =
        runtime::start_late(static_cast<std::uint32_t>(g.local.size()), g.context.sub_group_size,
                            late.item, &run_on_fiber, &g);
    g.context.scheduler = &fibers;
    return fibers;
  }

  /// All items but the first, which has run and met no barrier.
  void run_rest(const Kernel& unbarred) {
    context.scheduler = nullptr;
    late_context late(context.sub_group_size);
    late.start = &start_late;
    late.running = this;
    try {
      run_rest(unbarred, late);
    } catch (...) {
      if (late.fibers == nullptr) throw;
      return runtime::fail_late(*late.fibers, late.item);
    }
    if (late.fibers != nullptr) runtime::finish_late(*late.fibers, late.item);
  }

  inline __attribute__((always_inline)) void run_rest(const Kernel& unbarred, late_context& late) {
    const auto run = [&](const sycl::id<Dimensions>& at) {
      if (late.fibers != nullptr) return;
      late.item = linear(at);
      invoke(unbarred, sycl::detail::index_factory::make_nd_item<Dimensions>(global, local, group,
                                                                             at, offset, &late));
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
