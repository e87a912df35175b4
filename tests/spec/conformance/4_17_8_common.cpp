// SPDX-License-Identifier: Apache-2.0
// 4.17.8: common functions.
#include <cmath>
#include <limits>
#include <type_traits>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

namespace {

template <class T>
class common : public ::testing::Test {
 protected:
  /// Computes in a kernel.
  template <class Function>
  static double in_kernel(Function function) {
    double result = 0;
    sycl::queue queue;
    {
      sycl::buffer<double, 1> to(&result, sycl::range<1>(1));
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor out(to, handler, sycl::write_only, sycl::no_init);
        handler.single_task([=] { out[0] = static_cast<double>(function()); });
      });
    }
    return result;
  }
};
using floats = ::testing::Types<sycl::half, float, double>;
TYPED_TEST_SUITE(common, floats);

TYPED_TEST(common, functions_of_scalars_compute_what_the_specification_says) {
  using T = TypeParam;
  const double ulp = sizeof(T) == 2 ? 0x1p-10 : sizeof(T) == 4 ? 0x1p-23 : 0x1p-52;
  const T x(0.25f), y(0.75f), minus(-2.5f);
  EXPECT_EQ(this->in_kernel([=] { return sycl::max(x, y); }), 0.75);
  EXPECT_EQ(this->in_kernel([=] { return sycl::min(x, y); }), 0.25);
  EXPECT_EQ(this->in_kernel([=] { return sycl::clamp(minus, x, y); }), 0.25);
  EXPECT_EQ(this->in_kernel([=] { return sycl::clamp(T(9.0f), x, y); }), 0.75);
  EXPECT_NEAR(this->in_kernel([=] { return sycl::degrees(x); }), 0.25 * 180 / M_PI, 64 * ulp);
  EXPECT_NEAR(this->in_kernel([=] { return sycl::radians(T(90.0f)); }), M_PI / 2, 8 * ulp);
  EXPECT_EQ(this->in_kernel([=] { return sycl::mix(x, y, T(0.5f)); }), 0.5);
  EXPECT_EQ(this->in_kernel([=] { return sycl::step(x, y); }), 1);
  EXPECT_EQ(this->in_kernel([=] { return sycl::step(y, x); }), 0);
  EXPECT_EQ(this->in_kernel([=] { return sycl::step(x, x); }), 1);
  EXPECT_EQ(this->in_kernel([=] { return sycl::smoothstep(T(0.0f), T(1.0f), x); }), 0.15625);
  EXPECT_EQ(this->in_kernel([=] { return sycl::smoothstep(x, y, minus); }), 0);
  EXPECT_EQ(this->in_kernel([=] { return sycl::smoothstep(x, y, T(3.0f)); }), 1);
  EXPECT_EQ(this->in_kernel([=] { return sycl::sign(minus); }), -1);
  EXPECT_EQ(this->in_kernel([=] { return sycl::sign(y); }), 1);
  EXPECT_TRUE(std::signbit(this->in_kernel([=] { return sycl::sign(T(-0.0f)); })));
  EXPECT_EQ(this->in_kernel([=] { return sycl::sign(sycl::sqrt(T(-1.0f))); }), 0);
  EXPECT_EQ(this->in_kernel([=] { return sycl::abs(minus); }), 2.5);
  static_assert(std::is_same_v<decltype(sycl::mix(x, y, x)), T>);
  static_assert(std::is_same_v<decltype(sycl::degrees(x)), T>);
}

template <class X>
int wrong_elements(const X& x, const X& y) {
  using T = typename X::value_type;
  const T low(0.5f), high(2.0f), half(0.5f);
  int wrong = 0;
  const auto check = [&](const X& result, auto one) {
    for (int i = 0; i < 3; ++i) wrong += result[i] == one(T(x[i]), T(y[i])) ? 0 : 1;
  };
  check(sycl::max(x, y), [](T a, T b) { return sycl::max(a, b); });
  check(sycl::max(x, low), [=](T a, T) { return sycl::max(a, low); });
  check(sycl::min(x, y), [](T a, T b) { return sycl::min(a, b); });
  check(sycl::min(x, low), [=](T a, T) { return sycl::min(a, low); });
  check(sycl::clamp(x, low, high), [=](T a, T) { return sycl::clamp(a, low, high); });
  check(sycl::clamp(x, y, y), [](T, T b) { return b; });
  check(sycl::degrees(x), [](T a, T) { return sycl::degrees(a); });
  check(sycl::radians(x), [](T a, T) { return sycl::radians(a); });
  check(sycl::mix(x, y, half), [=](T a, T b) { return sycl::mix(a, b, half); });
  check(sycl::mix(x, y, x), [](T a, T b) { return sycl::mix(a, b, a); });
  check(sycl::step(x, y), [](T a, T b) { return sycl::step(a, b); });
  check(sycl::step(low, y), [=](T, T b) { return sycl::step(low, b); });
  check(sycl::smoothstep(low, high, x), [=](T a, T) { return sycl::smoothstep(low, high, a); });
  check(sycl::smoothstep(X(low), X(high), x),
        [=](T a, T) { return sycl::smoothstep(low, high, a); });
  check(sycl::sign(x), [](T a, T) { return sycl::sign(a); });
  check(sycl::abs(x), [](T a, T) { return sycl::abs(a); });
  return wrong;
}

TYPED_TEST(common, functions_of_vec_swizzle_and_marray_work_on_each_element) {
  using T = TypeParam;
  EXPECT_EQ(this->in_kernel([] {
    const sycl::vec<T, 3> v(T(-1.5f), T(0.75f), T(4.0f)), w(T(0.25f), T(1.0f), T(-2.0f));
    const sycl::marray<T, 3> m(T(-1.5f), T(0.75f), T(4.0f)), n(T(0.25f), T(1.0f), T(-2.0f));
    return wrong_elements(v, w) + wrong_elements(m, n);
  }),
            0);
  const sycl::vec<T, 2> v(T(1.0f), T(2.0f));
  const sycl::vec<T, 2> most = sycl::max(v.template swizzle<1, 0>(), v),
                        mixed = sycl::mix(v.template swizzle<1, 0>(), v, T(0.5f)),
                        bounded = sycl::clamp(v.template swizzle<1, 1>(), T(0.0f), T(1.5f));
  EXPECT_EQ(static_cast<float>(most[0]), 2.0f);
  EXPECT_EQ(static_cast<float>(mixed[0]), 1.5f);
  EXPECT_EQ(static_cast<float>(bounded[1]), 1.5f);
}

TYPED_TEST(common, functions_take_the_types_of_their_arguments_as_template_arguments) {
  using T = TypeParam;
  using V = sycl::vec<T, 2>;
  const T x(0.25f), y(0.75f), a(0.5f);
  EXPECT_TRUE((sycl::max<T, T>(x, y) == y && sycl::max<T>(x, y) == y));
  EXPECT_TRUE((sycl::min<T, T>(x, y) == x && sycl::min<T>(x, y) == x));
  EXPECT_TRUE((sycl::clamp<T, T, T>(a, x, y) == a && sycl::clamp<T>(a, x, y) == a));
  EXPECT_TRUE(sycl::degrees<T>(x) == sycl::degrees(x));
  EXPECT_TRUE(sycl::radians<T>(x) == sycl::radians(x));
  EXPECT_TRUE(sycl::sign<T>(y) == T(1.0f));
  EXPECT_TRUE((sycl::mix<T, T, T>(x, y, a) == a && sycl::mix<T, T>(x, y, a) == a));
  EXPECT_TRUE((sycl::step<T, T>(x, y) == T(1.0f) && sycl::step<T>(x, y) == T(1.0f)));
  EXPECT_TRUE((sycl::smoothstep<T, T, T>(x, y, a) == a && sycl::smoothstep<T>(x, y, a) == a));
  const V v(x, y), w(a);
  EXPECT_TRUE((sycl::max<V, V>(v, w)[0] == a && sycl::max<V>(v, a)[0] == a));
  EXPECT_TRUE((sycl::min<V, V>(v, w)[1] == a && sycl::min<V>(v, a)[1] == a));
  EXPECT_TRUE((sycl::clamp<V, V, V>(v, w, w)[0] == a && sycl::clamp<V>(v, a, a)[1] == a));
  EXPECT_TRUE((sycl::mix<V, V, V>(v, v, w)[0] == x && sycl::mix<V, V>(v, v, a)[0] == x));
  EXPECT_TRUE((sycl::step<V, V>(w, v)[0] == T(0.0f) && sycl::step<V>(a, v)[1] == T(1.0f)));
  EXPECT_TRUE((sycl::smoothstep<V, V, V>(V(x), V(y), w)[0] == a));
  EXPECT_TRUE((sycl::smoothstep<V>(x, y, w)[0] == a));
}

}  // namespace
