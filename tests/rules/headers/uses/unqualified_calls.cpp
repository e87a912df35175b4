// SPDX-License-Identifier: Apache-2.0
// After `using namespace sycl` a program's calls of mathematical functions mean one function, whichever headers of the C
// and C++ libraries are there, and functions of the program go before ours.
// also with: -DWITH_MATH_H
// also with: -DWITH_STD
// also with: -DWITH_MATH_H -DWITH_STD
// also with: -ffast-math
#include <sycl/sycl.hpp>
#if defined(WITH_MATH_H)
#include <math.h>
#include <stdlib.h>
#endif
#include <algorithm>
#include <cstddef>
#include <type_traits>

using namespace sycl;
#if defined(WITH_STD)
using namespace std;
#endif

#define IS(type, ...) static_assert(std::is_same_v<type, std::decay_t<decltype(__VA_ARGS__)>>)

struct converts {
  operator float() const { return 2.0F; }
};

void calls(double d, float f, int i, half h, std::size_t n, converts c, vec<float, 2> v,
           vec<float, 1> one) {
#define ONE(name)      \
  IS(double, name(d)); \
  IS(float, name(f));  \
  IS(half, name(h));   \
  IS(vec<float COMMA 2>, name(v))
#define COMMA ,
  ONE(fabs);
  ONE(sqrt);
  ONE(exp);
  ONE(log);
  ONE(sin);
  ONE(cos);
  ONE(tan);
  ONE(floor);
  ONE(ceil);
  ONE(trunc);
  ONE(round);
  ONE(rint);
  ONE(cbrt);
  ONE(erf);
  ONE(lgamma);
  ONE(tgamma);
  ONE(log1p);
  ONE(expm1);
  ONE(exp2);
  ONE(exp10);
  ONE(acos);
  ONE(atan);
  ONE(acosh);
  ONE(logb);
  ONE(log2);
  ONE(log10);
  ONE(abs);
  ONE(rsqrt);
  IS(double, sqrt(i));
  IS(float, sqrt(c));
#define TWO(name)         \
  IS(double, name(d, d)); \
  IS(float, name(f, f));  \
  IS(half, name(h, h));   \
  IS(double, name(d, i)); \
  IS(double, name(f, d)); \
  IS(vec<float COMMA 2>, name(v, v))
  TWO(pow);
  TWO(fmax);
  TWO(fmin);
  TWO(fmod);
  TWO(atan2);
  TWO(hypot);
  TWO(copysign);
  TWO(fdim);
  TWO(nextafter);
  TWO(remainder);
#if !defined(WITH_MATH_H) && !defined(WITH_STD)  // else std::pow, which gives double
  IS(float, pow(f, i));
#endif
  IS(float, sycl::pow(f, i));
  IS(double, sycl::pow(d, i));
  IS(float, sycl::pow(c, f));
  IS(float, sycl::pow(c, c));
  IS(double, fma(d, d, d));
  IS(float, fma(f, f, f));
  IS(double, ldexp(d, 2));
  IS(float, ldexp(f, 2));
  IS(float, sycl::ldexp(c, 2));
  IS(int, ilogb(d));
  IS(bool, isnan(f));
  IS(bool, isnan(h));
  IS(int, abs(i));

  IS(std::size_t, max<std::size_t>(n, i));
  IS(std::size_t, sycl::max<std::size_t>(n, i));
  IS(float, max<float>(f, i));
  IS(float, max<float>(d, d));
  IS(double, sycl::max<double>(f, f));
  IS(float, sycl::max<float COMMA float>(f, f));
  IS(float, min(f, f));
  IS(int, min(i, i));
  IS(half, sycl::clamp<half>(h, 0, 1));
  IS(float, sycl::max(f, i));
  IS(vec<float COMMA 1>, sycl::fmax(one, f));
  IS(vec<float COMMA 1>, sycl::max(one, f));
  IS(vec<float COMMA 1>, sycl::mix(one, one, f));
  IS(vec<float COMMA 1>, sycl::step(f, one));
  IS(float, sycl::pow(one, f));
  float (*address)(float) = sycl::sqrt;
  (void)address;
  (void)(i + n);
}

// A program's own functions of the same names.
namespace mine {
struct own {};
}  // namespace mine
template <class T>
mine::own clamp(T, T, T) {
  return {};
}
template <class T>
mine::own dot(T, T) {
  return {};
}
mine::own distance(float, float) { return {}; }
template <class T>
mine::own mix(const T&, const T&, const T&) {
  return {};
}
template <class T>
mine::own popcount(T) {
  return {};
}

void calls_of_own(half h, float f, int i) {
  IS(mine::own, ::clamp<half>(h, 0, 1));
  IS(mine::own, mix(f, f, f));
  IS(mine::own, dot(i, i));
  IS(mine::own, dot(f, f));
  IS(mine::own, distance(f, f));
#if !defined(WITH_STD)
  IS(mine::own, clamp<half>(h, 0, 1));
  IS(mine::own, clamp<float>(f, 0, 1));
  IS(mine::own, clamp(i, 0, 1));
  IS(mine::own, clamp(f, 0.0F, 1.0F));
#if __cplusplus < 202002L
  IS(mine::own, popcount(1U));
#endif
#endif
  (void)(i + f + h);
}

int main() {}
