// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/index_factory.hpp>
#include <sycl/kernel/item.hpp>
#include <sycl/kernel/range.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// One work-item inside group::parallel_for_work_item (SYCL 2020, 4.9.1.6).
///
/// A logical range different from the work-group's is folded onto it: logical work-item l is
/// executed by the physical work-item l modulo the local range, per dimension.
template <int Dimensions>
class h_item {
 public:
  static constexpr int dimensions = Dimensions;

  h_item() = delete;

  constexpr item<Dimensions, false> get_global() const {
    return detail::index_factory::make_item<Dimensions, false>(global_, get_global_id());
  }
  constexpr item<Dimensions, false> get_local() const { return get_logical_local(); }
  constexpr item<Dimensions, false> get_logical_local() const {
    return detail::index_factory::make_item<Dimensions, false>(logical_, logical_id_);
  }
  constexpr item<Dimensions, false> get_physical_local() const {
    return detail::index_factory::make_item<Dimensions, false>(local_, get_physical_local_id());
  }

  constexpr range<Dimensions> get_global_range() const { return global_; }
  constexpr std::size_t get_global_range(int dimension) const { return global_.get(dimension); }
  constexpr id<Dimensions> get_global_id() const {
    return group_id_ * local_ + get_physical_local_id();
  }
  constexpr std::size_t get_global_id(int dimension) const {
    return get_global_id().get(dimension);
  }

  constexpr range<Dimensions> get_local_range() const { return logical_; }
  constexpr std::size_t get_local_range(int dimension) const { return logical_.get(dimension); }
  constexpr id<Dimensions> get_local_id() const { return logical_id_; }
  constexpr std::size_t get_local_id(int dimension) const { return logical_id_.get(dimension); }

  constexpr range<Dimensions> get_logical_local_range() const { return logical_; }
  constexpr std::size_t get_logical_local_range(int dimension) const {
    return logical_.get(dimension);
  }
  constexpr id<Dimensions> get_logical_local_id() const { return logical_id_; }
  constexpr std::size_t get_logical_local_id(int dimension) const {
    return logical_id_.get(dimension);
  }

  constexpr range<Dimensions> get_physical_local_range() const { return local_; }
  constexpr std::size_t get_physical_local_range(int dimension) const {
    return local_.get(dimension);
  }
  constexpr id<Dimensions> get_physical_local_id() const { return logical_id_ % local_; }
  constexpr std::size_t get_physical_local_id(int dimension) const {
    return get_physical_local_id().get(dimension);
  }

  friend constexpr bool operator==(const h_item& a, const h_item& b) {
    return a.global_ == b.global_ && a.local_ == b.local_ && a.group_id_ == b.group_id_ &&
           a.logical_ == b.logical_ && a.logical_id_ == b.logical_id_;
  }
  friend constexpr bool operator!=(const h_item& a, const h_item& b) { return !(a == b); }

 private:
  friend struct detail::index_factory;

  constexpr h_item(const range<Dimensions>& global, const range<Dimensions>& local,
                   const id<Dimensions>& group_id, const range<Dimensions>& logical,
                   const id<Dimensions>& logical_id)
      : global_(global),
        local_(local),
        group_id_(group_id),
        logical_(logical),
        logical_id_(logical_id) {}

  range<Dimensions> global_;
  range<Dimensions> local_;
  id<Dimensions> group_id_;
  range<Dimensions> logical_;
  id<Dimensions> logical_id_;
};

namespace detail {

template <int Dimensions>
constexpr h_item<Dimensions> index_factory::make_h_item(const range<Dimensions>& global,
                                                        const range<Dimensions>& local,
                                                        const id<Dimensions>& group_id,
                                                        const range<Dimensions>& logical,
                                                        const id<Dimensions>& logical_id) {
  return h_item<Dimensions>(global, local, group_id, logical, logical_id);
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
