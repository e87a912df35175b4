// SPDX-License-Identifier: Apache-2.0
// Option prices by the formula of Black and Scholes, of scalars and of vectors by one template; std and sycl both used
// as namespaces, so that names of both meet.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include <CL/sycl.hpp>

using namespace std;
using namespace sycl;

template <typename T>
T normal_cdf(T x) {
  const T k = T(1.0f) / (T(1.0f) + T(0.2316419f) * sycl::fabs(x));
  const T poly = k * (T(0.319381530f) +
                      k * (T(-0.356563782f) +
                           k * (T(1.781477937f) + k * (T(-1.821255978f) + k * T(1.330274429f)))));
  const T tail = T(0.39894228f) * sycl::exp(T(-0.5f) * x * x) * poly;
  if constexpr (std::is_arithmetic_v<T>)
    return x < 0 ? tail : 1 - tail;
  else
    return select(T(1.0f) - tail, tail, x < T(0.0f));
}

template <typename T>
struct prices {
  T call, put;
};

template <typename T>
prices<T> black_scholes(T spot, T strike, T years, float rate, float volatility) {
  const T root = sycl::sqrt(years);
  const T d1 = (sycl::log(spot / strike) + (rate + 0.5f * volatility * volatility) * years) /
               (volatility * root);
  const T d2 = d1 - volatility * root;
  const T discounted = strike * sycl::exp(-rate * years);
  prices<T> result;
  result.call = spot * normal_cdf<T>(d1) - discounted * normal_cdf<T>(d2);
  result.put = result.call + discounted - spot;
  return result;
}

double exact_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

class vector_kernel;

int main() {
  constexpr size_t n = 1024;
  const float rate = 0.02f, volatility = 0.3f;
  std::vector<float> spot(n), strike(n), years(n), call(n), put(n), call4(n);
  for (size_t i = 0; i < n; ++i) {
    spot[i] = 5.0f + static_cast<float>(i % 26);
    strike[i] = 1.0f + static_cast<float>((i * 7) % 99);
    years[i] = 0.25f + static_cast<float>((i * 13) % 40) / 4.0f;
  }
  queue myQueue{default_selector{}};
  {
    // A pre-2020 command group beside one of SYCL 2020.
    cl::sycl::buffer<float, 1> spots(spot.data(), cl::sycl::range<1>(n));
    buffer strikes(strike.data(), range{n});
    buffer<float, 1> terms(years), calls(call.data(), n), puts(put.data(), n),
        calls4(call4.data(), n);
    myQueue.submit([&](cl::sycl::handler& cgh) {
      auto s = spots.get_access<cl::sycl::access::mode::read>(cgh);
      auto k = strikes.get_access<access::mode::read>(cgh);
      auto t = terms.get_access<access::mode::read>(cgh);
      auto c = calls.get_access<access::mode::discard_write>(cgh);
      auto p = puts.get_access<access::mode::write>(cgh);
      cgh.parallel_for<class scalar_kernel>(range<1>(n), [=](auto i) {
        const auto [one_call, one_put] = black_scholes<float>(s[i], k[i], t[i], rate, volatility);
        c[i] = max(one_call, 0.0f);
        p[i] = std::max(one_put, 0.0f);
      });
    });
    myQueue.submit([&](handler& cgh) {
      accessor s(spots, cgh, read_only), k(strikes, cgh, read_only), t(terms, cgh, read_only);
      accessor c(calls4, cgh, write_only, no_init);
      cgh.parallel_for<vector_kernel>(n / 4, [=](id<1> i) {
        float4 s4, k4, t4;
        s4.load(i, s.get_multi_ptr<access::decorated::no>());
        k4.load(i, k.get_multi_ptr<access::decorated::no>());
        t4.load(i, t.get_multi_ptr<access::decorated::no>());
        const auto result = black_scholes(s4, k4, t4, rate, volatility);
        fmax(result.call, 0.0f).store(i, c.get_multi_ptr<access::decorated::no>());
      });
    });
  }
  int wrong = 0;
  for (size_t i = 0; i < n; ++i) {
    const double v = volatility, root = std::sqrt(double{years[i]});
    const double d1 = (std::log(double{spot[i]} / strike[i]) + (rate + v * v / 2) * years[i]) /
                      (v * root),
                 d2 = d1 - v * root;
    const double discounted = strike[i] * std::exp(-double{rate} * years[i]);
    const double right = spot[i] * exact_cdf(d1) - discounted * exact_cdf(d2);
    if (std::abs(call[i] - right) > 1e-3 || std::abs(call4[i] - right) > 1e-3 ||
        std::abs(put[i] - (right + discounted - spot[i])) > 1e-3) {
      if (++wrong < 5)
        std::printf(
            "black_scholes: option %zu: call %g, of vectors %g, put %g; the call is worth %g\n", i,
            double{call[i]}, double{call4[i]}, double{put[i]}, right);
    }
  }
  return wrong ? 1 : 0;
}
