// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/range.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Visits the elements of a box of an array in row-major order. Random access; every step costs the
/// divisions that find the element, so that it can be copied and compared like an index.
template <class T, int Dimensions>
class accessor_iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::remove_const_t<T>;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using reference = T&;

  constexpr accessor_iterator() = default;
  /// first: the box's first element; strides: elements from one index to the next, per dimension.
  constexpr accessor_iterator(T* first, const range<Dimensions>& box, const id<Dimensions>& strides,
                              std::size_t position)
      : first_(first),
        box_(box),
        strides_(strides),
        position_(static_cast<difference_type>(position)) {}
  template <class U,
            class = std::enable_if_t<std::is_same<const U, T>::value && !std::is_same<U, T>::value>>
  constexpr accessor_iterator(const accessor_iterator<U, Dimensions>& other)
      : first_(other.first_),
        box_(other.box_),
        strides_(other.strides_),
        position_(other.position_) {}

  constexpr reference operator*() const { return *at(position_); }
  constexpr pointer operator->() const { return at(position_); }
  constexpr reference operator[](difference_type n) const { return *at(position_ + n); }

  constexpr accessor_iterator& operator+=(difference_type n) {
    position_ += n;
    return *this;
  }
  constexpr accessor_iterator& operator-=(difference_type n) { return *this += -n; }
  constexpr accessor_iterator& operator++() { return *this += 1; }
  constexpr accessor_iterator& operator--() { return *this += -1; }
  constexpr accessor_iterator operator++(int) {
    accessor_iterator before = *this;
    ++*this;
    return before;
  }
  constexpr accessor_iterator operator--(int) {
    accessor_iterator before = *this;
    --*this;
    return before;
  }
  friend constexpr accessor_iterator operator+(accessor_iterator i, difference_type n) {
    return i += n;
  }
  friend constexpr accessor_iterator operator+(difference_type n, accessor_iterator i) {
    return i += n;
  }
  friend constexpr accessor_iterator operator-(accessor_iterator i, difference_type n) {
    return i -= n;
  }
  friend constexpr difference_type operator-(const accessor_iterator& a,
                                             const accessor_iterator& b) {
    return a.position_ - b.position_;
  }
  friend constexpr bool operator==(const accessor_iterator& a, const accessor_iterator& b) {
    return a.position_ == b.position_;
  }
  friend constexpr bool operator!=(const accessor_iterator& a, const accessor_iterator& b) {
    return a.position_ != b.position_;
  }
  friend constexpr bool operator<(const accessor_iterator& a, const accessor_iterator& b) {
    return a.position_ < b.position_;
  }
  friend constexpr bool operator>(const accessor_iterator& a, const accessor_iterator& b) {
    return b < a;
  }
  friend constexpr bool operator<=(const accessor_iterator& a, const accessor_iterator& b) {
    return !(b < a);
  }
  friend constexpr bool operator>=(const accessor_iterator& a, const accessor_iterator& b) {
    return !(a < b);
  }

 private:
  template <class, int>
  friend class accessor_iterator;

  constexpr T* at(difference_type position) const {
    auto rest = static_cast<std::size_t>(position);
    std::size_t distance = 0;
    for (int d = Dimensions - 1; d > 0; --d) {
      distance += rest % box_.get(d) * strides_.get(d);
      rest /= box_.get(d);
    }
    return first_ + (distance + rest * strides_.get(0));
  }

  T* first_ = nullptr;
  range<Dimensions> box_;
  id<Dimensions> strides_;
  difference_type position_ = 0;
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
