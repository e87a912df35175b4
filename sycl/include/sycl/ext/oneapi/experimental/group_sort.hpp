// SPDX-License-Identifier: Apache-2.0
// sycl_ext_oneapi_group_sort: a group sorts an array, or the values of its work-items, alone or as keys of others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <sycl/detail/mode.hpp>
#include <sycl/device.hpp>
#include <sycl/ext/oneapi/experimental/sorting_algorithms.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/kernel/group_functions/group_traits.hpp>
#include <sycl/kernel/memory_enums.hpp>
#include <sycl/kernel/span.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::oneapi::experimental {

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

/// Which element of all those that a group sorts is the i-th of a work-item. blocked: the i-th of a run of its own;
/// striped: the one at i * (number of work-items) + (id of the work-item).
enum class group_algorithm_data_placement { blocked, striped };

struct input_data_placement_key {
  template <group_algorithm_data_placement Placement>
  using value_t = property_value<input_data_placement_key,
                                 std::integral_constant<group_algorithm_data_placement, Placement>>;
};
struct output_data_placement_key {
  template <group_algorithm_data_placement Placement>
  using value_t = property_value<output_data_placement_key,
                                 std::integral_constant<group_algorithm_data_placement, Placement>>;
};
template <>
struct is_property_key<input_data_placement_key> : std::true_type {};
template <>
struct is_property_key<output_data_placement_key> : std::true_type {};

template <group_algorithm_data_placement Placement>
inline constexpr input_data_placement_key::value_t<Placement> input_data_placement{};
template <group_algorithm_data_placement Placement>
inline constexpr output_data_placement_key::value_t<Placement> output_data_placement{};

/// Not for programs.
namespace sorting_algorithms {

template <class Key, class Properties>
constexpr bool is_striped() {
  static_assert(is_property_list_v<Properties>, "the properties are a properties<...>");
  if constexpr (Properties::template has_property<Key>())
    return decltype(Properties::template get_property<Key>())::value ==
           group_algorithm_data_placement::striped;
  else
    return false;
}

/// What the members of the group sorters share.
template <class T, std::size_t Elements, class Compare, class Group, class Properties>
void sort_span(const Group& g, sycl::span<T, Elements> values, std::byte* memory, Compare less,
               Properties) {
  constexpr bool from_stripes = is_striped<input_data_placement_key, Properties>();
  constexpr bool to_stripes = is_striped<output_data_placement_key, Properties>();
  sort_elements<from_stripes, to_stripes, Elements>(g, values.data(), memory, less);
}

template <class T, class U, std::size_t Elements, class Compare, class Group, class Properties>
void sort_span_with_values(const Group& g, sycl::span<T, Elements> keys,
                           sycl::span<U, Elements> values, std::byte* memory, Compare less,
                           Properties properties) {
  key_with_value<T, U> both[Elements];
  for (std::size_t i = 0; i < Elements; ++i) both[i] = {keys[i], values[i]};
  sort_span(g, sycl::span<key_with_value<T, U>, Elements>(both, Elements), memory,
            by_key<Compare>{less}, properties);
  for (std::size_t i = 0; i < Elements; ++i) {
    keys[i] = both[i].key;
    values[i] = both[i].value;
  }
}

}  // namespace sorting_algorithms

/// Memory that they require is in bytes. Of the sizes that it depends on, `count` is the number of elements of the array,
/// or of work-items of the group.
namespace default_sorters {

/// Sorts the elements of an array together. Not stable.
template <class Compare = std::less<>>
class joint_sorter {
 public:
  template <std::size_t Extent>
  explicit joint_sorter(sycl::span<std::byte, Extent>, Compare less = Compare()) : less_(less) {}

  template <class Group, class Ptr, class = sycl::detail::if_group<Group>>
  void operator()(Group g, Ptr first, Ptr last) const {
    sorting_algorithms::sort_in_place(g, first, static_cast<std::size_t>(last - first), less_);
  }
  /// None: elements are exchanged in place.
  template <class T>
  static constexpr std::size_t memory_required(memory_scope, std::size_t) {
    return 0;
  }
  template <class T>
  static std::size_t memory_required(const device&, memory_scope, std::size_t) {
    return 0;
  }

 private:
  Compare less_;
};

/// Sorts one value per work-item, or several. Stable.
template <class T, class Compare = std::less<>, std::size_t ElementsPerWorkItem = 1>
class group_sorter {
 public:
  template <std::size_t Extent>
  explicit group_sorter(sycl::span<std::byte, Extent> scratch, Compare less = Compare())
      : scratch_(scratch.data()), less_(less) {}

  template <class Group, class = sycl::detail::if_group<Group>>
  T operator()(Group g, T value) const {
    sorting_algorithms::sort_elements<false, false, 1>(g, &value, scratch_, less_);
    return value;
  }
  template <class Group, class Properties, class = sycl::detail::if_group<Group>>
  void operator()(Group g, sycl::span<T, ElementsPerWorkItem> values, Properties properties) const {
    sorting_algorithms::sort_span(g, values, scratch_, less_, properties);
  }
  static constexpr std::size_t memory_required(memory_scope, std::size_t count) {
    return sorting_algorithms::memory_for<T>(count * ElementsPerWorkItem);
  }
  static std::size_t memory_required(const device&, memory_scope scope, std::size_t count) {
    return memory_required(scope, count);
  }

 private:
  std::byte* scratch_;
  Compare less_;
};

/// Sorts keys and moves the values with them. Stable.
template <class T, class U, class Compare = std::less<>, std::size_t ElementsPerWorkItem = 1>
class group_key_value_sorter {
 public:
  template <std::size_t Extent>
  explicit group_key_value_sorter(sycl::span<std::byte, Extent> scratch, Compare less = Compare())
      : scratch_(scratch.data()), less_(less) {}

  template <class Group, class = sycl::detail::if_group<Group>>
  std::tuple<T, U> operator()(Group g, T key, U value) const {
    sorting_algorithms::key_with_value<T, U> both{key, value};
    sorting_algorithms::sort_elements<false, false, 1>(g, &both, scratch_,
                                                       sorting_algorithms::by_key<Compare>{less_});
    return {both.key, both.value};
  }
  template <class Group, class Properties, class = sycl::detail::if_group<Group>>
  void operator()(Group g, sycl::span<T, ElementsPerWorkItem> keys,
                  sycl::span<U, ElementsPerWorkItem> values, Properties properties) const {
    sorting_algorithms::sort_span_with_values(g, keys, values, scratch_, less_, properties);
  }
  static constexpr std::size_t memory_required(memory_scope, std::size_t count) {
    return sorting_algorithms::memory_for<sorting_algorithms::key_with_value<T, U>>(
        count * ElementsPerWorkItem);
  }
  static std::size_t memory_required(const device&, memory_scope scope, std::size_t count) {
    return memory_required(scope, count);
  }

 private:
  std::byte* scratch_;
  Compare less_;
};

}  // namespace default_sorters

/// In the order of the bits of numbers, which is theirs; NaNs come behind or in front of everything else, by their sign. A
/// mask, a std::bitset, says which bits count. Stable. Elements are compared: BitsPerPass changes nothing.
namespace radix_sorters {

template <class T, sorting_order Order>
using bits_in_order = sorting_algorithms::less_by_bits<T, Order == sorting_order::descending>;

template <class T, sorting_order Order = sorting_order::ascending, unsigned BitsPerPass = 4>
class joint_sorter {
 public:
  template <std::size_t Extent>
  explicit joint_sorter(sycl::span<std::byte, Extent> scratch) : scratch_(scratch.data()) {}
  template <std::size_t Extent, class Mask>
  joint_sorter(sycl::span<std::byte, Extent> scratch, const Mask& mask)
      : scratch_(scratch.data()), less_(mask) {}

  template <class Group, class Ptr, class = sycl::detail::if_group<Group>>
  void operator()(Group g, Ptr first, Ptr last) const {
    sorting_algorithms::sort_with_copy<T>(g, first, static_cast<std::size_t>(last - first),
                                          scratch_, less_);
  }
  static constexpr std::size_t memory_required(memory_scope, std::size_t count) {
    return sorting_algorithms::memory_for<T>(count);
  }

 private:
  std::byte* scratch_;
  bits_in_order<T, Order> less_;
};

template <class T, sorting_order Order = sorting_order::ascending,
          std::size_t ElementsPerWorkItem = 1, unsigned BitsPerPass = 4>
class group_sorter
    : public default_sorters::group_sorter<T, bits_in_order<T, Order>, ElementsPerWorkItem> {
  using base = default_sorters::group_sorter<T, bits_in_order<T, Order>, ElementsPerWorkItem>;

 public:
  template <std::size_t Extent>
  explicit group_sorter(sycl::span<std::byte, Extent> scratch) : base(scratch) {}
  template <std::size_t Extent, class Mask>
  group_sorter(sycl::span<std::byte, Extent> scratch, const Mask& mask)
      : base(scratch, bits_in_order<T, Order>(mask)) {}
};

template <class T, class U, sorting_order Order = sorting_order::ascending,
          std::size_t ElementsPerWorkItem = 1, unsigned BitsPerPass = 4>
class group_key_value_sorter
    : public default_sorters::group_key_value_sorter<T, U, bits_in_order<T, Order>,
                                                     ElementsPerWorkItem> {
  using base =
      default_sorters::group_key_value_sorter<T, U, bits_in_order<T, Order>, ElementsPerWorkItem>;

 public:
  template <std::size_t Extent>
  explicit group_key_value_sorter(sycl::span<std::byte, Extent> scratch) : base(scratch) {}
  template <std::size_t Extent, class Mask>
  group_key_value_sorter(sycl::span<std::byte, Extent> scratch, const Mask& mask)
      : base(scratch, bits_in_order<T, Order>(mask)) {}
};

}  // namespace radix_sorters

/// Not for programs.
namespace sorting_algorithms {

/// Anything with a group and memory for it.
template <class Helper>
using if_helper = decltype(std::declval<const Helper&>().get_group(),
                           std::declval<const Helper&>().get_memory().data(), int());
template <class T>
struct is_span : std::false_type {};
template <class T, std::size_t Extent>
struct is_span<sycl::span<T, Extent>> : std::true_type {};
template <class T>
using if_one_value = std::enable_if_t<!is_span<T>::value, int>;
template <class Compare>
using if_compare = std::enable_if_t<!is_property_list_v<Compare>, int>;
template <class Properties>
using if_properties = std::enable_if_t<is_property_list_v<Properties>, int>;

}  // namespace sorting_algorithms

/// Of the elements first .. last-1, the same for all work-items of the group, which all must call it.
template <class Helper, class Ptr, class Compare = std::less<>,
          sorting_algorithms::if_helper<Helper> = 0>
void joint_sort(Helper exec, Ptr first, Ptr last, Compare less = Compare()) {
  default_sorters::joint_sorter<Compare>(exec.get_memory(), less)(exec.get_group(), first, last);
}
template <class Group, class Ptr, class Sorter, class = sycl::detail::if_group<Group>>
void joint_sort(Group g, Ptr first, Ptr last, Sorter sorter) {
  sorter(g, first, last);
}

/// The i-th of all work-items' values for the i-th work-item.
template <class Helper, class T, class Compare = std::less<>,
          sorting_algorithms::if_helper<Helper> = 0, sorting_algorithms::if_one_value<T> = 0>
T sort_over_group(Helper exec, T value, Compare less = Compare()) {
  return default_sorters::group_sorter<T, Compare>(exec.get_memory(), less)(exec.get_group(),
                                                                            value);
}
template <class Group, class T, class Sorter, class = sycl::detail::if_group<Group>,
          sorting_algorithms::if_one_value<T> = 0>
T sort_over_group(Group g, T value, Sorter sorter) {
  return sorter(g, value);
}

/// Several values of each work-item.
template <class Helper, class T, std::size_t ElementsPerWorkItem,
          class Properties = empty_properties_t, sorting_algorithms::if_helper<Helper> = 0,
          sorting_algorithms::if_properties<Properties> = 0>
void sort_over_group(Helper exec, sycl::span<T, ElementsPerWorkItem> values,
                     Properties properties = {}) {
  default_sorters::group_sorter<T, std::less<>, ElementsPerWorkItem>(exec.get_memory())(
      exec.get_group(), values, properties);
}
template <class Helper, class T, std::size_t ElementsPerWorkItem, class Compare,
          class Properties = empty_properties_t, sorting_algorithms::if_helper<Helper> = 0,
          sorting_algorithms::if_compare<Compare> = 0>
void sort_over_group(Helper exec, sycl::span<T, ElementsPerWorkItem> values, Compare less,
                     Properties properties = {}) {
  default_sorters::group_sorter<T, Compare, ElementsPerWorkItem>(exec.get_memory(), less)(
      exec.get_group(), values, properties);
}
template <class Group, class T, std::size_t ElementsPerWorkItem, class Sorter,
          class Properties = empty_properties_t, class = sycl::detail::if_group<Group>>
void sort_over_group(Group g, sycl::span<T, ElementsPerWorkItem> values, Sorter sorter,
                     Properties properties = {}) {
  sorter(g, values, properties);
}

/// The i-th of all work-items' keys, with the value that it came with, for the i-th work-item.
template <class Helper, class T, class U, class Compare = std::less<>,
          sorting_algorithms::if_helper<Helper> = 0, sorting_algorithms::if_one_value<T> = 0>
std::tuple<T, U> sort_key_value_over_group(Helper exec, T key, U value, Compare less = Compare()) {
  return default_sorters::group_key_value_sorter<T, U, Compare>(exec.get_memory(), less)(
      exec.get_group(), key, value);
}
template <class Group, class T, class U, class Sorter, class = sycl::detail::if_group<Group>,
          sorting_algorithms::if_one_value<T> = 0>
std::tuple<T, U> sort_key_value_over_group(Group g, T key, U value, Sorter sorter) {
  return sorter(g, key, value);
}

template <class Helper, class T, class U, std::size_t ElementsPerWorkItem,
          class Properties = empty_properties_t, sorting_algorithms::if_helper<Helper> = 0,
          sorting_algorithms::if_properties<Properties> = 0>
void sort_key_value_over_group(Helper exec, sycl::span<T, ElementsPerWorkItem> keys,
                               sycl::span<U, ElementsPerWorkItem> values,
                               Properties properties = {}) {
  default_sorters::group_key_value_sorter<T, U, std::less<>, ElementsPerWorkItem>(
      exec.get_memory())(exec.get_group(), keys, values, properties);
}
template <class Helper, class T, class U, std::size_t ElementsPerWorkItem, class Compare,
          class Properties = empty_properties_t, sorting_algorithms::if_helper<Helper> = 0,
          sorting_algorithms::if_compare<Compare> = 0>
void sort_key_value_over_group(Helper exec, sycl::span<T, ElementsPerWorkItem> keys,
                               sycl::span<U, ElementsPerWorkItem> values, Compare less,
                               Properties properties = {}) {
  default_sorters::group_key_value_sorter<T, U, Compare, ElementsPerWorkItem>(
      exec.get_memory(), less)(exec.get_group(), keys, values, properties);
}
template <class Group, class T, class U, std::size_t ElementsPerWorkItem, class Sorter,
          class Properties = empty_properties_t, class = sycl::detail::if_group<Group>>
void sort_key_value_over_group(Group g, sycl::span<T, ElementsPerWorkItem> keys,
                               sycl::span<U, ElementsPerWorkItem> values, Sorter sorter,
                               Properties properties = {}) {
  sorter(g, keys, values, properties);
}

}  // namespace ext::oneapi::experimental
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
