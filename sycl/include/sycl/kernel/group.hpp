// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <sycl/detail/mode.hpp>
#include <sycl/glue/group_context.hpp>
#include <sycl/kernel/atomic_fence.hpp>
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

  /// Runs `f(h_item)` for every work-item of the group, one after the other, in row-major order;
  /// later calls see the effects of earlier ones, which is all that the implicit barrier of SYCL
  /// 2020, 4.9.4.4.2 promises.
  template <typename WorkItemFunction>
  void parallel_for_work_item(const WorkItemFunction& f) const {
    parallel_for_work_item(local_, f);
  }

  template <typename WorkItemFunction>
  void parallel_for_work_item(range_type logical, const WorkItemFunction& f) const {
    const std::size_t extent[3] = {logical.get(0),
                                   Dimensions > 1 ? logical.get(Dimensions > 1 ? 1 : 0) : 1,
                                   Dimensions > 2 ? logical.get(Dimensions > 2 ? 2 : 0) : 1};
    id_type index;
    for (std::size_t i = 0; i < extent[0]; ++i)
      for (std::size_t j = 0; j < extent[1]; ++j)
        for (std::size_t k = 0; k < extent[2]; ++k) {
          index[0] = i;
          if constexpr (Dimensions > 1) index[1] = j;
          if constexpr (Dimensions > 2) index[2] = k;
          f(detail::index_factory::make_h_item<Dimensions>(global_, local_, group_id_, logical,
                                                           index));
        }
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
