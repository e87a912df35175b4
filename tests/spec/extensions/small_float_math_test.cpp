// SPDX-License-Identifier: Apache-2.0
// sycl_ext_oneapi_bfloat16_math_functions and sycl_ext_oneapi_native_math.
// compiled alone: others have its short names, too.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace {

namespace oneapi = sycl::ext::oneapi;
namespace experimental = sycl::ext::oneapi::experimental;
using oneapi::bfloat16;

static_assert(SYCL_EXT_ONEAPI_BFLOAT16_MATH_FUNCTIONS == 1 && SYCL_EXT_ONEAPI_NATIVE_MATH == 1);
static_assert(std::is_same_v<decltype(experimental::fabs(bfloat16())), bfloat16>);
static_assert(std::is_same_v<decltype(experimental::isnan(bfloat16())), bool>);

template <class T>
std::vector<T> read(sycl::queue q, const T* data, std::size_t count) {
  std::vector<T> all(count);
  q.copy(data, all.data(), count).wait();
  return all;
}

constexpr int functions = 16;
float by_float(int function, float x) {
  switch (function) {
    case 0:
      return std::ceil(x);
    case 1:
      return std::cos(x);
    case 2:
      return std::exp(x);
    case 3:
      return std::pow(10.0F, x);
    case 4:
      return std::exp2(x);
    case 5:
      return std::fabs(x);
    case 6:
      return std::floor(x);
    case 7:
      return std::log(x);
    case 8:
      return std::log10(x);
    case 9:
      return std::log2(x);
    case 10:
      return std::rint(x);
    case 11:
      return 1 / std::sqrt(x);
    case 12:
      return std::sin(x);
    case 13:
      return std::sqrt(x);
    case 14:
      return std::tanh(x);
    default:
      return std::trunc(x);
  }
}
/// Of a bfloat16, or of an marray of them.
template <class X>
void by_extension(const X& x, X* out) {
  namespace e = experimental;
  const X results[functions] = {e::ceil(x),  e::cos(x),  e::exp(x),   e::exp10(x),
                                e::exp2(x),  e::fabs(x), e::floor(x), e::log(x),
                                e::log10(x), e::log2(x), e::rint(x),  e::rsqrt(x),
                                e::sin(x),   e::sqrt(x), e::tanh(x),  e::trunc(x)};
  for (int f = 0; f < functions; ++f) out[f] = results[f];
}

TEST(bfloat16_math, is_what_float_gives_rounded) {
  sycl::queue q;
  const std::vector<float> inputs{0.5F, 1.0F, 1.5F, 2.5F, -0.75F, -2.5F, 3.140625F, 10.0F, 0.0F};
  const std::size_t count = inputs.size();
  using pair = sycl::marray<bfloat16, 2>;
  auto* const in = sycl::malloc_device<float>(count, q);
  auto* const singles = sycl::malloc_device<bfloat16>(count * functions, q);
  auto* const pairs = sycl::malloc_device<pair>(count * functions, q);
  q.copy(inputs.data(), in, count).wait();
  q.parallel_for(count, [=](sycl::id<1> i) {
     const bfloat16 x(in[i]);
     by_extension(x, singles + i[0] * functions);
     pair both{};
     both[0] = x;
     both[1] = bfloat16(4.0F);
     by_extension(both, pairs + i[0] * functions);
   }).wait();
  const auto got = read(q, singles, count * functions);
  const auto got_pairs = read(q, pairs, count * functions);
  for (std::size_t i = 0; i < count; ++i)
    for (int f = 0; f < functions; ++f) {
      const std::size_t at = i * functions + static_cast<std::size_t>(f);
      const float right = by_float(f, inputs[i]);
      const float of_four = by_float(f, 4.0F);
      if (std::isnan(right)) {
        EXPECT_TRUE(experimental::isnan(got[at])) << f << " of " << inputs[i];
        EXPECT_TRUE(experimental::isnan(got_pairs[at][0])) << f << " of " << inputs[i];
      } else if (std::isinf(right)) {
        EXPECT_EQ(static_cast<float>(got[at]), right) << f << " of " << inputs[i];
      } else {
        // The function is off by a few units of float, so the last bit may be rounded otherwise.
        const float unit = std::fabs(right) / 128 + 1e-6F;
        EXPECT_NEAR(static_cast<float>(got[at]), right, unit) << f << " of " << inputs[i];
        EXPECT_EQ(static_cast<float>(got_pairs[at][0]), static_cast<float>(got[at]));
      }
      EXPECT_NEAR(static_cast<float>(got_pairs[at][1]), of_four, std::fabs(of_four) / 128 + 1e-6F);
    }
  sycl::free(in, q);
  sycl::free(singles, q);
  sycl::free(pairs, q);
}

TEST(bfloat16_math, minimum_and_maximum_pass_over_not_a_number) {
  sycl::queue q;
  auto* const out = sycl::malloc_device<float>(6, q);
  auto* const truths = sycl::malloc_device<int>(4, q);
  q.single_task([=] {
     namespace e = experimental;
     const bfloat16 one(1.0F), two(2.0F), nan = std::numeric_limits<bfloat16>::quiet_NaN();
     out[0] = e::fmin(one, two);
     out[1] = e::fmax(one, two);
     out[2] = e::fmin(nan, two);
     out[3] = e::fmax(one, nan);
     sycl::marray<bfloat16, 3> a(one), b(two);
     a[1] = nan;
     out[4] = e::fmax(a, b)[1];
     out[5] = e::fmin(a, b)[2];
     truths[0] = e::isnan(nan);
     truths[1] = e::isnan(one);
     truths[2] = e::isnan(a)[1];
     truths[3] = e::isnan(a)[0];
   }).wait();
  EXPECT_EQ(read(q, out, 6), (std::vector<float>{1, 2, 2, 1, 2, 1}));
  EXPECT_EQ(read(q, truths, 4), (std::vector<int>{1, 0, 1, 0}));
  sycl::free(out, q);
  sycl::free(truths, q);
}

TEST(bfloat16_math, fma_rounds_once) {
  sycl::queue q;
  auto* const out = sycl::malloc_device<float>(4, q);
  q.single_task([=] {
     const bfloat16 x(1.0078125F), less(-1.015625F), one(1.0F);
     // The product is not rounded: (1 + 2^-7)^2 is 1 + 2^-6 + 2^-14.
     out[0] = experimental::fma(x, x, less);
     out[1] = experimental::fma(sycl::marray<bfloat16, 2>(x), sycl::marray<bfloat16, 2>(x),
                                sycl::marray<bfloat16, 2>(less))[1];
     // Halfway between 1 and the next: to the even one.
     out[2] = experimental::fma(one, one, bfloat16(0x1p-8F));
     // 2 + 3/128 lies halfway, and what is added, too little for a double, says to which side.
     out[3] = experimental::fma(bfloat16(1.75F), bfloat16(1.15625F), bfloat16(-0x1p-70F));
   }).wait();
  EXPECT_EQ(read(q, out, 4), (std::vector<float>{0x1p-14F, 0x1p-14F, 1.0F, 2.015625F}));
  sycl::free(out, q);
}

TEST(native_math, is_near_to_the_function) {
  sycl::queue q;
  constexpr std::size_t count = 9;
  auto* const out = sycl::malloc_device<float>(8 * count, q);
  q.parallel_for(count, [=](sycl::id<1> i) {
     namespace native = experimental::native;
     const float x = static_cast<float>(i[0]) - 4;
     const sycl::half h(x);
     float* const o = out + i[0] * 8;
     o[0] = native::tanh(x);
     o[1] = native::tanh(h);
     o[2] = native::exp2(h);
     o[3] = native::tanh(sycl::float2(x, 0.0F))[0];
     o[4] = native::tanh(sycl::marray<sycl::half, 3>(h))[2];
     o[5] = native::exp2(sycl::vec<sycl::half, 4>(h))[3];
     o[6] = native::exp2(sycl::marray<sycl::half, 2>(h))[1];
     o[7] = native::tanh(sycl::half3(h))[1];
   }).wait();
  const auto got = read(q, out, 8 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const float x = static_cast<float>(i) - 4;
    for (const std::size_t k : {0, 1, 3, 4, 7}) EXPECT_NEAR(got[8 * i + k], std::tanh(x), 0.002F);
    for (const std::size_t k : {2, 5, 6})
      EXPECT_NEAR(got[8 * i + k], std::exp2(x), 0.002F * std::exp2(x));
  }
  sycl::free(out, q);
}

}  // namespace
