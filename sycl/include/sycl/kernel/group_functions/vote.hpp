// SPDX-License-Identifier: Apache-2.0
// any_of, all_of and none_of, over a group and jointly (SYCL 2020, 4.17.3). All work-items
// of the group must call them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include <sycl/detail/mode.hpp>
#include <sycl/functional.hpp>
#include <sycl/kernel/group_barrier.hpp>
#include <sycl/kernel/group_functions/exchange_compiled.hpp>
#include <sycl/kernel/group_functions/exchange_fibers.hpp>
#include <sycl/kernel/group_functions/group_traits.hpp>
#include <sycl/kernel/group_functions/reduce.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

template <class Group>
bool any_votes(const Group& g, bool vote) {
  return reduce_values(g, std::uint32_t{vote}, bit_or<std::uint32_t>()) != 0;
}

#if defined(__PIANOLACC__)
PIANOLA_GROUP_INLINE bool any_votes(const sub_group&, bool vote) {
  return __pianola_ballot(vote ? 1 : 0) != 0;
}
#endif

/// Whether the predicate holds for any of the elements of which this work-item takes a share. Waits for the group: others
/// may have written them.
template <class Group, class Ptr, class Predicate>
bool any_in_share(const Group& g, Ptr first, Ptr last, const Predicate& pred) {
  const place_in_group own = place_there(g);
  const element_share share =
      share_of_elements(own.rank, own.count, static_cast<std::size_t>(last - first));
  bool any = false;
  for (std::size_t i = share.first; i < share.last; i += share.step)
    any |= static_cast<bool>(
        pred(first[static_cast<typename std::iterator_traits<Ptr>::difference_type>(i)]));
  return any;
}

template <class Predicate>
struct negated {
  const Predicate& pred;
  template <class T>
  bool operator()(const T& x) const {
    return !pred(x);
  }
};

}  // namespace detail

template <class Group, class = detail::if_group<Group>>
bool any_of_group(Group g, bool pred) {
  return detail::any_votes(g, pred);
}
template <class Group, class = detail::if_group<Group>>
bool all_of_group(Group g, bool pred) {
  return !detail::any_votes(g, !pred);
}
template <class Group, class = detail::if_group<Group>>
bool none_of_group(Group g, bool pred) {
  return !detail::any_votes(g, pred);
}

template <class Group, class T, class Predicate, class = detail::if_group<Group>>
bool any_of_group(Group g, T x, Predicate pred) {
  return any_of_group(g, static_cast<bool>(pred(x)));
}
template <class Group, class T, class Predicate, class = detail::if_group<Group>>
bool all_of_group(Group g, T x, Predicate pred) {
  return all_of_group(g, static_cast<bool>(pred(x)));
}
template <class Group, class T, class Predicate, class = detail::if_group<Group>>
bool none_of_group(Group g, T x, Predicate pred) {
  return none_of_group(g, static_cast<bool>(pred(x)));
}

/// Of the elements first .. last-1, which are the same for all work-items.
template <class Group, class Ptr, class Predicate, class = detail::if_group<Group>>
bool joint_any_of(Group g, Ptr first, Ptr last, Predicate pred) {
  return any_of_group(g, detail::any_in_share(g, first, last, pred));
}
template <class Group, class Ptr, class Predicate, class = detail::if_group<Group>>
bool joint_all_of(Group g, Ptr first, Ptr last, Predicate pred) {
  return !joint_any_of(g, first, last, detail::negated<Predicate>{pred});
}
template <class Group, class Ptr, class Predicate, class = detail::if_group<Group>>
bool joint_none_of(Group g, Ptr first, Ptr last, Predicate pred) {
  return !joint_any_of(g, first, last, pred);
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
