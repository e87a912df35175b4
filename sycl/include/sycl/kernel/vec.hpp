// SPDX-License-Identifier: Apache-2.0
// vec (SYCL 2020, 4.14.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <sycl/detail/kernels/elementwise.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/kernel/multi_ptr.hpp>
#include <sycl/kernel/rounding_mode.hpp>
#include <sycl/kernel/swizzle.hpp>
#include <sycl/kernel/type_traits.hpp>
#include <sycl/kernel/vec_members.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// Positions for swizzle<>().
struct elem {
  static constexpr int x = 0, y = 1, z = 2, w = 3;
  static constexpr int r = 0, g = 1, b = 2, a = 3;
  static constexpr int s0 = 0, s1 = 1, s2 = 2, s3 = 3, s4 = 4, s5 = 5, s6 = 6, s7 = 7;
  static constexpr int s8 = 8, s9 = 9, sA = 10, sB = 11, sC = 12, sD = 13, sE = 14, sF = 15;
};

namespace detail {

/// Three elements take the room of four. Alignment: the size, at most 64.
template <class T, int N>
inline constexpr std::size_t vec_storage_count = N == 3 ? 4 : N;
template <class T, int N>
inline constexpr std::size_t vec_alignment =
    sizeof(T) * vec_storage_count<T, N> < 64 ? sizeof(T) * vec_storage_count<T, N> : 64;

/// Whether a vec<T, N> can be made of one argument of several.
template <class Argument, class T>
constexpr bool is_vec_part() {
  if constexpr (is_vec_or_swizzle_v<Argument>)
    return std::is_same_v<element_type_t<Argument>, T>;
  else
    return std::is_convertible_v<const Argument&, T>;
}

template <class T, int N>
using vec_relation = vec<signed_like_t<T>, N>;

}  // namespace detail

/// 1, 2, 3, 4, 8 or 16 elements, which operators treat alike. Elements are as they would be in an array;
/// a vec of three is as large as one of four. Default initialisation leaves them unset.
///
/// Comparisons give a vec of signed integers as large as DataT: -1 where true, 0 where false.
template <class DataT, int NumElements>
class alignas(detail::vec_alignment<DataT, NumElements>) vec
    : public detail::converts_to_scalar<vec<DataT, NumElements>, DataT, NumElements == 1>,
      public detail::elementwise_operators<vec<DataT, NumElements>, DataT, NumElements,
                                           detail::vec_relation<DataT, NumElements>>,
      public detail::elementwise_bit_operators<vec<DataT, NumElements>, DataT, NumElements,
                                               detail::has_bit_operators_v<DataT>>,
      public detail::vec_members<vec<DataT, NumElements>, NumElements> {
  static_assert(NumElements == 1 || NumElements == 2 || NumElements == 3 || NumElements == 4 ||
                    NumElements == 8 || NumElements == 16,
                "a vec has 1, 2, 3, 4, 8 or 16 elements");
  static_assert(!std::is_const_v<DataT> && !std::is_volatile_v<DataT>,
                "the elements of a vec are neither const nor volatile");

 public:
  using element_type = DataT;
  using value_type = DataT;

  vec() = default;
  vec(const vec&) = default;

  /// All elements alike.
  template <int N = NumElements, std::enable_if_t<(N > 1), int> = 0>
  constexpr explicit vec(const DataT& arg) : data_{} {
    for (int i = 0; i < NumElements; ++i) data_[i] = arg;
  }
  template <class T, std::enable_if_t<NumElements == 1 && std::is_convertible_v<const T&, DataT> &&
                                          !std::is_convertible_v<const T&, const volatile void*> &&
                                          !(detail::is_vec_or_swizzle_v<T> &&
                                            detail::element_count_v<T> == 1),
                                      int> = 0>
  constexpr vec(const T& arg) : data_{static_cast<DataT>(arg)} {}

  /// Scalars, vecs and swizzles with NumElements elements in all.
  template <class... ArgTN,
            std::enable_if_t<(sizeof...(ArgTN) > 1) &&
                                 (0 + ... + detail::element_count_v<ArgTN>) == NumElements &&
                                 (true && ... && detail::is_vec_part<ArgTN, DataT>()),
                             int> = 0>
  constexpr vec(const ArgTN&... args) : data_{} {
    int at = 0;
    (append(at, args), ...);
  }

  vec& operator=(const vec&) = default;
  template <class T, detail::if_scalar_operand<T, DataT, NumElements> = 0>
  constexpr vec& operator=(const T& rhs) {
    const DataT value = static_cast<DataT>(rhs);
    for (int i = 0; i < NumElements; ++i) data_[i] = value;
    return *this;
  }

  static constexpr std::size_t byte_size() noexcept { return sizeof(vec); }
  static constexpr std::size_t size() noexcept { return NumElements; }
  /// Deprecated by SYCL 2020: byte_size() and size().
  static constexpr std::size_t get_size() noexcept { return byte_size(); }
  static constexpr std::size_t get_count() noexcept { return size(); }

  template <class ConvertT, rounding_mode RoundingMode = rounding_mode::automatic>
  vec<ConvertT, NumElements> convert() const {
    vec<ConvertT, NumElements> result{};
    for (int i = 0; i < NumElements; ++i)
      result[i] = detail::convert_element<ConvertT, RoundingMode>(data_[i]);
    return result;
  }

  /// The same bytes.
  template <class AsT>
  AsT as() const {
    static_assert(sizeof(AsT) == sizeof(vec), "vec::as: the other type must be as large");
    static_assert(std::is_trivially_copyable_v<AsT>,
                  "vec::as: the other type must be copyable as bytes");
    AsT result;
    __builtin_memcpy(&result, data_, sizeof(result));
    return result;
  }

  constexpr DataT& operator[](int index) { return data_[index]; }
  constexpr const DataT& operator[](int index) const { return data_[index]; }

  template <int... Indices>
  constexpr auto swizzle() {
    return detail::swizzled_vec<vec, Indices...>(*this);
  }
  template <int... Indices>
  constexpr auto swizzle() const {
    return detail::swizzled_vec<const vec, Indices...>(*this);
  }

  /// From ptr + offset * NumElements.
  void load(std::size_t offset, const DataT* ptr) {
    for (int i = 0; i < NumElements; ++i) data_[i] = ptr[offset * NumElements + i];
  }
  template <access::address_space Space, access::decorated Decorate, class T,
            std::enable_if_t<std::is_same_v<std::remove_const_t<T>, DataT>, int> = 0>
  void load(std::size_t offset, multi_ptr<T, Space, Decorate> ptr) {
    load(offset, static_cast<const DataT*>(ptr.get_raw()));
  }
  /// To ptr + offset * NumElements.
  void store(std::size_t offset, DataT* ptr) const {
    for (int i = 0; i < NumElements; ++i) ptr[offset * NumElements + i] = data_[i];
  }
  template <access::address_space Space, access::decorated Decorate>
  void store(std::size_t offset, multi_ptr<DataT, Space, Decorate> ptr) const {
    store(offset, ptr.get_raw());
  }

 private:
  template <class Argument>
  constexpr void append(int& at, const Argument& argument) {
    if constexpr (detail::is_vec_or_swizzle_v<Argument>) {
      for (int i = 0; i < detail::element_count_v<Argument>; ++i) data_[at++] = argument[i];
    } else {
      data_[at++] = static_cast<DataT>(argument);
    }
  }

  DataT data_[detail::vec_storage_count<DataT, NumElements>];
};

template <class T, class... U, std::enable_if_t<(true && ... && std::is_same_v<T, U>), int> = 0>
vec(T, U...) -> vec<T, static_cast<int>(sizeof...(U)) + 1>;

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
