// SPDX-License-Identifier: Apache-2.0
// A recorded chain of kernels, element by element, with neighbours now and then; compared with a plain loop, for
// sizes and runs enough that parts run on several threads without waiting for each other.
#include <cstdio>
#include <vector>

#include <sycl/sycl.hpp>

int main() {
  namespace graphs = sycl::ext::oneapi::experimental;
  constexpr std::size_t n = 30000;
  constexpr int steps = 12, runs = 30;
  std::vector<unsigned> x(n), y(n), z(n);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = static_cast<unsigned>(i * i), y[i] = static_cast<unsigned>(i);
  sycl::queue q;
  sycl::buffer<unsigned> bx{sycl::range<1>(n)}, by{sycl::range<1>(n)}, bz{sycl::range<1>(n)};
  {
    sycl::host_accessor a{bx}, b{by}, c{bz};
    for (std::size_t i = 0; i < n; ++i) a[i] = x[i], b[i] = y[i], c[i] = z[i];
  }
  graphs::command_graph<graphs::graph_state::modifiable> g{q.get_context(), q.get_device()};
  g.begin_recording(q);
  for (int s = 0; s < steps; ++s) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor a{bx, h}, b{by, h};
      h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { a[i] = 3 * a[i] + b[i]; });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor a{bx, h}, b{by, h};
      h.parallel_for(sycl::range<1>(n), [=](sycl::item<1> i) {
        const int k = static_cast<int>(i.get_id(0));
        b[k] ^= a[k] >> 3;
      });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor a{by, h}, b{bz, h};
      h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { b[i] += 5 * a[i]; });
    });
    if (s % 4 == 3)
      q.submit([&](sycl::handler& h) {
        sycl::accessor a{bz, h}, b{bx, h};
        h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { b[i] += a[n - 1 - i[0]]; });
      });
  }
  g.end_recording(q);
  auto executable = g.finalize();
  for (int r = 0; r < runs; ++r) q.ext_oneapi_graph(executable);
  q.wait();

  for (int r = 0; r < runs; ++r)
    for (int s = 0; s < steps; ++s) {
      for (std::size_t i = 0; i < n; ++i) x[i] = 3 * x[i] + y[i];
      for (std::size_t i = 0; i < n; ++i) y[i] ^= x[i] >> 3;
      for (std::size_t i = 0; i < n; ++i) z[i] += 5 * y[i];
      if (s % 4 == 3)
        for (std::size_t i = 0; i < n; ++i) x[i] += z[n - 1 - i];
    }
  std::size_t wrong = 0;
  {
    sycl::host_accessor a{bx}, b{by}, c{bz};
    for (std::size_t i = 0; i < n; ++i) wrong += a[i] != x[i] || b[i] != y[i] || c[i] != z[i];
  }
  std::printf("%d wrong\n", static_cast<int>(wrong));
  return wrong == 0 ? 0 : 1;
}
