// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <pianola/model/error.hpp>
#include <pianola/runtime/fibers.hpp>

#include <sycl/glue/group_context.hpp>
#include <sycl/glue/group_objects.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/index_factory.hpp>
#include <sycl/kernel/nd_item.hpp>
#include <sycl/kernel/range.hpp>

namespace pianola::glue {

/// Library-only mode: the work-group that a thread runs, for work-items that ask who they are. Its context has no
/// scheduler while work-items run in a plain loop, where nobody knows.
template <int Dimensions>
struct launched_group {
  sycl::range<Dimensions> global;
  sycl::range<Dimensions> local;
  sycl::id<Dimensions> offset;
  sycl::id<Dimensions> group;
  group_context context;
  group_objects objects = {};
  /// The kernel is a function, and its index space may have any dimensions.
  bool without_dimensions = false;

  static sycl::id<Dimensions> position(std::uint32_t item, const sycl::range<Dimensions>& local) {
    if constexpr (Dimensions == 1) {
      return sycl::id<1>(item);
    } else if constexpr (Dimensions == 2) {
      const auto n1 = static_cast<std::uint32_t>(local.get(1));
      return sycl::id<2>(item / n1, item % n1);
    } else {
      const auto n1 = static_cast<std::uint32_t>(local.get(1));
      const auto n2 = static_cast<std::uint32_t>(local.get(2));
      return sycl::id<3>(item / n2 / n1, item / n2 % n1, item % n2);
    }
  }
};

/// Null outside of kernels over an nd_range of these dimensions.
template <int Dimensions>
inline launched_group<Dimensions>*& current_group() noexcept {
  static thread_local launched_group<Dimensions>* group = nullptr;
  return group;
}

/// Makes a group the thread's for a while.
template <int Dimensions>
class launched_group_scope {
 public:
  explicit launched_group_scope(launched_group<Dimensions>& g) noexcept
      : before_(current_group<Dimensions>()), objects_before_(current_group_objects()) {
    current_group<Dimensions>() = &g;
    current_group_objects() = &g.objects;
  }
  ~launched_group_scope() {
    current_group<Dimensions>() = before_;
    current_group_objects() = objects_before_;
  }
  launched_group_scope(const launched_group_scope&) = delete;
  launched_group_scope& operator=(const launched_group_scope&) = delete;

 private:
  launched_group<Dimensions>* before_;
  group_objects* objects_before_;
};

/// Of a group that a function's kernel runs in.
template <int Dimensions>
launched_group<Dimensions> last_dimensions_of(const launched_group<3>& g) {
  if constexpr (Dimensions == 1)
    return {sycl::range<1>(g.global.get(2)), sycl::range<1>(g.local.get(2)),
            sycl::id<1>(g.offset.get(2)), sycl::id<1>(g.group.get(2)), g.context};
  else
    return {sycl::range<2>(g.global.get(1), g.global.get(2)),
            sycl::range<2>(g.local.get(1), g.local.get(2)),
            sycl::id<2>(g.offset.get(1), g.offset.get(2)),
            sycl::id<2>(g.group.get(1), g.group.get(2)), g.context};
}

template <int Dimensions>
sycl::nd_item<Dimensions> current_nd_item_of(const launched_group<Dimensions>* g,
                                             const group_context* context);

template <int Dimensions>
sycl::nd_item<Dimensions> current_nd_item() {
  if constexpr (Dimensions < 3)
    if (launched_group<3>* const any = current_group<3>();
        any != nullptr && any->without_dimensions) {
      const launched_group<Dimensions> g = last_dimensions_of<Dimensions>(*any);
      return current_nd_item_of<Dimensions>(&g, &any->context);
    }
  launched_group<Dimensions>* const g = current_group<Dimensions>();
  return current_nd_item_of<Dimensions>(g, g == nullptr ? nullptr : &g->context);
}

template <int Dimensions>
sycl::nd_item<Dimensions> current_nd_item_of(const launched_group<Dimensions>* g,
                                             const group_context* context) {
  if (g == nullptr)
    throw model::user_error(model::error_code::kernel,
                            "a work-item query was made outside of a kernel over an nd_range of "
                            "its dimensions");
  const bool alone = g->local.size() == 1;
  if (!alone && g->context.scheduler == nullptr)
    throw model::user_error(
        model::error_code::kernel,
        "a work-item query was made by some work-items of a work-group but not by its first one: "
        "in library-only mode the first work-item must make one if any other does");
  const std::uint32_t item =
      alone ? 0 : runtime::current_item(*static_cast<runtime::fiber_group*>(g->context.scheduler));
  return sycl::detail::index_factory::make_nd_item<Dimensions>(
      g->global, g->local, g->group, launched_group<Dimensions>::position(item, g->local),
      g->offset, alone ? nullptr : context);
}

}  // namespace pianola::glue
