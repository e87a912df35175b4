// SPDX-License-Identifier: Apache-2.0
// std::complex in kernels: its arithmetic, abs, arg, norm, conj, polar and exp. Beyond SYCL, which promises nothing of
// the standard library.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <cmath>
#include <complex>
#include <limits>
#include <string>

namespace {

constexpr int results = 13;

template <class T>
void calculate(std::complex<T>* r, std::complex<T> a, std::complex<T> b) {
  r[0] = a + b;
  r[1] = a - b;
  r[2] = a * b;
  r[3] = a / b;
  r[4] = b / a;
  r[5] = std::conj(a);
  r[6] = {std::norm(a), a.real() - b.imag()};
  r[7] = {std::abs(a), std::arg(b)};
  r[8] = std::polar(T(2), T(0.5));
  r[9] = std::exp(a);
  r[10] = T(2) * a / T(3);
  r[11] = -a * std::conj(b) + T(1);
  r[12] = {T(a == b), T(a != b)};
}

template <class T>
class complex_in_kernels : public testing::Test {
 protected:
  using number = std::complex<T>;
  void SetUp() override {
    if (sizeof(T) == 8 && !q.get_device().has(sycl::aspect::fp64)) GTEST_SKIP() << "no double";
    values = sycl::malloc_shared<number>(results, q);
  }
  void TearDown() override { sycl::free(values, q); }

  /// What a device makes of two numbers.
  number product(number a, number b) {
    number* const v = values;
    v[0] = a;
    v[1] = b;
    q.single_task([=] { v[2] = v[0] * v[1]; }).wait();
    return v[2];
  }
  number quotient(number a, number b) {
    number* const v = values;
    v[0] = a;
    v[1] = b;
    q.single_task([=] { v[2] = v[0] / v[1]; }).wait();
    return v[2];
  }

  static constexpr T infinity = std::numeric_limits<T>::infinity();
  static constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  sycl::queue q;
  number* values = nullptr;
};

class names {
 public:
  template <class T>
  static std::string GetName(int) {
    return sizeof(T) == 4 ? "float" : "double";
  }
};
using numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(complex_in_kernels, numbers, names);

TYPED_TEST(complex_in_kernels, give_what_they_give_on_the_host) {
  using T = TypeParam;
  const std::complex<T> a(T(1.5), T(-2)), b(T(0.25), T(3));
  auto* const r = this->values;
  this->q.single_task([=] { calculate(r, a, b); }).wait();
  std::complex<T> expected[results];
  calculate(expected, a, b);
  for (int i = 0; i < results; ++i)
    EXPECT_LE(std::abs(r[i] - expected[i]),
              16 * std::numeric_limits<T>::epsilon() * std::abs(expected[i]))
        << i;
}

template <class Number>
bool is_infinite(const Number& n) {
  return std::isinf(n.real()) || std::isinf(n.imag());
}

TYPED_TEST(complex_in_kernels, keep_infinities_where_a_part_is_no_number) {
  const auto inf = this->infinity, nan = this->nan;
  EXPECT_TRUE(is_infinite(this->product({inf, nan}, {2, 3})));
  EXPECT_TRUE(is_infinite(this->product({2, 3}, {nan, -inf})));
  EXPECT_TRUE(is_infinite(this->product({inf, inf}, {inf, nan})));
  EXPECT_TRUE(is_infinite(this->quotient({inf, nan}, {2, 3})));
  EXPECT_TRUE(is_infinite(this->quotient({1, 1}, {0, 0})));
  EXPECT_EQ(std::abs(this->quotient({2, 3}, {inf, nan})), 0);
  EXPECT_EQ(std::abs(this->quotient({2, 3}, {inf, inf})), 0);
  EXPECT_FALSE(is_infinite(this->product({nan, 1}, {2, 3})));
  EXPECT_FALSE(is_infinite(this->quotient({nan, nan}, {2, 3})));
}

TYPED_TEST(complex_in_kernels, divide_by_numbers_whose_square_is_out_of_range) {
  using T = TypeParam;
  const T large = std::numeric_limits<T>::max() / 4, small = std::numeric_limits<T>::min() * 4;
  EXPECT_EQ(this->quotient({large, 0}, {large, 0}), std::complex<T>(1));
  EXPECT_EQ(this->quotient({0, large}, {0, large}), std::complex<T>(1));
  EXPECT_EQ(this->quotient({small, small}, {small, small}), std::complex<T>(1));
}

// sycl_ext_oneapi_complex_algorithms.
TYPED_TEST(complex_in_kernels, are_added_up_by_groups) {
  using T = TypeParam;
  using number = std::complex<T>;
  static_assert(sycl::has_known_identity_v<sycl::plus<>, number> &&
                sycl::has_known_identity_v<sycl::plus<number>, number> &&
                !sycl::has_known_identity_v<sycl::multiplies<>, number>);
  EXPECT_EQ((sycl::known_identity_v<sycl::plus<>, number>), number());
  constexpr int size = 32;
  number* const in = sycl::malloc_shared<number>(size, this->q);
  number* const out = sycl::malloc_shared<number>(3 * size + 1, this->q);
  for (int i = 0; i < size; ++i) in[i] = number(T(i), T(1));
  out[3 * size] = number(T(1), T(0));
  this->q
      .parallel_for(sycl::nd_range<1>(size, size),
                    [=](sycl::nd_item<1> it) {
                      const auto g = it.get_group();
                      const std::size_t l = it.get_local_id(0);
                      out[l] = sycl::exclusive_scan_over_group(g, in[l], sycl::plus<>());
                      out[size + l] = sycl::reduce_over_group(g, in[l], sycl::plus<number>());
                      sycl::joint_inclusive_scan(g, in, in + size, out + 2 * size, sycl::plus<>());
                    })
      .wait();
  this->q
      .parallel_for(sycl::range<1>(size), sycl::reduction(out + 3 * size, sycl::plus<>()),
                    [=](sycl::id<1> i, auto& sum) { sum += in[i]; })
      .wait();
  number sum;
  for (int i = 0; i < size; ++i) {
    EXPECT_EQ(out[i], sum) << i;
    sum += in[i];
    EXPECT_EQ(out[2 * size + i], sum) << i;
    EXPECT_EQ(out[size + i], number(T(496), T(32))) << i;
  }
  EXPECT_EQ(out[3 * size], sum + T(1));
  sycl::free(in, this->q);
  sycl::free(out, this->q);
}

}  // namespace
