// SPDX-License-Identifier: Apache-2.0
// Of sycl_ext_oneapi_non_uniform_groups: parts of a sub-group as groups of their own, which meet where others of the
// sub-group do not. In library-only mode; what compiles kernels does not know such groups, and refuses them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/functional.hpp>
#include <sycl/kernel/group_functions/group_traits.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/memory_enums.hpp>
#include <sycl/kernel/range.hpp>
#include <sycl/kernel/sub_group.hpp>
#if !defined(__PIANOLACC__)
#include <pianola/model/error.hpp>
#include <sycl/glue/group_context.hpp>
#include <sycl/kernel/group_barrier.hpp>
#include <sycl/kernel/group_functions/exchange_fibers.hpp>
#include <sycl/kernel/index_factory.hpp>
#include <sycl/khr/work_item_queries.hpp>
#endif

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::oneapi::experimental {

template <class ParentGroup>
class fragment;
template <std::size_t ChunkSize, class ParentGroup>
class chunk;

template <class T>
struct is_fixed_topology_group : std::false_type {};
template <int Dimensions>
struct is_fixed_topology_group<sycl::group<Dimensions>> : std::true_type {};
template <>
struct is_fixed_topology_group<sycl::sub_group> : std::true_type {};
template <class T>
inline constexpr bool is_fixed_topology_group_v = is_fixed_topology_group<T>::value;

template <class T>
struct is_user_constructed_group : std::false_type {};
template <class ParentGroup>
struct is_user_constructed_group<fragment<ParentGroup>> : std::true_type {};
template <std::size_t ChunkSize, class ParentGroup>
struct is_user_constructed_group<chunk<ChunkSize, ParentGroup>> : std::true_type {};
template <class T>
inline constexpr bool is_user_constructed_group_v = is_user_constructed_group<T>::value;

/// The names that the groups had before.
template <class ParentGroup>
using ballot_group = fragment<ParentGroup>;
template <class ParentGroup>
using tangle_group = fragment<ParentGroup>;
using opportunistic_group = fragment<sycl::sub_group>;
template <std::size_t PartitionSize, class ParentGroup>
using fixed_size_group = chunk<PartitionSize, ParentGroup>;

#if defined(__PIANOLACC__)

/// Not for programs.
template <class Group>
inline constexpr bool is_never_a_group = false;
#define PIANOLA_REFUSE_GROUPS(Group)     \
  static_assert(is_never_a_group<Group>, \
                "groups of some work-items of a sub-group are there in library-only mode only")

template <class ParentGroup>
auto binary_partition(ParentGroup, bool) {
  PIANOLA_REFUSE_GROUPS(ParentGroup);
  return 0;
}
template <std::size_t ChunkSize, class ParentGroup>
auto chunked_partition(ParentGroup) {
  PIANOLA_REFUSE_GROUPS(ParentGroup);
  return 0;
}
template <class ParentGroup>
auto get_ballot_group(ParentGroup, bool) {
  PIANOLA_REFUSE_GROUPS(ParentGroup);
  return 0;
}
template <std::size_t PartitionSize, class ParentGroup>
auto get_fixed_size_group(ParentGroup) {
  PIANOLA_REFUSE_GROUPS(ParentGroup);
  return 0;
}
template <class ParentGroup>
auto get_tangle_group(ParentGroup) {
  PIANOLA_REFUSE_GROUPS(ParentGroup);
  return 0;
}
namespace this_kernel {
template <class ParentGroup = sycl::sub_group>
auto get_opportunistic_group() {
  PIANOLA_REFUSE_GROUPS(ParentGroup);
  return 0;
}
}  // namespace this_kernel
#undef PIANOLA_REFUSE_GROUPS

#else

/// Which work-items of a sub-group are in a group, and where the calling one is. Not for programs.
struct group_members {
  const ::pianola::glue::group_context* context;
  std::uint32_t first_slot;  // of the sub-group
  std::uint32_t lane;        // of the calling work-item, in the sub-group
  std::uint32_t group_id;
  std::uint32_t group_range;
  std::uint64_t lanes;  // a bit for each

  std::uint32_t count() const { return static_cast<std::uint32_t>(__builtin_popcountll(lanes)); }
  std::uint32_t rank() const {
    return static_cast<std::uint32_t>(
        __builtin_popcountll(lanes & ((std::uint64_t{1} << lane) - 1)));
  }
  std::uint32_t lane_of(std::uint32_t rank) const {
    std::uint64_t rest = lanes;
    for (; rank > 0; --rank) rest &= rest - 1;
    return static_cast<std::uint32_t>(__builtin_ctzll(rest));
  }
  /// Waits for all of them.
  void meet() const {
    if (context == nullptr) return;
    if (context->members_barrier == nullptr) return context->sub_group_barrier(*context);
    context->members_barrier(*context, lanes);
  }
};

struct group_members_access {
  template <class Group>
  static const group_members& of(const Group& g) {
    return g.members_;
  }
  static group_members of(const sycl::sub_group& g) {
    const std::uint32_t size = g.get_local_linear_range();
    const std::uint64_t lanes = size >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1;
    return {sycl::detail::index_factory::context_of(g),
            sycl::detail::first_slot(g),
            g.get_local_linear_id(),
            g.get_group_linear_id(),
            g.get_group_linear_range(),
            lanes};
  }
  template <class Group>
  static Group make(const group_members& members) {
    return Group(members);
  }
};

#define PIANOLA_GROUP_OF_MEMBERS(Group)                                               \
 public:                                                                              \
  using id_type = id<1>;                                                              \
  using range_type = range<1>;                                                        \
  using linear_id_type = std::uint32_t;                                               \
  static constexpr int dimensions = 1;                                                \
  static constexpr memory_scope fence_scope = ParentGroup::fence_scope;               \
                                                                                      \
  /** Among the parts of the parent. */                                               \
  id_type get_group_id() const { return id_type(get_group_linear_id()); }             \
  range_type get_group_range() const { return range_type(get_group_linear_range()); } \
  linear_id_type get_group_linear_id() const { return members_.group_id; }            \
  linear_id_type get_group_linear_range() const { return members_.group_range; }      \
  /** Of the calling work-item, in the order of the sub-group. */                     \
  id_type get_local_id() const { return id_type(get_local_linear_id()); }             \
  linear_id_type get_local_linear_id() const { return members_.rank(); }              \
  range_type get_local_range() const { return range_type(get_local_linear_range()); } \
  linear_id_type get_local_linear_range() const { return members_.count(); }          \
  bool leader() const { return get_local_linear_id() == 0; }                          \
                                                                                      \
 private:                                                                             \
  friend struct group_members_access;                                                 \
  explicit Group(const group_members& members) : members_(members) {}                 \
  group_members members_;

/// Any work-items of the parent.
template <class ParentGroup>
class fragment {
  PIANOLA_GROUP_OF_MEMBERS(fragment)
};

/// ChunkSize neighbours in the parent.
template <std::size_t ChunkSize, class ParentGroup>
class chunk {
  static_assert(ChunkSize > 0 && (ChunkSize & (ChunkSize - 1)) == 0,
                "the size of a chunk is a power of two");

 public:
  operator fragment<ParentGroup>() const {
    return group_members_access::make<fragment<ParentGroup>>(members_);
  }
  PIANOLA_GROUP_OF_MEMBERS(chunk)
};

#undef PIANOLA_GROUP_OF_MEMBERS

/// Values of the members of a group, by rank. Not for programs.
template <class T>
struct member_values {
  const group_members& members;
  void** slots;  // of the sub-group
  T& operator[](std::uint32_t i) const { return *static_cast<T*>(slots[members.lane_of(i)]); }
};

/// As sycl::detail::with_values. Not for programs.
template <class T, class Use>
void with_values_of(const group_members& members, T& own, const Use& use) {
  if (members.count() == 1) {
    group_members alone = members;
    alone.lanes = 1;
    void* only = &own;
    return use(member_values<T>{alone, &only});
  }
  void** slots = members.context->slots(*members.context) + members.first_slot;
  slots[members.lane] = &own;
  members.meet();
  use(member_values<T>{members, slots});
  members.meet();
}
template <class ParentGroup, class T, class Use>
void with_values(const fragment<ParentGroup>& g, T& own, const Use& use) {
  with_values_of(group_members_access::of(g), own, use);
}
template <std::size_t ChunkSize, class ParentGroup, class T, class Use>
void with_values(const chunk<ChunkSize, ParentGroup>& g, T& own, const Use& use) {
  with_values_of(group_members_access::of(g), own, use);
}

/// Those of the parent that give the same answer. All of the parent must call it.
template <class ParentGroup>
fragment<ParentGroup> binary_partition(ParentGroup parent, bool predicate) {
  static_assert(
      std::is_same_v<ParentGroup, sycl::sub_group> || is_user_constructed_group_v<ParentGroup>,
      "binary_partition: the parent is a sub-group or a part of one");
  group_members members = group_members_access::of(parent);
  const std::uint64_t own = std::uint64_t{1} << members.lane;
  const std::uint64_t yes = sycl::detail::reduce_values(parent, predicate ? own : std::uint64_t{0},
                                                        sycl::bit_or<std::uint64_t>());
  members.lanes = predicate ? yes : members.lanes & ~yes;
  members.group_id = predicate ? 1 : 0;
  members.group_range = 2;
  return group_members_access::make<fragment<ParentGroup>>(members);
}
template <class ParentGroup>
fragment<ParentGroup> get_ballot_group(ParentGroup parent, bool predicate) {
  return binary_partition(parent, predicate);
}

/// The size of the parent must be a multiple of ChunkSize: throws exception (errc::kernel) otherwise. All of the parent
/// must call it.
template <std::size_t ChunkSize, class ParentGroup>
chunk<ChunkSize, ParentGroup> chunked_partition(ParentGroup parent) {
  static_assert(
      std::is_same_v<ParentGroup, sycl::sub_group> || is_user_constructed_group_v<ParentGroup>,
      "chunked_partition: the parent is a sub-group or a part of one");
  const std::uint32_t size = parent.get_local_linear_range();
  if (size % ChunkSize != 0)
    throw ::pianola::model::user_error(
        ::pianola::model::error_code::kernel,
        "chunks of " + std::to_string(ChunkSize) + " work-items were asked of a group of " +
            std::to_string(size) + ": its size must be a multiple of theirs");
  group_barrier(parent);
  group_members members = group_members_access::of(parent);
  const std::uint32_t rank = parent.get_local_linear_id();
  const auto first = static_cast<std::uint32_t>(rank / ChunkSize * ChunkSize);
  std::uint64_t lanes = 0;
  for (std::uint32_t i = 0; i < ChunkSize; ++i)
    lanes |= std::uint64_t{1} << members.lane_of(first + i);
  members.lanes = lanes;
  members.group_id = static_cast<std::uint32_t>(rank / ChunkSize);
  members.group_range = static_cast<std::uint32_t>(size / ChunkSize);
  return group_members_access::make<chunk<ChunkSize, ParentGroup>>(members);
}
template <std::size_t PartitionSize, class ParentGroup>
chunk<PartitionSize, ParentGroup> get_fixed_size_group(ParentGroup parent) {
  return chunked_partition<PartitionSize>(parent);
}

/// Those of the sub-group that come to this place of the program. Waits until nobody else can come.
inline fragment<sycl::sub_group> get_tangle_group(sycl::sub_group parent,
                                                  const char* file = __builtin_FILE(),
                                                  unsigned line = __builtin_LINE()) {
  group_members members = group_members_access::of(parent);
  if (members.context != nullptr) {
    if (members.context->meet_at == nullptr) members.context->sub_group_barrier(*members.context);
    members.lanes = members.context->meet_at(*members.context,
                                             reinterpret_cast<std::uintptr_t>(file) * 65537 + line);
  }
  members.group_id = 0;
  members.group_range = 1;
  return group_members_access::make<fragment<sycl::sub_group>>(members);
}

namespace this_kernel {

/// Work-items run one after the other: the calling one alone.
inline fragment<sycl::sub_group> get_opportunistic_group() {
  group_members members = group_members_access::of(khr::this_sub_group());
  members.lanes = std::uint64_t{1} << members.lane;
  members.group_id = 0;
  members.group_range = 1;
  return group_members_access::make<fragment<sycl::sub_group>>(members);
}

}  // namespace this_kernel

#endif

}  // namespace ext::oneapi::experimental

#if !defined(__PIANOLACC__)

template <class ParentGroup>
struct is_group<ext::oneapi::experimental::fragment<ParentGroup>> : std::true_type {};
template <std::size_t ChunkSize, class ParentGroup>
struct is_group<ext::oneapi::experimental::chunk<ChunkSize, ParentGroup>> : std::true_type {};

/// Waits for all work-items of the group.
template <class ParentGroup>
void group_barrier(const ext::oneapi::experimental::fragment<ParentGroup>& g,
                   memory_scope fence_scope = ParentGroup::fence_scope) {
  detail::fence_beyond_group(fence_scope);
  ext::oneapi::experimental::group_members_access::of(g).meet();
  detail::fence_beyond_group(fence_scope);
}
template <std::size_t ChunkSize, class ParentGroup>
void group_barrier(const ext::oneapi::experimental::chunk<ChunkSize, ParentGroup>& g,
                   memory_scope fence_scope = ParentGroup::fence_scope) {
  detail::fence_beyond_group(fence_scope);
  ext::oneapi::experimental::group_members_access::of(g).meet();
  detail::fence_beyond_group(fence_scope);
}

#endif

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
