// SPDX-License-Identifier: Apache-2.0
// What mathematical functions should give, from MPFR, and how far a result is off.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <mpfr.h>

#include <sycl/sycl.hpp>

namespace oracle {

/// A number of MPFR, exact enough for every type tested.
class real {
 public:
  real() { mpfr_init2(value_, 160); }
  explicit real(double x) : real() { mpfr_set_d(value_, x, MPFR_RNDN); }
  ~real() { mpfr_clear(value_); }
  real(const real&) = delete;
  real& operator=(const real&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

template <class T>
struct format;
template <>
struct format<double> {
  static constexpr int digits = 53, smallest_exponent = -1074, largest_exponent = 1024;
};
template <>
struct format<float> {
  static constexpr int digits = 24, smallest_exponent = -149, largest_exponent = 128;
};
template <>
struct format<sycl::half> {
  static constexpr int digits = 11, smallest_exponent = -24, largest_exponent = 16;
};

/// Distance of `result` from `exact` in units of the last place that T has at `exact`; infinite where one is a
/// NaN or a zero and the other is not.
template <class T>
double error_in_ulps(T result, real& exact) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double r = static_cast<double>(result);
  if (mpfr_nan_p(exact.get())) return std::isnan(r) ? 0 : infinity;
  if (std::isnan(r)) return infinity;
  if (mpfr_inf_p(exact.get()))
    return std::isinf(r) && (r < 0) == (mpfr_sgn(exact.get()) < 0) ? 0 : infinity;
  if (mpfr_zero_p(exact.get())) return r == 0 ? 0 : infinity;
  // What overflows counts as the power of two behind the largest number.
  real got(r);
  if (std::isinf(r))
    mpfr_set_si_2exp(got.get(), r < 0 ? -1 : 1, format<T>::largest_exponent, MPFR_RNDN);
  mpfr_sub(got.get(), got.get(), exact.get(), MPFR_RNDN);
  // MPFR's mantissas are in [1/2, 1).
  long exponent = static_cast<long>(mpfr_get_exp(exact.get())) - format<T>::digits;
  if (exponent < format<T>::smallest_exponent) exponent = format<T>::smallest_exponent;
  if (mpfr_get_exp(exact.get()) > format<T>::largest_exponent) {
    if (std::isinf(r) && (r < 0) == (mpfr_sgn(exact.get()) < 0)) return 0;
    exponent = format<T>::largest_exponent - format<T>::digits;
  }
  mpfr_mul_2si(got.get(), got.get(), -exponent, MPFR_RNDN);
  return std::fabs(mpfr_get_d(got.get(), MPFR_RNDA));
}

/// Edges of the type, numbers of every magnitude, and many where functions are neither 0 nor infinite.
template <class T>
std::vector<T> samples(int count) {
  using limits = std::numeric_limits<T>;
  std::vector<T> all;
  const auto add = [&](double x) {
    all.push_back(static_cast<T>(x));
    all.push_back(static_cast<T>(-x));
  };
  for (double x : {0.0,
                   1.0,
                   0.5,
                   0.25,
                   0.75,
                   1.5,
                   2.0,
                   2.5,
                   3.0,
                   4.0,
                   10.0,
                   100.0,
                   0.1,
                   1e-3,
                   1.570796326794896619,
                   3.14159265358979323846,
                   0.785398163397448,
                   2.718281828459045,
                   22.0,
                   33.5,
                   80.0,
                   88.7,
                   89.0,
                   104.0,
                   170.6,
                   710.0,
                   745.5,
                   1000.0,
                   0x1p22,
                   0x1p23,
                   0x1p24,
                   0x1p52,
                   0x1p53})
    add(x);
  add(static_cast<double>(limits::denorm_min()));
  add(static_cast<double>(limits::min()));
  add(static_cast<double>(limits::min()) - static_cast<double>(limits::denorm_min()));
  add(static_cast<double>(limits::max()));
  add(static_cast<double>(limits::epsilon()));
  add(1 - static_cast<double>(limits::epsilon()) / 2);
  add(1 + static_cast<double>(limits::epsilon()));
  add(std::numeric_limits<double>::infinity());
  all.push_back(static_cast<T>(std::numeric_limits<double>::quiet_NaN()));
  std::mt19937_64 random(42);
  const auto uniform = [&](double low, double high) {
    all.push_back(static_cast<T>(std::uniform_real_distribution<double>(low, high)(random)));
  };
  const int range = format<T>::largest_exponent - format<T>::smallest_exponent;
  for (int i = 0; i < count; ++i) {
    uniform(-1, 1);
    uniform(-8, 8);
    uniform(-100, 100);
    const int exponent =
        static_cast<int>(random() % static_cast<unsigned>(range)) + format<T>::smallest_exponent;
    const double magnitude =
        std::ldexp(std::uniform_real_distribution<double>(1, 2)(random), exponent);
    all.push_back(static_cast<T>(random() % 2 != 0 ? magnitude : -magnitude));
  }
  return all;
}

inline std::vector<sycl::half> all_halves() {
  std::vector<sycl::half> all(65536);
  for (unsigned bits = 0; bits < 65536; ++bits)
    all[bits] = sycl::bit_cast<sycl::half>(static_cast<std::uint16_t>(bits));
  return all;
}

/// Limits in ulps, of float and double and of half.
struct unary {
  const char* name;
  int (*exact)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  double limit, limit_of_half;
  /// Arguments beyond are left out: MPFR takes ages.
  double domain = std::numeric_limits<double>::infinity();
};

inline int exact_ceil(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t) { return mpfr_ceil(r, x); }
inline int exact_floor(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t) { return mpfr_floor(r, x); }
inline int exact_round(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t) { return mpfr_round(r, x); }
inline int exact_trunc(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t) { return mpfr_trunc(r, x); }
inline int exact_rint(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t) { return mpfr_roundeven(r, x); }
inline int exact_fabs(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t mode) { return mpfr_abs(r, x, mode); }
inline int exact_logb(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t mode) {
  if (mpfr_nan_p(x)) {
    mpfr_set_nan(r);
  } else if (mpfr_inf_p(x) || mpfr_zero_p(x)) {
    mpfr_set_inf(r, mpfr_inf_p(x) ? 1 : -1);
  } else {
    mpfr_set_si(r, mpfr_get_exp(x) - 1, mode);
  }
  return 0;
}
inline int exact_rsqrt(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t mode) {
  // IEEE 754 has an infinity of either sign.
  if (mpfr_zero_p(x)) {
    mpfr_set_inf(r, mpfr_signbit(x) ? -1 : 1);
    return 0;
  }
  return mpfr_rec_sqrt(r, x, mode);
}
inline int exact_exp10(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t mode) {
  return mpfr_exp10(r, x, mode);
}
inline int exact_tgamma(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t mode) {
  return mpfr_gamma(r, x, mode);
}

template <class T>
std::string shown(T x) {
  std::ostringstream text;
  text << std::hexfloat << static_cast<double>(x) << " (" << std::defaultfloat
       << static_cast<double>(x) << ")";
  return text.str();
}

/// Expects every result within the limit of its exact value, and shows the worst.
template <class T, class Exact, class Arguments>
void expect_precise(const std::string& name, const std::vector<T>& results, double limit,
                    const Exact& exact, const Arguments& arguments) {
  double worst = 0;
  std::size_t where = 0;
  real value;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!exact(i, value)) continue;
    const double error = error_in_ulps(results[i], value);
    if (!(error <= worst)) {
      worst = error;
      where = i;
    }
  }
  ::testing::Test::RecordProperty((name + "_" + std::to_string(8 * sizeof(T))).c_str(),
                                  std::to_string(worst).c_str());
  if (worst <= limit) return;
  exact(where, value);
  ADD_FAILURE() << name << " of " << 8 * sizeof(T) << " bits is " << worst << " ulps off (" << limit
                << " allowed): of " << arguments(where) << " it gives " << shown(results[where])
                << ", not " << mpfr_get_d(value.get(), MPFR_RNDN);
}

}  // namespace oracle
