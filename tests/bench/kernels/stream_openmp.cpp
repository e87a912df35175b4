// SPDX-License-Identifier: Apache-2.0
#include "openmp.hpp"

namespace bench::openmp {

namespace {

struct stream {
  stream(stream_kernel which, std::size_t count)
      : kernel(which),
        n(count),
        a(make_array<double>(n)),
        b(make_array<double>(n)),
        c(make_array<double>(n)) {
    double *pa = a.get(), *pb = b.get(), *pc = c.get();
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < n; ++i) {
      pa[i] = stream_a;
      pb[i] = stream_b;
      pc[i] = stream_c;
    }
  }
  void step() {
    double* __restrict pa = a.get();
    double* __restrict pb = b.get();
    double* __restrict pc = c.get();
    const std::size_t count = n;
    switch (kernel) {
      case stream_kernel::copy:
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < count; ++i) pc[i] = pa[i];
        break;
      case stream_kernel::mul:
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < count; ++i) pb[i] = stream_scalar * pc[i];
        break;
      case stream_kernel::add:
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < count; ++i) pc[i] = pa[i] + pb[i];
        break;
      case stream_kernel::triad:
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < count; ++i) pa[i] = pb[i] + stream_scalar * pc[i];
        break;
      case stream_kernel::dot: {
        double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (std::size_t i = 0; i < count; ++i) sum += pa[i] * pb[i];
        dot = sum;
        break;
      }
    }
  }
  [[nodiscard]] double checksum() const {
    if (kernel == stream_kernel::dot) return rounded_dot(dot, n);
    return checksum_of(a.get(), n) + 3 * checksum_of(b.get(), n) + 7 * checksum_of(c.get(), n);
  }
  stream_kernel kernel;
  std::size_t n;
  array<double> a, b, c;
  double dot = 0;
};

}  // namespace

subject stream_usm(stream_kernel which, std::size_t n) {
  return repeated(std::make_shared<stream>(which, n));
}
subject stream_buffers(stream_kernel which, std::size_t n) { return stream_usm(which, n); }

}  // namespace bench::openmp
