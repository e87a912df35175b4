// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// a[i] of a two-dimensional accessor, a[i][j] of a three-dimensional one.
template <class T>
class subscript_row {
 public:
  constexpr explicit subscript_row(T* row) noexcept : row_(row) {}
  constexpr T& operator[](std::size_t i) const noexcept { return row_[i]; }

 private:
  T* row_;
};

/// a[i] of a three-dimensional accessor.
template <class T>
class subscript_plane {
 public:
  constexpr subscript_plane(T* plane, std::size_t row_elements) noexcept
      : plane_(plane), row_elements_(row_elements) {}
  constexpr subscript_row<T> operator[](std::size_t i) const noexcept {
    return subscript_row<T>(plane_ + i * row_elements_);
  }

 private:
  T* plane_;
  std::size_t row_elements_;
};

/// a[i] for storage at `base` with the given shape.
template <class T, int Dimensions, class Shape>
constexpr auto subscript(T* base, const Shape& shape, std::size_t i) noexcept {
  if constexpr (Dimensions == 2)
    return subscript_row<T>(base + ((i + shape.offset(0)) * shape.extent(1) + shape.offset(1)));
  else
    return subscript_plane<T>(
        base + (((i + shape.offset(0)) * shape.extent(1) + shape.offset(1)) * shape.extent(2) +
                shape.offset(2)),
        shape.extent(2));
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
