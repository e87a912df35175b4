// SPDX-License-Identifier: Apache-2.0
// sycl_khr_group_interface: groups by a shorter interface. What needs <mdspan> is left out: no standard
// library that Pianola builds with has it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/group.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/memory_enums.hpp>
#include <sycl/kernel/range.hpp>
#include <sycl/kernel/sub_group.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace khr {

/// All work-items of a work-group.
template <int Dimensions = 1>
class work_group {
 public:
  using id_type = sycl::id<Dimensions>;
  using linear_id_type = std::size_t;
  using range_type = sycl::range<Dimensions>;
  using size_type = std::size_t;
  static constexpr int dimensions = Dimensions;
  static constexpr memory_scope fence_scope = memory_scope::work_group;

  work_group(sycl::group<Dimensions> g) noexcept : group_(g) {}
  operator sycl::group<Dimensions>() const noexcept { return group_; }

  /// Among all work-groups, of which range() tells how many there are.
  id_type id() const noexcept { return group_.get_group_id(); }
  linear_id_type linear_id() const noexcept { return group_.get_group_linear_id(); }
  range_type range() const noexcept { return group_.get_group_range(); }
  /// Number of work-items.
  constexpr size_type size() const noexcept { return group_.get_local_linear_range(); }

  friend bool operator==(const work_group& a, const work_group& b) noexcept {
    return a.group_ == b.group_;
  }
  friend bool operator!=(const work_group& a, const work_group& b) noexcept { return !(a == b); }

 private:
  sycl::group<Dimensions> group_;
};

/// All work-items of a sub-group.
class sub_group {
 public:
  using id_type = sycl::id<1>;
  using linear_id_type = std::uint32_t;
  using range_type = sycl::range<1>;
  using size_type = std::uint32_t;
  static constexpr int dimensions = 1;
  static constexpr memory_scope fence_scope = memory_scope::sub_group;

  sub_group(sycl::sub_group g) noexcept : group_(g) {}
  operator sycl::sub_group() const noexcept { return group_; }

  /// Among the sub-groups of the work-group.
  id_type id() const noexcept { return group_.get_group_id(); }
  linear_id_type linear_id() const noexcept { return group_.get_group_linear_id(); }
  range_type range() const noexcept { return group_.get_group_range(); }
  /// Number of work-items of this one, and of the largest one that there can be.
  constexpr size_type size() const noexcept { return group_.get_local_linear_range(); }
  constexpr size_type max_size() const noexcept {
    return static_cast<size_type>(group_.get_max_local_range()[0]);
  }

  friend bool operator==(const sub_group& a, const sub_group& b) noexcept {
    return a.group_ == b.group_;
  }
  friend bool operator!=(const sub_group& a, const sub_group& b) noexcept { return !(a == b); }

 private:
  sycl::sub_group group_;
};

struct member_item_access;

/// The calling work-item as a group of one.
template <class ParentGroup>
class member_item {
 public:
  using id_type = typename ParentGroup::id_type;
  using linear_id_type = typename ParentGroup::linear_id_type;
  using range_type = typename ParentGroup::range_type;
  using size_type = typename ParentGroup::size_type;
  static constexpr int dimensions = ParentGroup::dimensions;
  static constexpr memory_scope fence_scope = memory_scope::work_item;

  /// Among the work-items of the group that it was taken from.
  id_type id() const noexcept { return id_; }
  linear_id_type linear_id() const noexcept {
    return static_cast<linear_id_type>(sycl::detail::linear_index(range_, id_));
  }
  range_type range() const noexcept { return range_; }
  constexpr size_type size() const noexcept { return 1; }

  friend bool operator==(const member_item& a, const member_item& b) noexcept {
    return a.id_ == b.id_ && a.range_ == b.range_;
  }
  friend bool operator!=(const member_item& a, const member_item& b) noexcept { return !(a == b); }

 private:
  friend struct member_item_access;
  member_item(const id_type& id, const range_type& range) noexcept : id_(id), range_(range) {}

  id_type id_;
  range_type range_;
};

/// Makes them; not for programs.
struct member_item_access {
  template <class Parent, class Group>
  static member_item<Parent> make(const Group& g) noexcept {
    return member_item<Parent>(g.get_local_id(), g.get_local_range());
  }
};

template <int Dimensions>
member_item<work_group<Dimensions>> get_member_item(work_group<Dimensions> g) noexcept {
  return member_item_access::make<work_group<Dimensions>>(sycl::group<Dimensions>(g));
}
inline member_item<sub_group> get_member_item(sub_group g) noexcept {
  return member_item_access::make<sub_group>(sycl::sub_group(g));
}

/// Whether the calling work-item is the one with index 0.
template <int Dimensions>
bool leader_of(work_group<Dimensions> g) noexcept {
  return sycl::group<Dimensions>(g).leader();
}
inline bool leader_of(sub_group g) noexcept { return sycl::sub_group(g).leader(); }
template <class ParentGroup>
bool leader_of(member_item<ParentGroup>) noexcept {
  return true;
}

}  // namespace khr
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
