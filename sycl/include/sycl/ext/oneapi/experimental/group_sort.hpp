// SPDX-License-Identifier: Apache-2.0
// Of sycl_ext_oneapi_group_sort: sorting of arrays and of one value per work-item, with the default and the
// radix sorters. Arrays of several values per work-item and keys with values are not there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/group_barrier.hpp>
#include <sycl/kernel/group_functions/group_traits.hpp>
#include <sycl/kernel/memory_enums.hpp>
#include <sycl/kernel/span.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::oneapi::experimental {

/// Not for programs.
namespace sorting_algorithms {

/// Batcher's merge exchange sort, with a barrier after each round of exchanges that do not meet. Not stable.
template <class Group, class Ptr, class Compare>
void sort_in_group(const Group& g, Ptr first, std::size_t count, const Compare& less) {
  const std::size_t rank = sycl::detail::rank_in(g), items = sycl::detail::size_of(g);
  group_barrier(g);
  if (count < 2) return;
  std::size_t top = 1;
  while (top * 2 < count) top *= 2;
  for (std::size_t p = top; p > 0; p /= 2) {
    std::size_t q = top, r = 0, d = p;
    while (true) {
      for (std::size_t i = rank; i + d < count; i += items)
        if ((i & p) == r && less(first[i + d], first[i])) {
          auto swapped = first[i];
          first[i] = first[i + d];
          first[i + d] = swapped;
        }
      group_barrier(g);
      if (q == p) break;
      d = q - p;
      q /= 2;
      r = p;
    }
  }
}

template <class T>
T* aligned_memory(std::byte* bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(bytes);
  return reinterpret_cast<T*>(bytes + ((alignof(T) - address % alignof(T)) % alignof(T)));
}

template <class Group, class T, class Compare>
T sort_values(const Group& g, const T& value, std::byte* memory, const Compare& less) {
  static_assert(std::is_trivially_copyable_v<T>, "work-items exchange values as bytes");
  T* const values = aligned_memory<T>(memory);
  values[sycl::detail::rank_in(g)] = value;
  sort_in_group(g, values, sycl::detail::size_of(g), less);
  const T own = values[sycl::detail::rank_in(g)];
  group_barrier(g);  // the memory may be used again
  return own;
}

template <class T>
constexpr std::size_t memory_for_values(std::size_t count) {
  return count * sizeof(T) + alignof(T);
}

}  // namespace sorting_algorithms

/// A group with memory that all its work-items share, which an algorithm may use.
template <class Group, std::size_t Extent>
class group_with_scratchpad {
 public:
  group_with_scratchpad(Group g, sycl::span<std::byte, Extent> scratch)
      : group_(g), scratch_(scratch) {}
  Group get_group() const { return group_; }
  sycl::span<std::byte, Extent> get_memory() const { return scratch_; }

 private:
  Group group_;
  sycl::span<std::byte, Extent> scratch_;
};

enum class sorting_order { ascending, descending };

namespace default_sorters {

/// Sorts the elements of an array together.
template <class Compare = std::less<>>
class joint_sorter {
 public:
  template <std::size_t Extent>
  explicit joint_sorter(sycl::span<std::byte, Extent>, Compare less = Compare()) : less_(less) {}

  template <class Group, class Ptr>
  void operator()(Group g, Ptr first, Ptr last) const {
    sorting_algorithms::sort_in_group(g, first, static_cast<std::size_t>(last - first), less_);
  }
  /// None: elements are exchanged in place.
  template <class T>
  static constexpr std::size_t memory_required(memory_scope, std::size_t) {
    return 0;
  }

 private:
  Compare less_;
};

/// Sorts one value per work-item.
template <class T, class Compare = std::less<>>
class group_sorter {
 public:
  template <std::size_t Extent>
  explicit group_sorter(sycl::span<std::byte, Extent> scratch, Compare less = Compare())
      : scratch_(scratch.data()), less_(less) {}

  template <class Group>
  T operator()(Group g, T value) const {
    return sorting_algorithms::sort_values(g, value, scratch_, less_);
  }
  static constexpr std::size_t memory_required(memory_scope, std::size_t count) {
    return sorting_algorithms::memory_for_values<T>(count);
  }

 private:
  std::byte* scratch_;
  Compare less_;
};

}  // namespace default_sorters

/// The same algorithm: the order is what a program asks for by them.
namespace radix_sorters {

template <class T, sorting_order Order>
using order_of =
    std::conditional_t<Order == sorting_order::ascending, std::less<T>, std::greater<T>>;

template <class T, sorting_order Order = sorting_order::ascending, unsigned BitsPerPass = 4>
class joint_sorter : public default_sorters::joint_sorter<order_of<T, Order>> {
 public:
  template <std::size_t Extent>
  explicit joint_sorter(sycl::span<std::byte, Extent> scratch)
      : default_sorters::joint_sorter<order_of<T, Order>>(scratch) {}
  static constexpr std::size_t memory_required(memory_scope, std::size_t) { return 0; }
};

template <class T, sorting_order Order = sorting_order::ascending, unsigned BitsPerPass = 4>
class group_sorter : public default_sorters::group_sorter<T, order_of<T, Order>> {
 public:
  template <std::size_t Extent>
  explicit group_sorter(sycl::span<std::byte, Extent> scratch)
      : default_sorters::group_sorter<T, order_of<T, Order>>(scratch) {}
};

}  // namespace radix_sorters

/// Of the elements first .. last-1, the same for all work-items of the group, which all must call it.
template <class Group, std::size_t Extent, class Ptr, class Compare = std::less<>>
void joint_sort(group_with_scratchpad<Group, Extent> exec, Ptr first, Ptr last,
                Compare less = Compare()) {
  sorting_algorithms::sort_in_group(exec.get_group(), first, static_cast<std::size_t>(last - first),
                                    less);
}
template <class Group, class Ptr, class Sorter, class = sycl::detail::if_group<Group>>
void joint_sort(Group g, Ptr first, Ptr last, Sorter sorter) {
  sorter(g, first, last);
}

/// The i-th of all work-items' values for the i-th work-item.
template <class Group, std::size_t Extent, class T, class Compare = std::less<>>
T sort_over_group(group_with_scratchpad<Group, Extent> exec, T value, Compare less = Compare()) {
  return sorting_algorithms::sort_values(exec.get_group(), value, exec.get_memory().data(), less);
}
template <class Group, class T, class Sorter, class = sycl::detail::if_group<Group>>
T sort_over_group(Group g, T value, Sorter sorter) {
  return sorter(g, value);
}

}  // namespace ext::oneapi::experimental
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
