// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/index_vector.hpp>
#include <sycl/kernel/range.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

template <int Dimensions, bool WithOffset>
class item;

/// Position in an index space; dimension 0 varies slowest (SYCL 2020, 4.9.1.3).
template <int Dimensions = 1>
class id : public detail::index_vector<id<Dimensions>, Dimensions, Dimensions != 1>,
           public detail::converts_to_size<id<Dimensions>, Dimensions == 1> {
  using base = detail::index_vector<id<Dimensions>, Dimensions, Dimensions != 1>;

  template <class T>
  static constexpr bool is_integer = (std::is_integral<T>::value || std::is_enum<T>::value) &&
                                     std::is_convertible<T, std::size_t>::value;

 public:
  constexpr id() = default;

  /// Any integer, so that `id<1>{i}` takes an int without a narrowing error.
  template <class T, int D = Dimensions, std::enable_if_t<D == 1 && is_integer<T>, int> = 0>
  constexpr id(T value0) : base(static_cast<std::size_t>(value0)) {}

  /// Explicit for everything else that converts to size_t, so that `i * 0.5` stays a double.
  template <class T, int D = Dimensions,
            std::enable_if_t<D == 1 && !is_integer<T> && !std::is_base_of<id, T>::value &&
                                 std::is_convertible<const T&, std::size_t>::value,
                             int> = 0>
  constexpr explicit id(const T& value0) : base(static_cast<std::size_t>(value0)) {}

  template <int D = Dimensions, std::enable_if_t<D == 2, int> = 0>
  constexpr id(std::size_t value0, std::size_t value1) : base(value0, value1) {}

  template <int D = Dimensions, std::enable_if_t<D == 3, int> = 0>
  constexpr id(std::size_t value0, std::size_t value1, std::size_t value2)
      : base(value0, value1, value2) {}

  constexpr id(const range<Dimensions>& extent) {
    for (int d = 0; d < Dimensions; ++d) (*this)[d] = extent.get(d);
  }

  template <bool WithOffset>
  constexpr id(const item<Dimensions, WithOffset>& work_item) : id(work_item.get_id()) {}

  /// An extension of DPC++'s: `range<2>{i.get_group().get_id() * i.get_local_range()}`.
  template <int D = Dimensions, std::enable_if_t<D == 2, int> = 0>
  constexpr explicit operator range<D>() const {
    return range<D>((*this)[0], (*this)[1]);
  }
  template <int D = Dimensions, std::enable_if_t<D == 3, int> = 0>
  constexpr explicit operator range<D>() const {
    return range<D>((*this)[0], (*this)[1], (*this)[2]);
  }
};

id(std::size_t) -> id<1>;
id(std::size_t, std::size_t) -> id<2>;
id(std::size_t, std::size_t, std::size_t) -> id<3>;
template <int Dimensions>
id(range<Dimensions>) -> id<Dimensions>;
template <int Dimensions, bool WithOffset>
id(item<Dimensions, WithOffset>) -> id<Dimensions>;

namespace detail {

/// Row-major position of `index` in `extent`: the last dimension is contiguous (SYCL 2020, 3.11.1).
template <int Dimensions>
constexpr std::size_t linear_index(const range<Dimensions>& extent, const id<Dimensions>& index) {
  std::size_t linear = index.get(0);
  for (int d = 1; d < Dimensions; ++d) linear = linear * extent.get(d) + index.get(d);
  return linear;
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
