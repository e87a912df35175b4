// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <sycl/detail/accessor/check.hpp>
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

#if defined(PIANOLA_CHECK_ACCESSES)

/// The same two, with as many elements as the accessor names.
template <class T>
class checked_row {
 public:
  constexpr checked_row(T* row, std::size_t extent) noexcept : row_(row), extent_(extent) {}
  PIANOLA_SUBSCRIPT constexpr T& operator[](std::size_t i) const {
    return row_[checked_coordinate(i, extent_)];
  }

 private:
  T* row_;
  std::size_t extent_;
};

template <class T>
class checked_plane {
 public:
  constexpr checked_plane(T* plane, std::size_t row_elements, std::size_t rows,
                          std::size_t extent) noexcept
      : plane_(plane), row_elements_(row_elements), rows_(rows), extent_(extent) {}
  PIANOLA_SUBSCRIPT constexpr checked_row<T> operator[](std::size_t i) const {
    return checked_row<T>(plane_ + checked_coordinate(i, rows_) * row_elements_, extent_);
  }

 private:
  T* plane_;
  std::size_t row_elements_;
  std::size_t rows_;
  std::size_t extent_;
};

template <class T, int Dimensions, class Shape>
PIANOLA_SUBSCRIPT constexpr auto subscript(T* base, const Shape& shape, std::size_t i) {
  const auto extents = shape.access_range();
  const std::size_t row =
      (checked_coordinate(i, extents.get(0)) + shape.offset(0)) * shape.extent(1) + shape.offset(1);
  if constexpr (Dimensions == 2)
    return checked_row<T>(base + row, extents.get(1));
  else
    return checked_plane<T>(base + (row * shape.extent(2) + shape.offset(2)), shape.extent(2),
                            extents.get(1), extents.get(2));
}

#else

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

#endif

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
