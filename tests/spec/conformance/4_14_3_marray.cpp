// SPDX-License-Identifier: Apache-2.0
// 4.14.3: marray.
#include <cstdint>
#include <type_traits>
#include <utility>

#include "checked.hpp"

namespace {

using sycl::half;
using sycl::marray;

template <class T, std::size_t N>
constexpr bool is_an_array() {
  using m = marray<T, N>;
  return sizeof(m) == sizeof(T) * N && alignof(m) == alignof(T) && m::size() == N &&
         std::is_trivially_copyable_v<m> && sycl::is_device_copyable_v<m> &&
         std::is_same_v<typename m::value_type, T> && std::is_same_v<typename m::reference, T&> &&
         std::is_same_v<typename m::const_reference, const T&> &&
         std::is_same_v<typename m::iterator, T*> &&
         std::is_same_v<typename m::const_iterator, const T*> && !std::is_convertible_v<T, m> &&
         std::is_constructible_v<m, T> && std::is_convertible_v<m, T> == (N == 1);
}
static_assert(is_an_array<bool, 1>() && is_an_array<char, 3>() && is_an_array<int, 5>() &&
              is_an_array<float, 7>() && is_an_array<double, 64>() && is_an_array<half, 17>());

#define SAME(alias, ...) static_assert(std::is_same_v<sycl::alias, marray<__VA_ARGS__>>)
SAME(mbool2, bool, 2);
SAME(mchar3, std::int8_t, 3);
SAME(muchar4, std::uint8_t, 4);
SAME(mshort8, std::int16_t, 8);
SAME(mushort16, std::uint16_t, 16);
SAME(mint2, std::int32_t, 2);
SAME(muint3, std::uint32_t, 3);
SAME(mlong4, std::int64_t, 4);
SAME(mulong8, std::uint64_t, 8);
SAME(mhalf16, half, 16);
SAME(mfloat3, float, 3);
SAME(mdouble4, double, 4);
#undef SAME
static_assert(std::is_same_v<decltype(marray(1, 2, 3)), marray<int, 3>>);
static_assert(!std::is_constructible_v<marray<int, 3>, int, int>);

// Operators that only some element types have.
template <class M, class = void>
constexpr bool has_remainder = false;
template <class M>
constexpr bool has_remainder<M, std::void_t<decltype(std::declval<M>() % std::declval<M>())>> =
    true;
static_assert(has_remainder<marray<int, 3>> && !has_remainder<marray<float, 3>> &&
              !has_remainder<marray<half, 3>>);

constexpr marray<float, 3> nothing;
static_assert(nothing[0] == 0 && nothing[2] == 0);

constexpr marray<int, 5> constant(1, marray<int, 3>(2), 3);
static_assert((constant + constant * 2)[4] == 9 && (constant < 2)[0] &&
              constant.end() - constant.begin() == 5);

template <class T, std::size_t N>
marray<T, N> counting(int first) {
  marray<T, N> m;
  for (T& element : m) element = static_cast<T>(first++);
  return m;
}

struct constructors {
  int operator()() const {
    const marray<float, 3> zero{}, same(2), parts(1, marray<float, 2>(2)), copy = parts;
    CHECK(zero[0] == 0 && zero[2] == 0 && same[0] == 2 && same[2] == 2);
    CHECK(parts[0] == 1 && parts[1] == 2 && parts[2] == 2 && copy[0] == 1);
    marray<float, 3> assigned = same;
    assigned = parts;
    CHECK(assigned[0] == 1);
    assigned = 5.0f;
    CHECK(assigned[0] == 5 && assigned[2] == 5);
    assigned[0] = 6;
    assigned = assigned[0];
    CHECK(assigned[2] == 6);
    const marray<int, 1> one(3);
    const int number = one;
    CHECK(number == 3 && one + 1 == 4);
    int sum = 0;
    for (int element : marray<int, 4>(1, 2, 3, 4)) sum += element;
    CHECK(sum == 10);
    return 0;
  }
};

#define CHECK_BINARY(op)                                                                   \
  do {                                                                                     \
    const marray<T, N> r = a op b, s = a op static_cast<T>(2), t = static_cast<T>(2) op b; \
    marray<T, N> u = a, w = a;                                                             \
    u op## = b;                                                                            \
    w op## = static_cast<T>(2);                                                            \
    for (std::size_t i = 0; i < N; ++i) {                                                  \
      CHECK(r[i] == static_cast<T>(a[i] op b[i]) && u[i] == r[i]);                         \
      CHECK(s[i] == static_cast<T>(a[i] op static_cast<T>(2)) && w[i] == s[i]);            \
      CHECK(t[i] == static_cast<T>(static_cast<T>(2) op b[i]));                            \
    }                                                                                      \
  } while (false)
#define CHECK_RELATION(op)                                                                    \
  do {                                                                                        \
    const marray<bool, N> r = a op b, s = a op static_cast<T>(4), t = static_cast<T>(4) op b; \
    for (std::size_t i = 0; i < N; ++i) {                                                     \
      CHECK(r[i] == (a[i] op b[i]) && s[i] == (a[i] op static_cast<T>(4)));                   \
      CHECK(t[i] == (static_cast<T>(4) op b[i]));                                             \
    }                                                                                         \
  } while (false)

template <class T, std::size_t N>
struct operators {
  int operator()() const {
    marray<T, N> a = counting<T, N>(3), b = counting<T, N>(1);
    CHECK_BINARY(+);
    CHECK_BINARY(-);
    CHECK_BINARY(*);
    CHECK_BINARY(/);
    b[0] = a[0];
    CHECK_RELATION(==);
    CHECK_RELATION(!=);
    CHECK_RELATION(<);
    CHECK_RELATION(>);
    CHECK_RELATION(<=);
    CHECK_RELATION(>=);
    b[0] = T(0);
    CHECK_RELATION(&&);
    CHECK_RELATION(||);
    b[0] = T(1);
    const marray<bool, N> negated = !a;
    const marray<T, N> minus = -a, plus = +a;
    for (std::size_t i = 0; i < N; ++i)
      CHECK(!negated[i] && minus[i] == static_cast<T>(-a[i]) && plus[i] == a[i]);
    marray<T, N> c = a;
    CHECK((c++)[0] == a[0] && c[0] == static_cast<T>(a[0] + 1));
    CHECK((c--)[0] == static_cast<T>(a[0] + 1) && c[0] == a[0]);
    CHECK((++c)[0] == static_cast<T>(a[0] + 1) && (--c)[0] == a[0]);
    if constexpr (std::is_integral_v<T>) {
      CHECK_BINARY(%);
      CHECK_BINARY(&);
      CHECK_BINARY(|);
      CHECK_BINARY(^);
      CHECK_BINARY(<<);
      CHECK_BINARY(>>);
      const marray<T, N> inverted = ~a;
      for (std::size_t i = 0; i < N; ++i) CHECK(inverted[i] == static_cast<T>(~a[i]));
    }
    return 0;
  }
};

TEST(marray, is_constructed_assigned_and_iterated_over) { checked::everywhere<constructors>(); }

TEST(marray, operators_treat_elements_of_every_type_alike) {
  checked::everywhere<operators<signed char, 3>>();
  checked::everywhere<operators<unsigned short, 5>>();
  checked::everywhere<operators<int, 2>>();
  checked::everywhere<operators<unsigned long, 7>>();
  checked::everywhere<operators<float, 3>>();
  checked::everywhere<operators<double, 9>>();
  checked::everywhere<operators<half, 4>>();
}

}  // namespace
