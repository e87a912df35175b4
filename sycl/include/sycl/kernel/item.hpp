// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/index_factory.hpp>
#include <sycl/kernel/range.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Everything an item holds, in one class so that an item has standard layout; without an offset it
/// takes no room.
template <int Dimensions, bool WithOffset>
struct item_storage {
  range<Dimensions> extent;
  id<Dimensions> index;
  id<Dimensions> offset;

  constexpr id<Dimensions> get_offset() const { return offset; }
  constexpr id<Dimensions> relative() const { return index - offset; }
};

template <int Dimensions>
struct item_storage<Dimensions, false> {
  range<Dimensions> extent;
  id<Dimensions> index;

  constexpr id<Dimensions> get_offset() const { return id<Dimensions>(); }
  constexpr id<Dimensions> relative() const { return index; }
};

}  // namespace detail

/// One work-item of a parallel_for over a range (SYCL 2020, 4.9.1.4).
template <int Dimensions = 1, bool WithOffset = true>
class item : public detail::converts_to_size<item<Dimensions, WithOffset>, Dimensions == 1> {
 public:
  static constexpr int dimensions = Dimensions;

  item() = delete;

  constexpr id<Dimensions> get_id() const { return data_.index; }
  constexpr std::size_t get_id(int dimension) const { return data_.index.get(dimension); }
  constexpr std::size_t operator[](int dimension) const { return data_.index.get(dimension); }

  constexpr range<Dimensions> get_range() const { return data_.extent; }
  constexpr std::size_t get_range(int dimension) const { return data_.extent.get(dimension); }

  /// Deprecated by SYCL 2020.
  template <bool O = WithOffset, std::enable_if_t<O, int> = 0>
  constexpr id<Dimensions> get_offset() const {
    return data_.get_offset();
  }

  /// The same work-item, with an offset of zero. (A template, since an item<D, true> never converts
  /// to itself.)
  template <bool O, std::enable_if_t<O && !WithOffset, int> = 0>
  constexpr operator item<Dimensions, O>() const {
    return detail::index_factory::make_item<Dimensions, true>(data_.extent, data_.index);
  }

  /// Row-major position in the range; the offset is subtracted first.
  constexpr std::size_t get_linear_id() const {
    return detail::linear_index(data_.extent, data_.relative());
  }

  friend constexpr bool operator==(const item& a, const item& b) {
    return a.data_.index == b.data_.index && a.data_.extent == b.data_.extent &&
           a.data_.get_offset() == b.data_.get_offset();
  }
  friend constexpr bool operator!=(const item& a, const item& b) { return !(a == b); }

 private:
  friend struct detail::index_factory;

  constexpr explicit item(const detail::item_storage<Dimensions, WithOffset>& data) : data_(data) {}

  detail::item_storage<Dimensions, WithOffset> data_;
};

namespace detail {

template <int Dimensions, bool WithOffset>
constexpr item<Dimensions, WithOffset> index_factory::make_item(const range<Dimensions>& extent,
                                                                const id<Dimensions>& index) {
  if constexpr (WithOffset)
    return item<Dimensions, true>(item_storage<Dimensions, true>{extent, index, id<Dimensions>()});
  else
    return item<Dimensions, false>(item_storage<Dimensions, false>{extent, index});
}

template <int Dimensions, bool WithOffset>
constexpr item<Dimensions, WithOffset> index_factory::make_item(const range<Dimensions>& extent,
                                                                const id<Dimensions>& index,
                                                                const id<Dimensions>& offset) {
  static_assert(WithOffset, "an item without offset cannot be made with one");
  return item<Dimensions, true>(item_storage<Dimensions, true>{extent, index, offset});
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
