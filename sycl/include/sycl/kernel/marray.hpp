// SPDX-License-Identifier: Apache-2.0
// marray (SYCL 2020, 4.14.3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <sycl/detail/kernels/elementwise.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/kernel/half.hpp>
#include <sycl/kernel/type_traits.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Whether an marray of T can be made of one argument of several.
template <class Argument, class T>
constexpr bool is_marray_part() {
  if constexpr (is_marray_v<Argument>)
    return std::is_same_v<element_type_t<Argument>, T>;
  else
    return std::is_convertible_v<const Argument&, T>;
}

}  // namespace detail

/// An array of any number of elements, which operators treat alike; laid out like an array. Default
/// initialisation leaves arithmetic elements unset. Comparisons give an marray of bool.
template <class DataT, std::size_t NumElements>
class marray
    : public detail::converts_to_scalar<marray<DataT, NumElements>, DataT, NumElements == 1>,
      public detail::elementwise_operators<marray<DataT, NumElements>, DataT,
                                           static_cast<int>(NumElements),
                                           marray<bool, NumElements>>,
      public detail::elementwise_bit_operators<marray<DataT, NumElements>, DataT,
                                               static_cast<int>(NumElements),
                                               detail::has_bit_operators_v<DataT>> {
  static_assert(NumElements > 0, "an marray has at least one element");

 public:
  using value_type = DataT;
  using reference = DataT&;
  using const_reference = const DataT&;
  using iterator = DataT*;
  using const_iterator = const DataT*;

  /// Elements of a number's type are 0.
  constexpr marray() : data_{} {}
  marray(const marray&) = default;
  marray(marray&&) = default;

  /// All elements alike.
  constexpr explicit marray(const DataT& arg) : data_{} {
    for (std::size_t i = 0; i < NumElements; ++i) data_[i] = arg;
  }
  /// Scalars and marrays with NumElements elements in all.
  template <class... ArgTN,
            std::enable_if_t<(sizeof...(ArgTN) > 1) &&
                                 (0 + ... + detail::element_count_v<ArgTN>) ==
                                     static_cast<int>(NumElements) &&
                                 (true && ... && detail::is_marray_part<ArgTN, DataT>()),
                             int> = 0>
  constexpr marray(const ArgTN&... args) : data_{} {
    int at = 0;
    (append(at, args), ...);
  }

  marray& operator=(const marray&) = default;
  marray& operator=(marray&&) = default;
  constexpr marray& operator=(const DataT& rhs) {
    const DataT value = rhs;  // which may be an element of this
    for (DataT& element : data_) element = value;
    return *this;
  }

  static constexpr std::size_t size() noexcept { return NumElements; }

  constexpr reference operator[](std::size_t index) { return data_[index]; }
  constexpr const_reference operator[](std::size_t index) const { return data_[index]; }

  constexpr iterator begin() { return data_; }
  constexpr const_iterator begin() const { return data_; }
  constexpr iterator end() { return data_ + NumElements; }
  constexpr const_iterator end() const { return data_ + NumElements; }

 private:
  template <class Argument>
  constexpr void append(int& at, const Argument& argument) {
    if constexpr (detail::is_marray_v<Argument>) {
      for (const auto& element : argument) data_[at++] = element;
    } else {
      data_[at++] = static_cast<DataT>(argument);
    }
  }

  DataT data_[NumElements];
};

template <class T, class... U, std::enable_if_t<(true && ... && std::is_same_v<T, U>), int> = 0>
marray(T, U...) -> marray<T, sizeof...(U) + 1>;

#define PIANOLA_MARRAY_ALIASES(name, ...) \
  using name##2 = marray<__VA_ARGS__, 2>; \
  using name##3 = marray<__VA_ARGS__, 3>; \
  using name##4 = marray<__VA_ARGS__, 4>; \
  using name##8 = marray<__VA_ARGS__, 8>; \
  using name##16 = marray<__VA_ARGS__, 16>;

PIANOLA_MARRAY_ALIASES(mbool, bool)
PIANOLA_MARRAY_ALIASES(mchar, std::int8_t)
PIANOLA_MARRAY_ALIASES(muchar, std::uint8_t)
PIANOLA_MARRAY_ALIASES(mshort, std::int16_t)
PIANOLA_MARRAY_ALIASES(mushort, std::uint16_t)
PIANOLA_MARRAY_ALIASES(mint, std::int32_t)
PIANOLA_MARRAY_ALIASES(muint, std::uint32_t)
PIANOLA_MARRAY_ALIASES(mlong, std::int64_t)
PIANOLA_MARRAY_ALIASES(mulong, std::uint64_t)
PIANOLA_MARRAY_ALIASES(mhalf, half)
PIANOLA_MARRAY_ALIASES(mfloat, float)
PIANOLA_MARRAY_ALIASES(mdouble, double)
#undef PIANOLA_MARRAY_ALIASES

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
