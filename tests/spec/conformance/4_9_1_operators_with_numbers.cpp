// SPDX-License-Identifier: Apache-2.0
// 4.9.1: operators of ids and ranges with numbers of every type on either side, without ambiguity and without warnings.
// options: -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Wpedantic -Werror
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace {

template <class Index>
Index filled(std::size_t value) {
  if constexpr (Index::dimensions == 1)
    return Index(value);
  else if constexpr (Index::dimensions == 2)
    return Index(value, value);
  else
    return Index(value, value, value);
}

template <class Index, class Number>
void check() {
  const Index seven = filled<Index>(7);
  const Number two = Number{2};
  static_assert(std::is_same_v<decltype(seven + two), Index>);
  static_assert(std::is_same_v<decltype(two + seven), Index>);
  EXPECT_EQ(seven + two, filled<Index>(9));
  EXPECT_EQ(two + seven, filled<Index>(9));
  EXPECT_EQ(seven - two, filled<Index>(5));
  EXPECT_EQ(seven * two, filled<Index>(14));
  EXPECT_EQ(two * seven, filled<Index>(14));
  EXPECT_EQ(seven / two, filled<Index>(3));
  EXPECT_EQ(seven % two, filled<Index>(1));
  EXPECT_EQ(seven << two, filled<Index>(28));
  EXPECT_EQ(seven >> two, filled<Index>(1));
  EXPECT_EQ(seven & two, filled<Index>(2));
  EXPECT_EQ(seven | two, filled<Index>(7));
  EXPECT_EQ(seven ^ two, filled<Index>(5));
  EXPECT_EQ(seven > two, filled<Index>(1));
  EXPECT_EQ(two >= seven, filled<Index>(0));
  EXPECT_EQ(two < seven, filled<Index>(1));
  EXPECT_EQ(seven <= two, filled<Index>(0));
  EXPECT_EQ(seven && two, filled<Index>(1));
  EXPECT_EQ(two || seven, filled<Index>(1));
  EXPECT_TRUE(filled<Index>(2) == two);
  EXPECT_TRUE(two == filled<Index>(2));
  EXPECT_TRUE(seven != two);
  EXPECT_TRUE(two != seven);
  Index i = seven;
  i += two;
  i *= two;
  i -= two;
  i /= two;
  i %= two;
  EXPECT_EQ(i, filled<Index>(0));
}

template <class Index>
void check_numbers() {
  check<Index, char>();
  check<Index, signed char>();
  check<Index, unsigned char>();
  check<Index, short>();
  check<Index, unsigned short>();
  check<Index, int>();
  check<Index, unsigned>();
  check<Index, long>();
  check<Index, unsigned long>();
  check<Index, long long>();
  check<Index, unsigned long long>();
  check<Index, std::size_t>();
  check<Index, std::ptrdiff_t>();
  check<Index, std::uint64_t>();
}

TEST(operators, take_integers_of_every_type) {
  check_numbers<sycl::id<1>>();
  check_numbers<sycl::id<2>>();
  check_numbers<sycl::id<3>>();
  check_numbers<sycl::range<1>>();
  check_numbers<sycl::range<2>>();
  check_numbers<sycl::range<3>>();
}

// A negative number counts as the size_t that it converts to, so that sums come out right.
TEST(operators, take_negative_literals) {
  const sycl::id<1> i(5);
  EXPECT_EQ(i + -1, sycl::id<1>(4));
  EXPECT_EQ(-1 + i, sycl::id<1>(4));
  EXPECT_EQ(i - -1, sycl::id<1>(6));
  EXPECT_EQ(sycl::id<2>(3, 4) + -2, sycl::id<2>(1, 2));
  EXPECT_EQ(-3L + sycl::id<3>(3, 4, 5), sycl::id<3>(0, 1, 2));
  EXPECT_EQ(sycl::range<2>(3, 4) + -1, sycl::range<2>(2, 3));
  sycl::id<1> j = i;
  j += -5;
  EXPECT_EQ(j, 0);
  EXPECT_TRUE(j - 1 == -1);
}

enum plain { three = 3 };
TEST(operators, take_enumerators_without_scope) {
  EXPECT_EQ(sycl::id<1>(4) + three, sycl::id<1>(7));
  EXPECT_EQ(sycl::range<2>(4, 5) * three, sycl::range<2>(12, 15));
  EXPECT_TRUE(three == sycl::id<1>(3));
}

TEST(operators, of_ids_and_ranges_with_each_other) {
  EXPECT_EQ(sycl::range<2>(2, 3) * sycl::range<2>(4, 5), sycl::range<2>(8, 15));
  EXPECT_EQ(sycl::range<1>(12) / sycl::range<1>(5), sycl::range<1>(2));
  EXPECT_EQ(sycl::id<1>(2) * sycl::id<1>(4) + 1, sycl::id<1>(9));
  EXPECT_EQ((sycl::id<2>(2, 3) + sycl::id<2>(sycl::range<2>(1, 1))), sycl::id<2>(3, 4));
  const sycl::nd_range<2> space(sycl::range<2>(2, 3) * sycl::range<2>(4, 4), sycl::range<2>(2, 3));
  EXPECT_EQ(space.get_group_range(), sycl::range<2>(4, 4));
}

// What programs do with an id of one dimension: use it as the number that it is.
TEST(an_id_of_one_dimension, is_used_as_a_number) {
  const sycl::id<1> i(3);
  std::vector<int> data = {0, 10, 20, 30, 40};
  int* const p = data.data();
  EXPECT_EQ(p[i], 30);
  EXPECT_EQ(*(p + i), 30);
  EXPECT_EQ(data[i], 30);
  EXPECT_EQ(p[i + 1], 40);
  EXPECT_EQ(p[i - 1], 20);
  EXPECT_EQ(p[i % 2], 10);
  const std::size_t n = i;
  std::size_t m = 0;
  m = i;
  m += i;
  EXPECT_EQ(n * 2, m);
  EXPECT_EQ(static_cast<int>(i), 3);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
  EXPECT_EQ(i * 0.5, 1.5);
  EXPECT_EQ(1.0f + i, 4.0f);
  static_assert(std::is_same_v<decltype(i * 0.5), double>);
#pragma GCC diagnostic pop
  EXPECT_EQ(std::to_string(i), "3");
  const int count = 5, limit = 2;
  EXPECT_TRUE(i < count);
  EXPECT_TRUE(count > i);
  EXPECT_TRUE(i != limit);
  EXPECT_TRUE(i >= limit && i < count);
  EXPECT_TRUE(i == 3 || i == 4);
  EXPECT_FALSE(!i);
  EXPECT_EQ(i < count ? 1 : 2, 1);
  if (i > 0 && i < count - 1) {
    SUCCEED();
  } else {
    FAIL();
  }
  int steps = 0;
  for (sycl::id<1> k = 0; k < i; ++k) ++steps;
  for (std::size_t k = i; k < 5; ++k) ++steps;
  EXPECT_EQ(steps, 5);
  switch (i) {
    case 3:
      break;
    default:
      FAIL();
  }
}

TEST(an_id_of_one_dimension, comes_from_numbers_of_every_type) {
  const auto value = [](sycl::id<1> i) { return i[0]; };
  const auto size = [](sycl::range<1> r) { return r.size(); };
  EXPECT_EQ(value(4) + value(4u) + value(4L) + value(4ull) + value(short{4}), 20u);
  EXPECT_EQ(size(4) + size(4u) + size(4L) + size(4ull) + size(short{4}), 20u);
  const int n = 4;
  const sycl::id<1> braces{n};
  const sycl::range<1> range{n};
  EXPECT_EQ(braces, 4);
  EXPECT_EQ(range, 4);
  const sycl::id<1> copied = n;
  EXPECT_EQ(copied, braces);
  const sycl::id<1> of_range = range;
  EXPECT_EQ(of_range, braces);
}

TEST(an_item_of_one_dimension, is_used_as_a_number) {
  sycl::queue q;
  int* const data = sycl::malloc_shared<int>(16, q);
  const int count = 16;
  q.parallel_for(16, [=](sycl::item<1> i) {
     data[i] = 0;
     if (i < count && count > i) data[i] += 1;
     if (i % 2 == 0) data[i] += 10;
     const std::size_t n = i;
     if (i + 1 == n + 1 && i == n && i != count) data[i] += 100;
   }).wait();
  for (int i = 0; i < 16; ++i) EXPECT_EQ(data[i], i % 2 == 0 ? 111 : 101);
  sycl::free(data, q);
}

}  // namespace
