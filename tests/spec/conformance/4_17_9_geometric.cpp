// SPDX-License-Identifier: Apache-2.0
// 4.17.9: geometric functions.
#include <cmath>
#include <limits>
#include <type_traits>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

namespace {

template <class T>
class geometric : public ::testing::Test {};
using floats = ::testing::Types<sycl::half, float, double>;
TYPED_TEST_SUITE(geometric, floats);

template <class T>
struct results {
  T dot, dot_of_scalars, length, length_of_scalar, distance, distance_of_scalars, normal_of_scalar;
  sycl::vec<T, 3> cross, normal;
  sycl::vec<T, 4> cross_of_four;
  sycl::marray<T, 3> marray_cross, marray_normal;
  T marray_dot, marray_length, marray_distance;
};

TYPED_TEST(geometric, functions_compute_what_the_specification_says) {
  using T = TypeParam;
  results<T> r;
  sycl::queue queue;
  {
    sycl::buffer<results<T>, 1> to(&r, sycl::range<1>(1));
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor out(to, handler, sycl::write_only, sycl::no_init);
      handler.single_task([=] {
        const sycl::vec<T, 3> a(T(1.0f), T(2.0f), T(2.0f)), b(T(4.0f), T(-5.0f), T(6.0f));
        const sycl::marray<T, 3> m(T(1.0f), T(2.0f), T(2.0f)), n(T(4.0f), T(-5.0f), T(6.0f));
        results<T>& o = out[0];
        o.dot = sycl::dot(a, b);
        o.dot_of_scalars = sycl::dot(T(3.0f), T(4.0f));
        o.length = sycl::length(a);
        o.length_of_scalar = sycl::length(T(-4.0f));
        o.distance = sycl::distance(a, sycl::vec<T, 3>(T(1.0f), T(5.0f), T(6.0f)));
        o.distance_of_scalars = sycl::distance(T(3.0f), T(5.0f));
        o.normal_of_scalar = sycl::normalize(T(-3.0f));
        o.cross = sycl::cross(a, b);
        o.normal = sycl::normalize(a);
        o.cross_of_four = sycl::cross(sycl::vec<T, 4>(T(1.0f), T(2.0f), T(2.0f), T(9.0f)),
                                      sycl::vec<T, 4>(T(4.0f), T(-5.0f), T(6.0f), T(9.0f)));
        o.marray_cross = sycl::cross(m, n);
        o.marray_normal = sycl::normalize(m);
        o.marray_dot = sycl::dot(m, n);
        o.marray_length = sycl::length(m);
        o.marray_distance = sycl::distance(m, m);
      });
    });
  }
  const double tolerance = 4 * (sizeof(T) == 2 ? 0x1p-11 : sizeof(T) == 4 ? 0x1p-24 : 0x1p-53);
  EXPECT_EQ(static_cast<double>(r.dot), 6);
  EXPECT_EQ(static_cast<double>(r.dot_of_scalars), 12);
  EXPECT_EQ(static_cast<double>(r.length), 3);
  EXPECT_EQ(static_cast<double>(r.length_of_scalar), 4);
  EXPECT_EQ(static_cast<double>(r.distance), 5);
  EXPECT_EQ(static_cast<double>(r.distance_of_scalars), 2);
  EXPECT_EQ(static_cast<double>(r.normal_of_scalar), -1);
  EXPECT_EQ(static_cast<double>(r.marray_dot), 6);
  EXPECT_EQ(static_cast<double>(r.marray_length), 3);
  EXPECT_EQ(static_cast<double>(r.marray_distance), 0);
  const double cross[] = {22, 2, -13}, normal[] = {1.0 / 3, 2.0 / 3, 2.0 / 3};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(static_cast<double>(r.cross[i]), cross[i]);
    EXPECT_EQ(static_cast<double>(r.cross_of_four[i]), cross[i]);
    EXPECT_EQ(static_cast<double>(r.marray_cross[i]), cross[i]);
    EXPECT_NEAR(static_cast<double>(r.normal[i]), normal[i], tolerance);
    EXPECT_NEAR(static_cast<double>(r.marray_normal[i]), normal[i], tolerance);
  }
  EXPECT_EQ(static_cast<double>(r.cross_of_four[3]), 0);
}

TYPED_TEST(geometric, lengths_neither_overflow_nor_vanish_on_the_way) {
  using T = TypeParam;
  using limits = std::numeric_limits<T>;
  const T large = T(static_cast<double>(limits::max()) / 8), small = limits::denorm_min();
  const sycl::vec<T, 2> a(T(3.0f) * large / T(1.0f), T(4.0f) * large),
      b(T(3.0f) * small, T(4.0f) * small);
  EXPECT_NEAR(static_cast<double>(sycl::length(a)) / static_cast<double>(large), 5, 0.02);
  EXPECT_EQ(static_cast<double>(sycl::length(b)) / static_cast<double>(small), 5);
  const sycl::vec<T, 2> of_large = sycl::normalize(a), of_small = sycl::normalize(b);
  EXPECT_NEAR(static_cast<double>(of_large[0]), 0.6, 0.001);
  EXPECT_NEAR(static_cast<double>(of_small[1]), 0.8, 0.001);
}

TYPED_TEST(geometric, normalize_keeps_zero_and_directions_of_infinity) {
  using T = TypeParam;
  const sycl::vec<T, 2> zero = sycl::normalize(sycl::vec<T, 2>(T(0.0f), T(-0.0f)));
  EXPECT_EQ(static_cast<double>(zero[0]), 0);
  EXPECT_TRUE(std::signbit(static_cast<double>(zero[1])));
  const T infinity = T(std::numeric_limits<float>::infinity());
  const sycl::vec<T, 3> endless = sycl::normalize(sycl::vec<T, 3>(-infinity, T(7.0f), infinity));
  EXPECT_NEAR(static_cast<double>(endless[0]), -std::sqrt(0.5), 0.001);
  EXPECT_EQ(static_cast<double>(endless[1]), 0);
  EXPECT_NEAR(static_cast<double>(endless[2]), std::sqrt(0.5), 0.001);
  EXPECT_TRUE(std::isnan(
      static_cast<double>(sycl::normalize(sycl::vec<T, 2>(sycl::sqrt(T(-1.0f)), T(1.0f)))[1])));
}

TEST(geometry, fast_functions_are_near_the_precise_ones) {
  float r[5] = {};
  sycl::queue queue;
  {
    sycl::buffer<float, 1> to(r, sycl::range<1>(5));
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor out(to, handler, sycl::write_only, sycl::no_init);
      handler.single_task([=] {
        const sycl::vec<float, 3> a(1.0f, 2.0f, 2.0f), b(1.0f, 5.0f, 6.0f);
        out[0] = sycl::fast_length(a);
        out[1] = sycl::fast_distance(a, b);
        out[2] = sycl::fast_normalize(a)[1];
        out[3] = sycl::fast_length(sycl::marray<float, 2>(3.0f, 4.0f));
        out[4] = sycl::fast_normalize(-3.0f);
      });
    });
  }
  EXPECT_NEAR(r[0], 3, 0.003);
  EXPECT_NEAR(r[1], 5, 0.005);
  EXPECT_NEAR(r[2], 0.6667, 0.001);
  EXPECT_NEAR(r[3], 5, 0.005);
  EXPECT_EQ(r[4], -1);
}

TEST(geometry, swizzles_count_as_the_vec_they_stand_for) {
  const sycl::vec<float, 4> v(1.0f, 2.0f, 3.0f, 4.0f);
  EXPECT_EQ(sycl::dot(v.swizzle<0, 1>(), v.swizzle<2, 3>()), 11.0f);
  EXPECT_EQ(sycl::dot(v.x(), v.y()), 2.0f);
  EXPECT_EQ(sycl::length(v.swizzle<2, 3>()), 5.0f);
  const sycl::vec<float, 3> c = sycl::cross(v.swizzle<0, 1, 2>(), v.swizzle<1, 2, 0>());
  EXPECT_EQ(c[0], 2.0f * 1.0f - 3.0f * 3.0f);
  static_assert(std::is_same_v<decltype(sycl::normalize(v.swizzle<0, 1>())), sycl::vec<float, 2>>);
}

TEST(geometry, functions_take_the_types_of_their_arguments_as_template_arguments) {
  using V = sycl::vec<float, 2>;
  EXPECT_EQ((sycl::dot<float, float>(2.0f, 3.0f)), 6.0f);
  EXPECT_EQ((sycl::distance<double, double>(2.0, 5.0)), 3.0);
  EXPECT_EQ(sycl::length<float>(-2.0f), 2.0f);
  EXPECT_EQ(sycl::normalize<double>(-2.0), -1.0);
  EXPECT_EQ((sycl::fast_distance<float, float>(2.0f, 5.0f)), 3.0f);
  EXPECT_EQ(sycl::fast_length<float>(-2.0f), 2.0f);
  EXPECT_EQ(sycl::fast_normalize<float>(-2.0f), -1.0f);
  EXPECT_EQ((sycl::dot<V, V>(V(1.0f, 2.0f), V(3.0f, 4.0f))), 11.0f);
  EXPECT_EQ(sycl::length<V>(V(3.0f, 4.0f)), 5.0f);
}

}  // namespace
