// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/index_vector.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// Extent of an index space, in elements per dimension; dimension 0 varies slowest (SYCL
/// 2020, 4.9.1.1).
template <int Dimensions = 1>
class range : public detail::index_vector<range<Dimensions>, Dimensions, true> {
  using base = detail::index_vector<range<Dimensions>, Dimensions, true>;

  template <class T>
  static constexpr bool is_number = (std::is_arithmetic<T>::value || std::is_enum<T>::value) &&
                                    std::is_convertible<T, std::size_t>::value;

 public:
  constexpr range() = default;

  /// Any number, so that `range<1>{n}` takes an int without a narrowing error.
  template <class T, int D = Dimensions, std::enable_if_t<D == 1 && is_number<T>, int> = 0>
  constexpr range(T size0) : base(static_cast<std::size_t>(size0)) {}

  template <class T, int D = Dimensions,
            std::enable_if_t<D == 1 && !is_number<T> && !std::is_base_of<range, T>::value &&
                                 std::is_convertible<const T&, std::size_t>::value,
                             int> = 0>
  constexpr explicit range(const T& size0) : base(static_cast<std::size_t>(size0)) {}

  template <int D = Dimensions, std::enable_if_t<D == 2, int> = 0>
  constexpr range(std::size_t size0, std::size_t size1) : base(size0, size1) {}

  template <int D = Dimensions, std::enable_if_t<D == 3, int> = 0>
  constexpr range(std::size_t size0, std::size_t size1, std::size_t size2)
      : base(size0, size1, size2) {}

  /// Number of elements.
  constexpr std::size_t size() const {
    std::size_t product = 1;
    for (int d = 0; d < Dimensions; ++d) product *= this->get(d);
    return product;
  }
};

range(std::size_t) -> range<1>;
range(std::size_t, std::size_t) -> range<2>;
range(std::size_t, std::size_t, std::size_t) -> range<3>;

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
