// SPDX-License-Identifier: Apache-2.0
// Of sycl_ext_oneapi_non_uniform_groups: parts of a sub-group as groups of their own, which meet where others of the
// sub-group do not. Compiled for the processor, all of the sub-group must come to where parts of it meet: kernels in which
// that is not certain are refused. So are tangles and opportunistic groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/functional.hpp>
#include <sycl/kernel/group_barrier.hpp>
#include <sycl/kernel/group_functions/exchange_compiled.hpp>
#include <sycl/kernel/group_functions/exchange_fibers.hpp>
#include <sycl/kernel/group_functions/group_traits.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/memory_enums.hpp>
#include <sycl/kernel/range.hpp>
#include <sycl/kernel/sub_group.hpp>
#if !defined(__PIANOLACC__)
#include <pianola/model/error.hpp>
#include <sycl/glue/group_context.hpp>
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

/// Which work-items of a sub-group are in a group, and where the calling one is. Not for programs.
struct group_members {
#if !defined(__PIANOLACC__)
  const ::pianola::glue::group_context* context;
  std::uint32_t first_slot;  // of the sub-group
#endif
  std::uint32_t lane;  // of the calling work-item, in the sub-group
  std::uint32_t group_id;
  std::uint32_t group_range;
  std::uint64_t lanes;  // a bit for each

  static constexpr std::uint32_t most = 64;
  std::uint64_t mask() const { return lanes; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(__builtin_popcountll(lanes)); }
  std::uint32_t rank() const {
    return static_cast<std::uint32_t>(
        __builtin_popcountll(lanes & ((std::uint64_t{1} << lane) - 1)));
  }
  std::uint32_t lane_of(std::uint32_t rank) const {
    std::uint64_t rest = lanes;
    std::uint32_t found = 0;
    for (std::uint32_t width = 32; width > 0; width /= 2) {
      const std::uint64_t lower = rest & ((std::uint64_t{1} << width) - 1);
      const auto below = static_cast<std::uint32_t>(__builtin_popcountll(lower));
      const bool is_above = rank >= below;
      rest = is_above ? rest >> width : lower;
      rank -= is_above ? below : 0;
      found += is_above ? width : 0;
    }
    return found;
  }
#if !defined(__PIANOLACC__)
  /// Waits for all of them.
  void meet() const {
    if (context == nullptr) return;
    context->members_barrier(*context, lanes);
  }
#endif
};

struct group_members_access {
  template <class Group>
  static const group_members& of(const Group& g) {
    return g.members_;
  }
  static group_members of(const sycl::sub_group& g) {
    const std::uint32_t size = g.get_local_linear_range();
    const std::uint64_t lanes = size >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1;
    return {
#if !defined(__PIANOLACC__)
        sycl::detail::index_factory::context_of(g),
        sycl::detail::first_slot(g),
#endif
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

#if defined(__PIANOLACC__)

/// Neighbours in the sub-group: nothing has to be counted. Not for programs.
template <std::uint32_t ChunkSize>
struct members_of_chunk {
  std::uint32_t lane;
  std::uint64_t lanes;

  static constexpr std::uint32_t most = ChunkSize;
  std::uint64_t mask() const { return lanes; }
  std::uint32_t count() const { return ChunkSize; }
  std::uint32_t rank() const { return lane % ChunkSize; }
  std::uint32_t lane_of(std::uint32_t rank) const { return lane - lane % ChunkSize + rank; }
};

template <class ParentGroup>
group_members part_of(const fragment<ParentGroup>& g) {
  return group_members_access::of(g);
}
template <std::size_t ChunkSize, class ParentGroup>
auto part_of(const chunk<ChunkSize, ParentGroup>& g) {
  const group_members& members = group_members_access::of(g);
  if constexpr (std::is_same_v<ParentGroup, sycl::sub_group>)
    return members_of_chunk<static_cast<std::uint32_t>(ChunkSize)>{members.lane, members.lanes};
  else
    return members;
}

#else

/// As sycl::detail::fiber_values, by rank among the members of a group. Not for programs.
template <class T>
struct member_values {
  const group_members& members;
  void** slots;  // of the sub-group
  void*& slot(std::uint32_t i) const {
    return slots[sycl::detail::slots_per_item * members.lane_of(i)];
  }
  T& operator[](std::uint32_t i) const { return *static_cast<T*>(slot(i)); }
  member_values second() const { return {members, slots + 1}; }
};

/// As sycl::detail::with_values. Not for programs.
template <class T, class Use>
void with_values_of(const group_members& members, T& own, const Use& use) {
  if (members.count() == 1) {
    group_members alone = members;
    alone.lanes = 1;
    void* only[sycl::detail::slots_per_item] = {&own, nullptr};
    return use(member_values<T>{alone, only});
  }
  void** slots = members.context->slots(*members.context) +
                 sycl::detail::slots_per_item * std::size_t{members.first_slot};
  void*& slot = slots[sycl::detail::slots_per_item * members.lane];
  slot = &own;
  members.meet();
  use(member_values<T>{members, slots});
  members.meet();
  slot = nullptr;
}
template <class ParentGroup, class T, class Use>
void with_values(const fragment<ParentGroup>& g, T& own, const Use& use) {
  with_values_of(group_members_access::of(g), own, use);
}
template <class ParentGroup>
bool may_some_have_left(const fragment<ParentGroup>& g) {
  return sycl::detail::may_some_have_left(group_members_access::of(g).context);
}
template <std::size_t ChunkSize, class ParentGroup>
bool may_some_have_left(const chunk<ChunkSize, ParentGroup>& g) {
  return sycl::detail::may_some_have_left(group_members_access::of(g).context);
}
template <std::size_t ChunkSize, class ParentGroup, class T, class Use>
void with_values(const chunk<ChunkSize, ParentGroup>& g, T& own, const Use& use) {
  with_values_of(group_members_access::of(g), own, use);
}

#endif

/// Not for programs.
template <class ParentGroup>
std::uint64_t lanes_that_say_yes(const ParentGroup& parent, std::uint32_t lane, bool predicate) {
#if defined(__PIANOLACC__)
  if constexpr (std::is_same_v<ParentGroup, sycl::sub_group>)
    return __pianola_ballot(predicate ? 1 : 0);
#endif
  const std::uint64_t own = std::uint64_t{1} << lane;
  return sycl::detail::reduce_values(parent, predicate ? own : std::uint64_t{0},
                                     sycl::bit_or<std::uint64_t>());
}

/// Those of the parent that give the same answer. All of the parent must call it.
template <class ParentGroup>
fragment<ParentGroup> binary_partition(ParentGroup parent, bool predicate) {
  static_assert(
      std::is_same_v<ParentGroup, sycl::sub_group> || is_user_constructed_group_v<ParentGroup>,
      "binary_partition: the parent is a sub-group or a part of one");
  group_members members = group_members_access::of(parent);
  const std::uint64_t yes = lanes_that_say_yes(parent, members.lane, predicate);
  members.lanes = predicate ? yes : members.lanes & ~yes;
  members.group_id = predicate ? 1 : 0;
  members.group_range = 2;
  return group_members_access::make<fragment<ParentGroup>>(members);
}
template <class ParentGroup>
fragment<ParentGroup> get_ballot_group(ParentGroup parent, bool predicate) {
  return binary_partition(parent, predicate);
}

/// The size of the parent must be a multiple of ChunkSize: otherwise throws exception (errc::kernel) in library-only
/// mode, and is undefined in a compiled kernel, but that one for the processor is refused if no sub-group has as many
/// work-items. All of the parent must call it.
template <std::size_t ChunkSize, class ParentGroup>
chunk<ChunkSize, ParentGroup> chunked_partition(ParentGroup parent) {
  static_assert(
      std::is_same_v<ParentGroup, sycl::sub_group> || is_user_constructed_group_v<ParentGroup>,
      "chunked_partition: the parent is a sub-group or a part of one");
  constexpr auto most = static_cast<std::uint32_t>(ChunkSize);
  static_assert(ChunkSize <= 64, "no sub-group has more than 64 work-items");
  const std::uint32_t size = parent.get_local_linear_range();
#if defined(__PIANOLACC__)
  if (__pianola_is_device() == 0 && most > __pianola_sub_group_size())
    __pianola_refuse_small_sub_group();
#else
  if (size % most != 0)
    throw ::pianola::model::user_error(
        ::pianola::model::error_code::kernel,
        "chunks of " + std::to_string(ChunkSize) + " work-items were asked of a group of " +
            std::to_string(size) + ": its size must be a multiple of theirs");
  group_barrier(parent);
#endif
  group_members members = group_members_access::of(parent);
  const std::uint32_t rank = parent.get_local_linear_id();
  const std::uint32_t first = rank - rank % most;
  std::uint64_t lanes = 0;
  if constexpr (std::is_same_v<ParentGroup, sycl::sub_group>)
    lanes = (~std::uint64_t{0} >> (64 - most)) << first;
  else
    for (std::uint32_t i = 0; i < most; ++i)
      lanes |= std::uint64_t{1} << members.lane_of(first + i);
  members.lanes = lanes;
  members.group_id = rank / most;
  members.group_range = size / most;
  return group_members_access::make<chunk<ChunkSize, ParentGroup>>(members);
}
template <std::size_t PartitionSize, class ParentGroup>
chunk<PartitionSize, ParentGroup> get_fixed_size_group(ParentGroup parent) {
  return chunked_partition<PartitionSize>(parent);
}

#if defined(__PIANOLACC__)

/// Not for programs.
template <class Group>
inline constexpr bool is_never_a_group = false;

template <class ParentGroup>
auto get_tangle_group(ParentGroup) {
  static_assert(is_never_a_group<ParentGroup>,
                "tangles of a sub-group are there in library-only mode only; compiled kernels can "
                "part it by get_ballot_group in front of the branch");
  return 0;
}
namespace this_kernel {
template <class ParentGroup = sycl::sub_group>
auto get_opportunistic_group() {
  static_assert(is_never_a_group<ParentGroup>,
                "opportunistic groups are there in library-only mode only; compiled kernels can "
                "part a sub-group by get_ballot_group in front of the branch");
  return 0;
}
}  // namespace this_kernel

#else

/// Those of the sub-group that come to this place of the program. Waits until nobody else can come.
inline fragment<sycl::sub_group> get_tangle_group(sycl::sub_group parent,
                                                  const char* file = __builtin_FILE(),
                                                  unsigned line = __builtin_LINE()) {
  group_members members = group_members_access::of(parent);
  if (members.context != nullptr) {
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

template <class ParentGroup>
struct is_group<ext::oneapi::experimental::fragment<ParentGroup>> : std::true_type {};
template <std::size_t ChunkSize, class ParentGroup>
struct is_group<ext::oneapi::experimental::chunk<ChunkSize, ParentGroup>> : std::true_type {};

#if defined(__PIANOLACC__)
namespace detail {
template <class ParentGroup>
inline constexpr bool is_part_of_sub_group<ext::oneapi::experimental::fragment<ParentGroup>> = true;
template <std::size_t ChunkSize, class ParentGroup>
inline constexpr bool
    is_part_of_sub_group<ext::oneapi::experimental::chunk<ChunkSize, ParentGroup>> = true;
}  // namespace detail
#endif

namespace detail {
template <class Group>
void meet_in_part(const Group& g, memory_scope fence_scope) {
#if defined(__PIANOLACC__)
  __pianola_sub_group_barrier_among(static_cast<std::uint32_t>(fence_scope), part_of(g).mask());
#else
  fence_beyond_group(fence_scope);
  ext::oneapi::experimental::group_members_access::of(g).meet();
  fence_beyond_group(fence_scope);
#endif
}
}  // namespace detail

/// Waits for all work-items of the group.
template <class ParentGroup>
void group_barrier(const ext::oneapi::experimental::fragment<ParentGroup>& g,
                   memory_scope fence_scope = ParentGroup::fence_scope) {
  detail::meet_in_part(g, fence_scope);
}
template <std::size_t ChunkSize, class ParentGroup>
void group_barrier(const ext::oneapi::experimental::chunk<ChunkSize, ParentGroup>& g,
                   memory_scope fence_scope = ParentGroup::fence_scope) {
  detail::meet_in_part(g, fence_scope);
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
