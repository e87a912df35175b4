// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <sycl/detail/mode.hpp>
#include <sycl/glue/group_context.hpp>
#include <sycl/kernel/group.hpp>
#include <sycl/kernel/group_barrier.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/index_factory.hpp>
#include <sycl/kernel/memory_enums.hpp>
#include <sycl/kernel/nd_range.hpp>
#include <sycl/kernel/range.hpp>
#include <sycl/kernel/sub_group.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// One work-item of a parallel_for over an nd_range (SYCL 2020, 4.9.1.5).
template <int Dimensions = 1>
class nd_item {
 public:
  static constexpr int dimensions = Dimensions;

  nd_item() = delete;

  constexpr id<Dimensions> get_global_id() const { return offset_ + index_in_range(); }
  constexpr std::size_t get_global_id(int dimension) const {
    return offset_.get(dimension) +
           group_.get_group_id(dimension) * group_.get_local_range(dimension) +
           group_.get_local_id(dimension);
  }
  /// Row-major position in the global range; the offset is subtracted first.
  constexpr std::size_t get_global_linear_id() const {
    return detail::linear_index(group_.get_global_range(), index_in_range());
  }

  constexpr id<Dimensions> get_local_id() const { return group_.get_local_id(); }
  constexpr std::size_t get_local_id(int dimension) const { return group_.get_local_id(dimension); }
  constexpr std::size_t get_local_linear_id() const { return group_.get_local_linear_id(); }

  constexpr group<Dimensions> get_group() const { return group_; }
  constexpr std::size_t get_group(int dimension) const { return group_.get_group_id(dimension); }
  constexpr std::size_t get_group_linear_id() const { return group_.get_group_linear_id(); }
  sub_group get_sub_group() const {
    const pianola::glue::group_context* const context = detail::index_factory::context_of(group_);
#if !defined(__PIANOLACC__)  // compiled work-items meet without anybody's help
    if (context != nullptr && context->expect_sub_groups != nullptr)
      context->expect_sub_groups(*context);
#endif
    return detail::index_factory::make_sub_group(get_local_linear_id(),
                                                 group_.get_local_linear_range(), context);
  }

  constexpr range<Dimensions> get_global_range() const { return group_.get_global_range(); }
  constexpr std::size_t get_global_range(int dimension) const {
    return group_.get_global_range(dimension);
  }
  constexpr range<Dimensions> get_local_range() const { return group_.get_local_range(); }
  constexpr std::size_t get_local_range(int dimension) const {
    return group_.get_local_range(dimension);
  }
  constexpr range<Dimensions> get_group_range() const { return group_.get_group_range(); }
  constexpr std::size_t get_group_range(int dimension) const {
    return group_.get_group_range(dimension);
  }

  /// Deprecated by SYCL 2020.
  constexpr id<Dimensions> get_offset() const { return offset_; }

  constexpr nd_range<Dimensions> get_nd_range() const {
    return nd_range<Dimensions>(get_global_range(), get_local_range(), offset_);
  }

  /// Deprecated by SYCL 2020, which has group_barrier(get_group()) instead. Fences as wide as the
  /// space it names.
  void barrier(access::fence_space space = access::fence_space::global_and_local) const {
    group_barrier(group_, space == access::fence_space::local_space ? memory_scope::work_group
                                                                    : memory_scope::device);
  }

  /// The group's.
  template <class DataT = void, class Destination, class Source,
            detail::if_copied<DataT, Destination, Source> = 0>
  device_event async_work_group_copy(Destination destination, Source source, std::size_t count,
                                     std::size_t stride = 1) const {
    return group_.async_work_group_copy(destination, source, count, stride);
  }
  template <class... Events>
  void wait_for(Events... events) const {
    group_.wait_for(events...);
  }

  /// Deprecated by SYCL 2020; orders memory accesses of the calling work-item, synchronises nobody.
  template <access::mode Mode = access::mode::read_write>
  void mem_fence(access::fence_space space = access::fence_space::global_and_local) const {
    group_.template mem_fence<Mode>(space);
  }

  friend constexpr bool operator==(const nd_item& a, const nd_item& b) {
    return a.group_ == b.group_ && a.get_local_id() == b.get_local_id() && a.offset_ == b.offset_;
  }
  friend constexpr bool operator!=(const nd_item& a, const nd_item& b) { return !(a == b); }

 private:
  friend struct detail::index_factory;

  constexpr nd_item(const group<Dimensions>& work_group, const id<Dimensions>& offset)
      : group_(work_group), offset_(offset) {}

  constexpr id<Dimensions> index_in_range() const {
    return group_.get_group_id() * group_.get_local_range() + group_.get_local_id();
  }

  group<Dimensions> group_;
  id<Dimensions> offset_;
};

namespace detail {

template <int Dimensions>
constexpr nd_item<Dimensions> index_factory::make_nd_item(
    const range<Dimensions>& global, const range<Dimensions>& local, const id<Dimensions>& group_id,
    const id<Dimensions>& local_id, const id<Dimensions>& offset,
    const pianola::glue::group_context* context) {
  return nd_item<Dimensions>(make_group<Dimensions>(global, local, group_id, local_id, context),
                             offset);
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
