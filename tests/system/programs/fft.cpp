// SPDX-License-Identifier: Apache-2.0
// The discrete Fourier transform, forth and back: complex numbers as marray, the direction as a specialization
// constant, the kernel taken from a bundle; checked against std::complex.
#include <sycl/sycl.hpp>

#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

namespace s = sycl;
using complex = s::marray<float, 2>;

inline complex multiply(const complex& a, const complex& b) {
  return {a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]};
}

constexpr s::specialization_id<int> direction{1};
constexpr s::specialization_id<float> scale(1.0f);

class pass_name;

/// One pass of the algorithm of Stockham, which needs no reordering.
s::event pass(s::queue& q, const s::kernel_bundle<s::bundle_state::executable>& bundle,
              const complex* in, complex* out, unsigned n, unsigned half_block, s::event before) {
  return q.submit([=](s::handler& h) {
    h.use_kernel_bundle(bundle);
    h.depends_on(before);
    h.parallel_for<pass_name>(s::range<1>{n / 2}, [=](s::id<1> it, s::kernel_handler kh) {
      const auto i = static_cast<unsigned>(it[0]);
      const unsigned k = i % half_block;
      const float angle = -static_cast<float>(kh.get_specialization_constant<direction>()) *
                          static_cast<float>(k) / static_cast<float>(half_block);
      const complex a = in[i];
      const complex b = multiply(in[i + n / 2], complex{s::cospi(angle), s::sinpi(angle)});
      const unsigned to = (i - k) * 2 + k;
      const float factor = kh.get_specialization_constant<scale>();
      out[to] = factor * (a + b);
      out[to + half_block] = (a - b) * factor;
    });
  });
}

s::event transform(s::queue& q, complex*& data, complex*& other, unsigned n, bool forward) {
  auto input = s::get_kernel_bundle<pass_name, s::bundle_state::input>(q.get_context());
  input.set_specialization_constant<direction>(forward ? 1 : -1);
  if (!forward) input.set_specialization_constant<scale>(0.5f);
  const auto bundle = s::build(input);
  s::event last;
  for (unsigned half_block = 1; half_block < n; half_block *= 2) {
    last = pass(q, bundle, data, other, n, half_block, last);
    std::swap(data, other);
  }
  return last;
}

int main() {
  constexpr unsigned n = 256;
  s::queue q;
  complex* a = s::aligned_alloc_shared<complex>(64, n, q);
  complex* b = s::malloc<complex>(n, q, s::usm::alloc::shared);
  std::vector<std::complex<float>> original(n);
  for (unsigned i = 0; i < n; ++i) {
    original[i] = {std::sin(static_cast<float>(i * i % 31)), static_cast<float>(i % 5) - 2};
    a[i] = {original[i].real(), original[i].imag()};
  }
  transform(q, a, b, n, true).wait();
  double worst = 0;
  for (unsigned k = 0; k < n; ++k) {
    std::complex<double> sum = 0;
    for (unsigned i = 0; i < n; ++i)
      sum += std::complex<double>(original[i]) *
             std::polar(1.0, -2 * 3.14159265358979323846 * (k * i % n) / n);
    worst = std::max(worst, std::abs(sum - std::complex<double>(a[k][0], a[k][1])));
  }
  transform(q, a, b, n, false).wait();
  double worst_back = 0;
  for (unsigned i = 0; i < n; ++i)
    worst_back =
        std::max<double>(worst_back, std::abs(original[i] - std::complex<float>(a[i][0], a[i][1])));
  s::free(a, q);
  s::free(b, q);
  if (worst < 1e-3 && worst_back < 1e-4) return 0;
  std::printf("fft: off by %g, and back by %g\n", worst, worst_back);
  return 1;
}
