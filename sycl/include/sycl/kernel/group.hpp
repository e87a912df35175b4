// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/glue/group_context.hpp>
#include <sycl/glue/kernel_launcher_range.hpp>
#include <sycl/kernel/atomic_fence.hpp>
#include <sycl/kernel/device_event.hpp>
#include <sycl/kernel/h_item.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/index_factory.hpp>
#include <sycl/kernel/memory_enums.hpp>
#include <sycl/kernel/range.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// A work-group, as one of its work-items sees it (SYCL 2020, 4.9.1.7). In the group scope of a
/// hierarchical kernel the local id is zero.
template <int Dimensions = 1>
class group {
 public:
  using id_type = id<Dimensions>;
  using range_type = range<Dimensions>;
  using linear_id_type = std::size_t;
  static constexpr int dimensions = Dimensions;
  static constexpr memory_scope fence_scope = memory_scope::work_group;

  group() = delete;

  constexpr id_type get_group_id() const { return group_id_; }
  constexpr std::size_t get_group_id(int dimension) const { return group_id_.get(dimension); }
  constexpr std::size_t operator[](int dimension) const { return group_id_.get(dimension); }
  constexpr linear_id_type get_group_linear_id() const {
    return detail::linear_index(get_group_range(), group_id_);
  }

  /// SYCL 1.2.1 names of the three above.
  constexpr id_type get_id() const { return group_id_; }
  constexpr std::size_t get_id(int dimension) const { return group_id_.get(dimension); }
  constexpr linear_id_type get_linear_id() const { return get_group_linear_id(); }

  constexpr id_type get_local_id() const { return local_id_; }
  constexpr std::size_t get_local_id(int dimension) const { return local_id_.get(dimension); }
  constexpr linear_id_type get_local_linear_id() const {
    return detail::linear_index(local_, local_id_);
  }

  /// SYCL 1.2.1.
  constexpr range_type get_global_range() const { return global_; }
  constexpr std::size_t get_global_range(int dimension) const { return global_.get(dimension); }

  constexpr range_type get_local_range() const { return local_; }
  constexpr std::size_t get_local_range(int dimension) const { return local_.get(dimension); }
  constexpr linear_id_type get_local_linear_range() const { return local_.size(); }

  constexpr range_type get_group_range() const { return global_ / local_; }
  constexpr std::size_t get_group_range(int dimension) const {
    return global_.get(dimension) / local_.get(dimension);
  }
  constexpr linear_id_type get_group_linear_range() const { return get_group_range().size(); }

  /// All work-groups of an nd_range are equally large.
  constexpr range_type get_max_local_range() const { return local_; }

  constexpr bool leader() const { return local_id_ == id_type(); }

  /// In the group scope of a hierarchical kernel: runs `f(h_item)` for every work-item of the group, with
  /// its group barrier behind them (SYCL 2020, 4.9.4.2.3). One thread, or one work-item of a device, runs
  /// all of them.
  template <typename WorkItemFunction>
  void parallel_for_work_item(const WorkItemFunction& f) const {
    run_work_items(local_, f, [](std::size_t count, const auto& run) {
      pianola::glue::for_each_in_row(0, count, run);
    });
  }

  /// The same for every item of a range that is folded onto the group's.
  template <typename WorkItemFunction>
  void parallel_for_work_item(range_type logical, const WorkItemFunction& f) const {
    if (logical == local_) return parallel_for_work_item(f);
    // Those of one physical work-item are not independent.
    run_work_items(logical, f, [](std::size_t count, const auto& run) {
      for (std::size_t i = 0; i < count; ++i) run(i);
    });
  }

  /// Copies `count` elements between local and global memory (SYCL 2020, 4.9.1.7). All work-items of the
  /// group must call it, with the same arguments; nobody may touch either side until the event, or
  /// wait_for, says so. A stride counts elements of global memory. DataT may be given: the elements' type.
  template <class DataT = void, class Destination, class Source,
            detail::if_copied<DataT, Destination, Source> = 0>
  device_event async_work_group_copy(Destination destination, Source source, std::size_t count,
                                     std::size_t stride = 1) const {
    detail::copy_in_group(destination, source, count, stride, leader());
    return detail::device_event_access::make(context_);
  }
  /// All work-items of the group must call it.
  template <class... Events>
  void wait_for(Events... events) const {
    static_assert((std::is_same_v<Events, device_event> && ...),
                  "wait_for takes what async_work_group_copy returned");
    const device_event all[] = {detail::device_event_access::make(context_), events...};
    all[0].wait();
  }

  /// Deprecated by SYCL 2020; orders memory accesses of the calling work-item, synchronises nobody.
  template <access::mode Mode = access::mode::read_write>
  void mem_fence(access::fence_space = access::fence_space::global_and_local) const {
    static_assert(Mode == access::mode::read || Mode == access::mode::write ||
                      Mode == access::mode::read_write,
                  "mem_fence takes access::mode::read, write or read_write");
    detail::builtin_fence<__ATOMIC_ACQ_REL>(memory_scope::work_group);
  }

  /// Equal if they are the same work-group of the same index space, whichever work-item asks.
  friend constexpr bool operator==(const group& a, const group& b) {
    return a.group_id_ == b.group_id_ && a.global_ == b.global_ && a.local_ == b.local_;
  }
  friend constexpr bool operator!=(const group& a, const group& b) { return !(a == b); }

 private:
  friend struct detail::index_factory;

  constexpr group(const range_type& global, const range_type& local, const id_type& group_id,
                  const id_type& local_id, const pianola::glue::group_context* context)
      : global_(global),
        local_(local),
        group_id_(group_id),
        local_id_(local_id),
        context_(context) {}

  /// row(count, run) runs a row of the last dimension.
  template <class F, class Row>
  void run_work_items(const range_type& logical, const F& f, const Row& row) const {
    const auto run = [&](const id_type& at) {
      f(detail::index_factory::make_h_item<Dimensions>(global_, local_, group_id_, logical, at));
    };
    if constexpr (Dimensions == 1) {
      row(logical.get(0), [&](std::size_t k) { run(id_type(k)); });
    } else if constexpr (Dimensions == 2) {
      for (std::size_t j = 0; j < logical.get(0); ++j)
        row(logical.get(1), [&](std::size_t k) { run(id_type(j, k)); });
    } else {
      for (std::size_t i = 0; i < logical.get(0); ++i)
        for (std::size_t j = 0; j < logical.get(1); ++j)
          row(logical.get(2), [&](std::size_t k) { run(id_type(i, j, k)); });
    }
  }

  range_type global_;
  range_type local_;
  id_type group_id_;
  id_type local_id_;
  const pianola::glue::group_context* context_;
};

namespace detail {

template <int Dimensions>
constexpr group<Dimensions> index_factory::make_group(const range<Dimensions>& global,
                                                      const range<Dimensions>& local,
                                                      const id<Dimensions>& group_id,
                                                      const id<Dimensions>& local_id,
                                                      const pianola::glue::group_context* context) {
  return group<Dimensions>(global, local, group_id, local_id, context);
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
