// SPDX-License-Identifier: Apache-2.0
// 4.17.6 half precision and 4.17.5 native precision math functions, against MPFR.
// also tests: 4.17.5
// links: mpfr gmp
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "math_oracle.hpp"

namespace {

using oracle::real;

int exact_recip(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t mode) { return mpfr_ui_div(r, 1, x, mode); }

#define UNARY_FUNCTIONS(F)      \
  F(cos, mpfr_cos)              \
  F(exp, mpfr_exp)              \
  F(exp2, mpfr_exp2)            \
  F(exp10, oracle::exact_exp10) \
  F(log, mpfr_log)              \
  F(log2, mpfr_log2)            \
  F(log10, mpfr_log10)          \
  F(recip, exact_recip)         \
  F(rsqrt, oracle::exact_rsqrt) \
  F(sin, mpfr_sin)              \
  F(sqrt, mpfr_sqrt)            \
  F(tan, mpfr_tan)

enum code {
#define CODE(name, exact) code_##name,
  UNARY_FUNCTIONS(CODE)
#undef CODE
      code_divide,
  code_powr
};

struct half_precision {
  static float compute(int code, float x, float y) {
    switch (code) {
#define CASE(name, exact) \
  case code_##name:       \
    return sycl::half_precision::name(x);
      UNARY_FUNCTIONS(CASE)
#undef CASE
      case code_divide:
        return sycl::half_precision::divide(x, y);
      default:
        return sycl::half_precision::powr(x, y);
    }
  }
};

struct native {
  static float compute(int code, float x, float y) {
    switch (code) {
#define CASE(name, exact) \
  case code_##name:       \
    return sycl::native::name(x);
      UNARY_FUNCTIONS(CASE)
#undef CASE
      case code_divide:
        return sycl::native::divide(x, y);
      default:
        return sycl::native::powr(x, y);
    }
  }
};

/// From 2^-10 to 2^10: native functions promise nothing, but no device is far off there.
template <class Functions>
void stay_near_the_exact_values() {
  static constexpr struct {
    const char* name;
    int (*exact)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  } table[] = {
#define ROW(name, exact) {#name, exact},
      UNARY_FUNCTIONS(ROW)
#undef ROW
          {"divide", nullptr},
      {"powr", nullptr},
  };
  std::vector<float> xs, ys;
  for (int i = 0; i < 400; ++i) {
    xs.push_back(std::exp2(static_cast<float>(i) / 40 - 5));
    ys.push_back(static_cast<float>(i % 17) / 4 - 2.1F);
  }
  for (int code = 0; code < static_cast<int>(std::size(table)); ++code) {
    std::vector<float> results(xs.size());
    {
      sycl::queue queue;
      const sycl::range<1> size(xs.size());
      sycl::buffer<float, 1> from_x(xs.data(), size), from_y(ys.data(), size),
          to(results.data(), size);
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor x(from_x, handler, sycl::read_only), y(from_y, handler, sycl::read_only);
        sycl::accessor out(to, handler, sycl::write_only, sycl::no_init);
        handler.parallel_for(size,
                             [=](sycl::id<1> i) { out[i] = Functions::compute(code, x[i], y[i]); });
      });
    }
    oracle::expect_precise(
        table[code].name, results, 8192,
        [&](std::size_t i, real& value) {
          real x(xs[i]), y(ys[i]);
          if (code == code_divide) {
            mpfr_div(value.get(), x.get(), y.get(), MPFR_RNDN);
          } else if (code == code_powr) {
            mpfr_powr(value.get(), x.get(), y.get(), MPFR_RNDN);
          } else {
            table[code].exact(value.get(), x.get(), MPFR_RNDN);
          }
          return true;
        },
        [&](std::size_t i) { return oracle::shown(xs[i]) + ", " + oracle::shown(ys[i]); });
  }
}

TEST(half_precision, functions_are_within_8192_ulps) {
  stay_near_the_exact_values<half_precision>();
}
TEST(native, functions_are_near_the_exact_values) { stay_near_the_exact_values<native>(); }

TEST(native, functions_work_on_each_element_of_vec_swizzle_and_marray) {
  const sycl::vec<float, 2> v(0.25f, 0.5f);
  const sycl::vec<float, 2> s = sycl::native::sin(v),
                            d = sycl::half_precision::divide(v, v.swizzle<1, 0>());
  EXPECT_EQ(s[1], sycl::native::sin(0.5f));
  EXPECT_EQ(d[0], 0.5f);
  EXPECT_EQ(d[1], 2.0f);
  const sycl::marray<float, 3> m(1.0f, 4.0f, 16.0f);
  const sycl::marray<float, 3> r = sycl::native::sqrt(m), p = sycl::half_precision::powr(m, m);
  EXPECT_EQ(r[2], 4.0f);
  EXPECT_EQ(p[1], 256.0f);
}

}  // namespace
