// SPDX-License-Identifier: Apache-2.0
// A recorded chain of kernels that each touch the element of their work-item alone. Where the compiler tells the
// runtime so, a thread need not wait for the others between two of them, and keeps its elements in its caches.
#include "usm.hpp"

namespace bench::PIANOLA_BENCH_SIDE {

namespace {

struct chain_state {
  explicit chain_state(std::size_t count)
      : n(count), a(queue, n), b(queue, n), c(queue, n), graph(record()) {}

  using executable = sycl::ext::oneapi::experimental::command_graph<
      sycl::ext::oneapi::experimental::graph_state::executable>;

  executable record() {
    namespace exp = sycl::ext::oneapi::experimental;
    a.fill([](std::size_t i) { return chain_value(i); });
    b.fill([](std::size_t i) { return chain_value(i + 1); });
    c.fill([](std::size_t i) { return chain_value(i + 2); });
    exp::command_graph<exp::graph_state::modifiable> g{queue};
    g.begin_recording(queue);
    const sycl::range<1> all(n);
    float *x = a.get(), *y = b.get(), *z = c.get();
    for (std::size_t s = 0; s < chain_steps; ++s) {
      queue.parallel_for(all, [=](sycl::id<1> i) { x[i] = 0.5F * (y[i] + z[i]); });
      queue.parallel_for(all, [=](sycl::id<1> i) { y[i] = 0.9F * y[i] + 0.1F * x[i]; });
      queue.parallel_for(all, [=](sycl::id<1> i) { z[i] = x[i] - 0.25F * y[i]; });
    }
    g.end_recording(queue);
    return g.finalize();
  }
  void step() { queue.ext_oneapi_graph(graph); }
  void wait() { queue.wait(); }
  double checksum() { return a.checksum() + 3 * b.checksum() + 7 * c.checksum(); }

  std::size_t n;
  sycl::queue queue{sycl::property::queue::in_order{}};
  device_array<float> a, b, c;
  executable graph;
};

}  // namespace

subject chain(std::size_t n) { return repeated(std::make_shared<chain_state>(n)); }

}  // namespace bench::PIANOLA_BENCH_SIDE
