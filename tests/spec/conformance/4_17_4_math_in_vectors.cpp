// SPDX-License-Identifier: Apache-2.0
// 4.17.4: math functions in loops of kernels, where the compiler may call forms of the functions for whole vectors.
// links: mpfr gmp
// options: -O3
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "math_oracle.hpp"

namespace {

using oracle::real;

template <class T, class Function>
std::vector<T> compute(const std::vector<T>& xs, const std::vector<T>& ys, Function function) {
  sycl::queue queue;
  const std::size_t count = xs.size();
  T* const memory = sycl::malloc_shared<T>(3 * count, queue);
  T *const x = memory, *const y = memory + count, *const out = memory + 2 * count;
  std::copy(xs.begin(), xs.end(), x);
  std::copy(ys.begin(), ys.end(), y);
  queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { out[i] = function(x[i], y[i]); })
      .wait();
  std::vector<T> results(out, out + count);
  sycl::free(memory, queue);
  return results;
}

template <class T, class Function, class Exact>
void check(const char* name, double limit, Function function, Exact exact, int steps = 3000) {
  const std::vector<T> xs = oracle::samples<T>(steps);
  std::vector<T> ys(xs.size());
  for (std::size_t i = 0; i < xs.size(); ++i) ys[i] = xs[(i + 3) % xs.size()];
  const std::vector<T> results = compute(xs, ys, function);
  oracle::expect_precise(
      name, results, limit,
      [&](std::size_t i, real& value) {
        real x(static_cast<double>(xs[i])), y(static_cast<double>(ys[i]));
        exact(value.get(), x.get(), y.get());
        return true;
      },
      [&](std::size_t i) { return oracle::shown(xs[i]) + ", " + oracle::shown(ys[i]); });
}

#define FUNCTIONS(F, T)               \
  F(acos, mpfr_acos, 4, T)            \
  F(acosh, mpfr_acosh, 4, T)          \
  F(acospi, mpfr_acospi, 5, T)        \
  F(asin, mpfr_asin, 4, T)            \
  F(asinh, mpfr_asinh, 4, T)          \
  F(asinpi, mpfr_asinpi, 5, T)        \
  F(atan, mpfr_atan, 5, T)            \
  F(atanh, mpfr_atanh, 5, T)          \
  F(atanpi, mpfr_atanpi, 5, T)        \
  F(cbrt, mpfr_cbrt, 2, T)            \
  F(ceil, oracle::exact_ceil, 0, T)   \
  F(cos, mpfr_cos, 4, T)              \
  F(cosh, mpfr_cosh, 4, T)            \
  F(cospi, mpfr_cospi, 4, T)          \
  F(erf, mpfr_erf, 16, T)             \
  F(erfc, mpfr_erfc, 16, T)           \
  F(exp, mpfr_exp, 3, T)              \
  F(exp10, oracle::exact_exp10, 3, T) \
  F(exp2, mpfr_exp2, 3, T)            \
  F(expm1, mpfr_expm1, 3, T)          \
  F(floor, oracle::exact_floor, 0, T) \
  F(log, mpfr_log, 3, T)              \
  F(log10, mpfr_log10, 3, T)          \
  F(log1p, mpfr_log1p, 2, T)          \
  F(log2, mpfr_log2, 3, T)            \
  F(rint, oracle::exact_rint, 0, T)   \
  F(round, oracle::exact_round, 0, T) \
  F(rsqrt, oracle::exact_rsqrt, 2, T) \
  F(sin, mpfr_sin, 4, T)              \
  F(sinh, mpfr_sinh, 4, T)            \
  F(sinpi, mpfr_sinpi, 4, T)          \
  F(sqrt, mpfr_sqrt, 0.5, T)          \
  F(tan, mpfr_tan, 5, T)              \
  F(tanh, mpfr_tanh, 5, T)            \
  F(tanpi, mpfr_tanpi, 6, T)          \
  F(trunc, oracle::exact_trunc, 0, T)

#define CHECK(name, exact, limit, T)                      \
  check<T>(                                               \
      #name, limit, [](T x, T) { return sycl::name(x); }, \
      [](mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr) { exact(r, x, MPFR_RNDN); });

#define BINARY_FUNCTIONS(F, T) \
  F(atan2, mpfr_atan2, 6, T)   \
  F(fmax, mpfr_max, 0, T)      \
  F(fmin, mpfr_min, 0, T)      \
  F(hypot, mpfr_hypot, 4, T)   \
  F(pow, mpfr_pow, 16, T)

#define CHECK_BINARY(name, exact, limit, T)                    \
  check<T>(                                                    \
      #name, limit, [](T x, T y) { return sycl::name(x, y); }, \
      [](mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr y) { exact(r, x, y, MPFR_RNDN); });

TEST(math_in_vectors, functions_of_float_are_as_precise_as_the_specification_asks){
    FUNCTIONS(CHECK, float) BINARY_FUNCTIONS(
        CHECK_BINARY, float)} TEST(math_in_vectors,
                                   functions_of_double_are_as_precise_as_the_specification_asks) {
  FUNCTIONS(CHECK, double)
  BINARY_FUNCTIONS(CHECK_BINARY, double)
}

}  // namespace
