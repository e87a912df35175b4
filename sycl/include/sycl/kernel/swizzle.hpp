// SPDX-License-Identifier: Apache-2.0
// Swizzles of vec (SYCL 2020, 4.14.2.2): lvalues made of some elements of a vec, and their operators.
#pragma once

#include <cstddef>
#include <type_traits>

#include <sycl/detail/kernels/elementwise.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/kernel/multi_ptr.hpp>
#include <sycl/kernel/rounding_mode.hpp>
#include <sycl/kernel/type_traits.hpp>
#include <sycl/kernel/vec_members.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {
namespace swizzles {

template <int... Indices>
constexpr bool are_distinct() {
  constexpr int positions[] = {Indices...};
  for (std::size_t i = 0; i < sizeof...(Indices); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (positions[i] == positions[j]) return false;
  return true;
}

/// Refers to its vec, which must outlive it. Reads as a vec of the named elements, in operators too. Assignment
/// writes to the elements, and only exists for different ones of a vec that is not const. The right side is
/// read before anything is written: v.xy() = v.yx() swaps.
template <class Source, int... Indices>
class swizzled_vec
    : public converts_to_scalar<swizzled_vec<Source, Indices...>, element_type_t<Source>,
                                sizeof...(Indices) == 1>,
      public vec_members<swizzled_vec<Source, Indices...>, static_cast<int>(sizeof...(Indices))> {
  static constexpr int count = static_cast<int>(sizeof...(Indices));
  static constexpr int limit = element_count_v<Source> == 3 ? 4 : element_count_v<Source>;
  static constexpr int position(int index) {
    constexpr int positions[] = {Indices...};
    return positions[index];
  }
  static_assert(count == 1 || count == 2 || count == 3 || count == 4 || count == 8 || count == 16,
                "a swizzle names 1, 2, 3, 4, 8 or 16 elements");
  static_assert((true && ... && (Indices >= 0 && Indices < limit)),
                "a swizzle names elements that the vec has");

 public:
  using element_type = element_type_t<Source>;
  using value_type = element_type;
  /// What it reads as.
  using vector_type = vec<element_type, count>;
  using reference = std::conditional_t<std::is_const_v<Source>, const element_type&, element_type&>;

  constexpr explicit swizzled_vec(Source& source) noexcept : source_(&source) {}
  swizzled_vec(const swizzled_vec&) = default;

  constexpr reference operator[](int index) const { return (*source_)[position(index)]; }
  constexpr operator vector_type() const {
    vector_type result{};
    for (int i = 0; i < count; ++i) result[i] = (*this)[i];
    return result;
  }

  constexpr const swizzled_vec& operator=(const swizzled_vec& rhs) const {
    return *this = static_cast<vector_type>(rhs);
  }
  constexpr const swizzled_vec& operator=(const vector_type& rhs) const {
    static_assert(!std::is_const_v<Source>, "a swizzle of a const vec cannot be assigned to");
    static_assert(are_distinct<Indices...>(),
                  "a swizzle that names an element twice cannot be assigned to");
    for (int i = 0; i < count; ++i) (*this)[i] = rhs[i];
    return *this;
  }
  template <class T, std::enable_if_t<(is_swizzle_v<T> && element_count_v<T> == count) ||
                                          is_scalar_operand_v<T, element_type, count>,
                                      int> = 0>
  constexpr const swizzled_vec& operator=(const T& rhs) const {
    if constexpr (is_swizzle_v<T> && element_count_v<T> == count)
      return *this = static_cast<vector_type>(rhs);
    else
      return *this = vector_type(static_cast<element_type>(rhs));
  }

  static constexpr std::size_t byte_size() noexcept { return sizeof(vector_type); }
  static constexpr std::size_t size() noexcept { return count; }
  /// Deprecated by SYCL 2020: byte_size() and size().
  static constexpr std::size_t get_size() noexcept { return byte_size(); }
  static constexpr std::size_t get_count() noexcept { return size(); }

  template <class ConvertT, rounding_mode RoundingMode = rounding_mode::automatic>
  vec<ConvertT, count> convert() const {
    return static_cast<vector_type>(*this).template convert<ConvertT, RoundingMode>();
  }
  template <class AsT>
  AsT as() const {
    return static_cast<vector_type>(*this).template as<AsT>();
  }
  /// Of what this one names.
  template <int... Chosen>
  constexpr auto swizzle() const {
    static_assert((true && ... && (Chosen >= 0 && Chosen < (count == 3 ? 4 : count))),
                  "a swizzle names elements that the vec has");
    return swizzled_vec<Source, position(Chosen < count ? Chosen : count - 1)...>(*source_);
  }

  void load(std::size_t offset, const element_type* ptr) const { load_from(offset, ptr); }
  template <access::address_space Space, access::decorated Decorate, class T>
  void load(std::size_t offset, multi_ptr<T, Space, Decorate> ptr) const {
    load_from(offset, ptr);
  }
  void store(std::size_t offset, element_type* ptr) const { vector_type(*this).store(offset, ptr); }
  template <access::address_space Space, access::decorated Decorate>
  void store(std::size_t offset, multi_ptr<element_type, Space, Decorate> ptr) const {
    vector_type(*this).store(offset, ptr);
  }

 private:
  template <class Pointer>
  void load_from(std::size_t offset, Pointer ptr) const {
    vector_type value;
    value.load(offset, ptr);
    *this = value;
  }

  Source* source_;
};

// Operators of swizzles: those of the vecs that they read as.

/// Whether B may stand beside an A in an operator: a vec or swizzle of as many elements of the same type, or a scalar.
template <class A, class B>
constexpr bool is_partner() {
  if constexpr (is_vec_or_swizzle_v<B> && element_count_v<B> == element_count_v<A>)
    return std::is_same_v<element_type_t<A>, element_type_t<B>>;
  else
    return is_scalar_operand_v<B, element_type_t<A>, element_count_v<A>>;
}
template <class A, class B>
constexpr bool are_operands() {
  if constexpr (is_swizzle_v<A>)
    return is_partner<A, B>() || (is_swizzle_v<B> && element_count_v<A> == 1 && is_partner<B, A>());
  else if constexpr (is_swizzle_v<B>)
    return is_partner<B, A>();
  else
    return false;
}
template <class A, class B>
using if_operands = std::enable_if_t<are_operands<A, B>(), int>;
template <class A, class B>
using if_target = std::enable_if_t<is_swizzle_v<A> && is_partner<A, B>(), int>;
template <class A>
using if_swizzle = std::enable_if_t<is_swizzle_v<A>, int>;

template <class A>
constexpr const A& read(const A& other) {
  return other;
}
template <class Source, int... Indices>
constexpr auto read(const swizzled_vec<Source, Indices...>& a) {
  return static_cast<typename swizzled_vec<Source, Indices...>::vector_type>(a);
}

#define PIANOLA_SWIZZLE_BINARY(op)                     \
  template <class A, class B, if_operands<A, B> = 0>   \
  constexpr auto operator op(const A& a, const B& b) { \
    return read(a) op read(b);                         \
  }
#define PIANOLA_SWIZZLE_ASSIGN(op)                              \
  template <class A, class B, if_target<A, B> = 0>              \
  constexpr const A& operator op##=(const A & a, const B & b) { \
    return a = read(a) op read(b);                              \
  }
#define PIANOLA_SWIZZLE_UNARY(op)          \
  template <class A, if_swizzle<A> = 0>    \
  constexpr auto operator op(const A& a) { \
    return op read(a);                     \
  }
#define PIANOLA_SWIZZLE_STEP(op)                \
  template <class A, if_swizzle<A> = 0>         \
  constexpr const A& operator op(const A & a) { \
    auto value = read(a);                       \
    return a = op value;                        \
  }                                             \
  template <class A, if_swizzle<A> = 0>         \
  constexpr auto operator op(const A& a, int) { \
    const auto before = read(a);                \
    auto value = before;                        \
    a = op value;                               \
    return before;                              \
  }

PIANOLA_SWIZZLE_BINARY(+)
PIANOLA_SWIZZLE_ASSIGN(+)
PIANOLA_SWIZZLE_BINARY(-)
PIANOLA_SWIZZLE_ASSIGN(-)
PIANOLA_SWIZZLE_BINARY(*)
PIANOLA_SWIZZLE_ASSIGN(*)
PIANOLA_SWIZZLE_BINARY(/)
PIANOLA_SWIZZLE_ASSIGN(/)
PIANOLA_SWIZZLE_BINARY(%)
PIANOLA_SWIZZLE_ASSIGN(%)
PIANOLA_SWIZZLE_BINARY(&)
PIANOLA_SWIZZLE_ASSIGN(&)
PIANOLA_SWIZZLE_BINARY(|)
PIANOLA_SWIZZLE_ASSIGN(|)
PIANOLA_SWIZZLE_BINARY(^)
PIANOLA_SWIZZLE_ASSIGN(^)
PIANOLA_SWIZZLE_BINARY(<<)
PIANOLA_SWIZZLE_ASSIGN(<<)
PIANOLA_SWIZZLE_BINARY(>>)
PIANOLA_SWIZZLE_ASSIGN(>>)
PIANOLA_SWIZZLE_BINARY(==)
PIANOLA_SWIZZLE_BINARY(!=)
PIANOLA_SWIZZLE_BINARY(<)
PIANOLA_SWIZZLE_BINARY(>)
PIANOLA_SWIZZLE_BINARY(<=)
PIANOLA_SWIZZLE_BINARY(>=)
PIANOLA_SWIZZLE_BINARY(&&)
PIANOLA_SWIZZLE_BINARY(||)
PIANOLA_SWIZZLE_UNARY(+)
PIANOLA_SWIZZLE_UNARY(-)
PIANOLA_SWIZZLE_UNARY(~)
PIANOLA_SWIZZLE_UNARY(!)
PIANOLA_SWIZZLE_STEP(++)
PIANOLA_SWIZZLE_STEP(--)

#undef PIANOLA_SWIZZLE_BINARY
#undef PIANOLA_SWIZZLE_ASSIGN
#undef PIANOLA_SWIZZLE_UNARY
#undef PIANOLA_SWIZZLE_STEP

}  // namespace swizzles
}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
