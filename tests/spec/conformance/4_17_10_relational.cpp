// SPDX-License-Identifier: Apache-2.0
// 4.17.10: relational functions.
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

namespace {

#define COMPARISONS(F)                            \
  F(isequal, x == y)                              \
  F(isnotequal, x != y)                           \
  F(isgreater, x > y)                             \
  F(isgreaterequal, x >= y)                       \
  F(isless, x < y)                                \
  F(islessequal, x <= y)                          \
  F(islessgreater, x<y || x> y)                   \
  F(isordered, !(std::isnan(x) || std::isnan(y))) \
  F(isunordered, std::isnan(x) || std::isnan(y))

#define PROPERTIES(F)           \
  F(isfinite, std::isfinite(x)) \
  F(isinf, std::isinf(x))       \
  F(isnan, std::isnan(x))       \
  F(signbit, std::signbit(x))

template <class T>
class relational : public ::testing::Test {
 protected:
  static std::vector<T> values() {
    using limits = std::numeric_limits<T>;
    std::vector<T> all{
        T(0.0f), T(-0.0f), T(1.0f), T(-1.5f), limits::min(), limits::denorm_min(), limits::max()};
    all.push_back(-limits::max());
    all.push_back(T(std::numeric_limits<float>::infinity()));
    all.push_back(T(-std::numeric_limits<float>::infinity()));
    all.push_back(T(std::nanf("")));
    return all;
  }
};
using floats = ::testing::Types<sycl::half, float, double>;
TYPED_TEST_SUITE(relational, floats);

/// One bit for each function.
template <class T>
unsigned compare(T x, T y) {
  unsigned result = 0;
#define ADD(name, meaning) result = 2 * result + (sycl::name(x, y) ? 1 : 0);
  COMPARISONS(ADD)
#undef ADD
#define ADD(name, meaning) result = 2 * result + (sycl::name(x) ? 1 : 0);
  PROPERTIES(ADD)
#undef ADD
  return 2 * result + (sycl::isnormal(x) ? 1 : 0);
}

TYPED_TEST(relational, functions_of_scalars_compare_as_the_operators_do) {
  using T = TypeParam;
  std::vector<T> xs, ys;
  for (T x : this->values())
    for (T y : this->values()) {
      xs.push_back(x);
      ys.push_back(y);
    }
  std::vector<unsigned> results(xs.size());
  sycl::queue queue;
  {
    sycl::buffer<T, 1> from_x(xs.data(), sycl::range<1>(xs.size())),
        from_y(ys.data(), sycl::range<1>(ys.size()));
    sycl::buffer<unsigned, 1> to(results.data(), sycl::range<1>(results.size()));
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor x(from_x, handler, sycl::read_only), y(from_y, handler, sycl::read_only);
      sycl::accessor out(to, handler, sycl::write_only, sycl::no_init);
      handler.parallel_for(sycl::range<1>(xs.size()),
                           [=](sycl::id<1> i) { out[i] = compare<T>(x[i], y[i]); });
    });
  }
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const double x = static_cast<double>(xs[i]), y = static_cast<double>(ys[i]);
    unsigned wanted = 0;
#define ADD(name, meaning) wanted = 2 * wanted + ((meaning) ? 1 : 0);
    COMPARISONS(ADD)
    PROPERTIES(ADD)
#undef ADD
    const bool normal =
        std::isfinite(x) && std::fabs(x) >= static_cast<double>(std::numeric_limits<T>::min());
    EXPECT_EQ(results[i], 2 * wanted + (normal ? 1 : 0)) << x << ", " << y;
  }
}

TYPED_TEST(relational, functions_of_vec_give_minus_one_of_marray_true) {
  using T = TypeParam;
  using integer =
      std::conditional_t<sizeof(T) == 2, std::int16_t,
                         std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>;
  const sycl::vec<T, 3> v(T(1.0f), T(std::nanf("")), T(-3.0f)), w(T(1.0f), T(2.0f), T(3.0f));
  const sycl::marray<T, 3> m(T(1.0f), T(std::nanf("")), T(-3.0f)), n(T(1.0f), T(2.0f), T(3.0f));
  static_assert(std::is_same_v<decltype(sycl::isequal(v, w)), sycl::vec<integer, 3>>);
  static_assert(std::is_same_v<decltype(sycl::isequal(m, n)), sycl::marray<bool, 3>>);
  static_assert(std::is_same_v<decltype(sycl::isequal(v[0], w[0])), bool>);
  static_assert(std::is_same_v<decltype(sycl::isnan(v)), sycl::vec<integer, 3>>);
#define EQUAL(name, meaning)                                                  \
  for (int i = 0; i < 3; ++i) {                                               \
    EXPECT_EQ(sycl::name(v, w)[i], sycl::name(v[i], w[i]) ? -1 : 0) << #name; \
    EXPECT_EQ(sycl::name(m, n)[i], sycl::name(m[i], n[i])) << #name;          \
  }
  COMPARISONS(EQUAL)
#undef EQUAL
#define EQUAL(name, meaning)                                         \
  for (int i = 0; i < 3; ++i) {                                      \
    EXPECT_EQ(sycl::name(v)[i], sycl::name(v[i]) ? -1 : 0) << #name; \
    EXPECT_EQ(sycl::name(m)[i], sycl::name(m[i])) << #name;          \
  }
  PROPERTIES(EQUAL)
  EQUAL(isnormal, )
#undef EQUAL
  const auto reversed = sycl::isless(v.template swizzle<2, 1, 0>(), w);
  EXPECT_EQ(reversed[0], -1);
  EXPECT_EQ(reversed[1], 0);
  EXPECT_EQ(reversed[2], -1);
}

TYPED_TEST(relational, select_and_bitselect_choose_by_condition_and_by_bit) {
  using T = TypeParam;
  const T a(1.0f), b(2.0f);
  EXPECT_EQ(sycl::select(a, b, true), b);
  EXPECT_EQ(sycl::select(a, b, false), a);
  EXPECT_EQ(sycl::bitselect(T(1.0f), T(-2.0f), T(-0.0f)), T(-1.0f));
  const sycl::vec<T, 2> v(a, a), w(b, b);
  const sycl::vec<T, 2> chosen = sycl::select(v, w, sycl::isless(v, sycl::vec<T, 2>(b, T(0.0f))));
  EXPECT_EQ(chosen[0], b);
  EXPECT_EQ(chosen[1], a);
  const sycl::marray<T, 2> m(a, a), n(b, b);
  const sycl::marray<T, 2> picked = sycl::select(m, n, sycl::marray<bool, 2>(false, true));
  EXPECT_EQ(picked[0], a);
  EXPECT_EQ(picked[1], b);
  const sycl::vec<T, 2> bits = sycl::bitselect(v, w, v.template swizzle<1, 0>());
  EXPECT_EQ(bits[0], sycl::bitselect(a, b, a));
  EXPECT_EQ(sycl::bitselect(m, n, m)[1], sycl::bitselect(a, b, a));
}

TEST(relations, select_and_bitselect_take_integers_of_either_sign) {
  EXPECT_EQ(sycl::select(1, 2, true), 2);
  EXPECT_EQ(sycl::bitselect(0x0fu, 0xf0u, 0xffu), 0xf0u);
  EXPECT_EQ(sycl::bitselect(short(0x0f), short(0xf0), short(0x3c)), short(0x33));
  EXPECT_EQ((sycl::bitselect<unsigned, unsigned, unsigned>(0x0fu, 0xf0u, 0xffu)), 0xf0u);
  EXPECT_EQ((sycl::bitselect<float, float, float>(1.0f, 2.0f, 0.0f)), 1.0f);
  const sycl::vec<std::int32_t, 2> a(1, 2), b(3, 4);
  const auto by_sign = sycl::select(a, b, sycl::vec<std::int32_t, 2>(1, -1));
  EXPECT_EQ(by_sign[0], 1);
  EXPECT_EQ(by_sign[1], 4);
  const auto by_bit = sycl::select(a, b, sycl::vec<std::uint32_t, 2>(0x80000000u, 0x7fffffffu));
  EXPECT_EQ(by_bit[0], 3);
  EXPECT_EQ(by_bit[1], 2);
}

TEST(relations, any_and_all_look_at_the_highest_bit) {
  const sycl::vec<std::int16_t, 3> none(1, 2, 3), some(1, -2, 3), every(-1, -2, -3);
  static_assert(std::is_same_v<decltype(sycl::any(none)), int>);
  EXPECT_EQ(sycl::any(none), 0);
  EXPECT_EQ(sycl::any(some), 1);
  EXPECT_EQ(sycl::all(some), 0);
  EXPECT_EQ(sycl::all(every), 1);
  EXPECT_EQ(sycl::all(some.swizzle<1, 1>()), 1);
  const sycl::marray<bool, 2> mixed(false, true), both(true, true);
  static_assert(std::is_same_v<decltype(sycl::any(mixed)), bool>);
  EXPECT_TRUE(sycl::any(mixed));
  EXPECT_FALSE(sycl::all(mixed));
  EXPECT_TRUE(sycl::all(both));
  EXPECT_TRUE(sycl::any(-1));
  EXPECT_FALSE(sycl::all(1));
  EXPECT_TRUE(sycl::any(sycl::marray<int, 2>(1, -1)));
}

}  // namespace
