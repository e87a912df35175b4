// SPDX-License-Identifier: Apache-2.0
// How groups sort. All work-items of a group call these functions, with the same arguments but for private elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/group_barrier.hpp>
#include <sycl/kernel/group_functions/group_traits.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::oneapi::experimental::sorting_algorithms {

/// Batcher's merge exchange sort, with a barrier after each round of exchanges that do not meet. Not stable.
template <class Group, class Ptr, class Compare>
void sort_in_place(const Group& g, Ptr first, std::size_t count, Compare less) {
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

/// Where element i goes when runs of `width` elements are merged two by two: behind those of its own run that are in front
/// of it, and those of the other run that are less; equal elements of the left run come first.
template <class Ptr, class Compare>
std::size_t place_when_merged(Ptr values, std::size_t count, std::size_t i, std::size_t width,
                              Compare less) {
  const std::size_t pair = i / (2 * width) * (2 * width);
  const bool left = i - pair < width;
  const std::size_t other = left ? pair + width : pair;
  if (other >= count) return i;
  std::size_t low = other, high = other + width < count ? other + width : count;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const bool in_front = left ? less(values[middle], values[i]) : !less(values[i], values[middle]);
    if (in_front)
      low = middle + 1;
    else
      high = middle;
  }
  // What the element passes, and those of its own run that are in front of it.
  return (low - other) + (left ? i : i - width);
}

template <class T>
T* aligned_memory(std::byte* bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(bytes);
  return reinterpret_cast<T*>(bytes + ((alignof(T) - address % alignof(T)) % alignof(T)));
}
template <class T>
constexpr std::size_t memory_for(std::size_t count) {
  return count * sizeof(T) + alignof(T);
}

/// Merge sort of the elements that the work-items hold, `Elements` each, through memory for all of them. Stable in
/// the order that the placement of the input says.
template <bool FromStripes, bool ToStripes, std::size_t Elements, class Group, class T,
          class Compare>
void sort_elements(const Group& g, T* own, std::byte* memory, Compare less) {
  static_assert(std::is_trivially_copyable_v<T>, "work-items exchange values as bytes");
  const std::size_t rank = sycl::detail::rank_in(g), items = sycl::detail::size_of(g);
  const std::size_t count = items * Elements;
  T* const values = aligned_memory<T>(memory);
  for (std::size_t i = 0; i < Elements; ++i)
    values[FromStripes ? i * items + rank : rank * Elements + i] = own[i];
  group_barrier(g);
  for (std::size_t width = 1; width < count; width *= 2) {
    std::size_t places[Elements];
    for (std::size_t i = 0; i < Elements; ++i) {
      const std::size_t at = rank * Elements + i;
      own[i] = values[at];
      places[i] = place_when_merged(values, count, at, width, less);
    }
    group_barrier(g);
    for (std::size_t i = 0; i < Elements; ++i) values[places[i]] = own[i];
    group_barrier(g);
  }
  for (std::size_t i = 0; i < Elements; ++i)
    own[i] = values[ToStripes ? i * items + rank : rank * Elements + i];
  group_barrier(g);  // the memory may be used again
}

/// Merge sort of an array, through memory for a copy of it. Stable.
template <class T, class Group, class Ptr, class Compare>
void sort_with_copy(const Group& g, Ptr first, std::size_t count, std::byte* memory, Compare less) {
  const std::size_t rank = sycl::detail::rank_in(g), items = sycl::detail::size_of(g);
  T* const copy = aligned_memory<T>(memory);
  group_barrier(g);
  for (std::size_t width = 1; width < count; width *= 2) {
    for (std::size_t i = rank; i < count; i += items)
      copy[place_when_merged(first, count, i, width, less)] = first[i];
    group_barrier(g);
    for (std::size_t i = rank; i < count; i += items) first[i] = copy[i];
    group_barrier(g);
  }
}

template <class T, class U>
struct key_with_value {
  T key;
  U value;
};
template <class Compare>
struct by_key {
  Compare less;
  template <class Entry>
  bool operator()(const Entry& a, const Entry& b) const {
    return less(a.key, b.key);
  }
};

/// The order of numbers, by those of their bits that count, the sign's first.
template <class T, bool Descending>
class less_by_bits {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8, "radix sorters sort numbers");
  using bits = std::conditional_t<
      sizeof(T) == 8, std::uint64_t,
      std::conditional_t<sizeof(T) == 4, std::uint32_t,
                         std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;

 public:
  less_by_bits() = default;
  /// `mask`: a std::bitset.
  template <class Mask>
  explicit less_by_bits(const Mask& mask) : mask_(0) {
    for (std::size_t i = 0; i < sizeof(T) * 8; ++i)
      mask_ = static_cast<bits>(mask_ | (static_cast<bits>(mask[i] ? 1 : 0) << i));
  }
  bool operator()(T a, T b) const {
    const bits x = in_order(a), y = in_order(b);
    return Descending ? y < x : x < y;
  }

 private:
  bits in_order(T value) const {
    constexpr bits sign = static_cast<bits>(bits{1} << (sizeof(T) * 8 - 1));
    auto b = __builtin_bit_cast(bits, value);
    if constexpr (std::is_floating_point_v<T>)
      b = static_cast<bits>((b & sign) != 0 ? ~b : b | sign);
    else if constexpr (std::is_signed_v<T>)
      b = static_cast<bits>(b ^ sign);
    return static_cast<bits>(b & mask_);
  }

  bits mask_ = static_cast<bits>(~bits{0});
};

}  // namespace ext::oneapi::experimental::sorting_algorithms
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
