// SPDX-License-Identifier: Apache-2.0
// A graph of a product of matrices, a histogram and a sum, for what its file tells of them; the results are checked.
#include <cstdio>

#include <sycl/sycl.hpp>

int main() {
  namespace graphs = sycl::ext::oneapi::experimental;
  constexpr std::size_t n = 8, items = 1000, bins = 4;
  sycl::queue q;
  sycl::buffer<float, 2> a{{n, n}}, b{{n, n}}, c{{n, n}};
  sycl::buffer<int> counts{sycl::range<1>(bins)}, sum{sycl::range<1>(1)};
  for (auto* m : {&a, &b}) {
    sycl::host_accessor fill{*m, sycl::write_only, sycl::no_init};
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) fill[i][j] = static_cast<float>(i + j);
  }
  for (auto* v : {&counts, &sum}) {
    sycl::host_accessor zero{*v, sycl::write_only, sycl::no_init};
    for (int& i : zero) i = 0;
  }
  graphs::command_graph graph(q, graphs::property::graph::assume_buffer_outlives_graph{});
  graph.begin_recording(q);
  q.submit([&](sycl::handler& h) {
    sycl::accessor x{a, h, sycl::read_only}, y{b, h, sycl::read_only};
    sycl::accessor z{c, h, sycl::write_only, sycl::no_init};
    h.parallel_for(c.get_range(), [=](sycl::id<2> i) {
      float s = 0;
      for (std::size_t k = 0; k < n; ++k) s += x[i[0]][k] * y[k][i[1]];
      z[i] = s;
    });
  });
  q.submit([&](sycl::handler& h) {
    sycl::accessor bin{counts, h};
    h.parallel_for(sycl::range<2>(items / bins, bins), [=](sycl::id<2> i) {
      sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(bin[i[1]])
          .fetch_add(2);
    });
  });
  q.submit([&](sycl::handler& h) {
    h.parallel_for(sycl::range<1>(items), sycl::reduction(sum, h, sycl::maximum<int>()),
                   [=](sycl::id<1> i, auto& most) { most.combine(static_cast<int>(i[0])); });
  });
  graph.end_recording(q);
  auto made = graph.finalize();
  q.ext_oneapi_graph(made).wait();
  sycl::host_accessor product{c, sycl::read_only};
  sycl::host_accessor bin{counts, sycl::read_only}, most{sum, sycl::read_only};
  std::printf("%g %d %d\n", product[1][2], bin[3], most[0]);
}
