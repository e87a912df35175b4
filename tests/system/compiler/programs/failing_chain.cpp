// SPDX-License-Identifier: Apache-2.0
// A recorded chain of kernels, long enough to go piece by piece, behind a host task that fails now and then: the
// kernels are skipped as a whole, and everybody hears of it once.
#include <stdexcept>

#include <sycl/sycl.hpp>

#include "print.hpp"

int main() {
  namespace graphs = sycl::ext::oneapi::experimental;
  constexpr std::size_t n = 60000;
  int reported = 0;
  sycl::queue q{[&](sycl::exception_list all) { reported += static_cast<int>(all.size()); }};
  sycl::buffer<unsigned> a{sycl::range<1>(n)}, b{sycl::range<1>(n)};
  const auto start = [&](unsigned value) {
    sycl::host_accessor x{a, sycl::write_only, sycl::no_init};
    sycl::host_accessor y{b, sycl::write_only, sycl::no_init};
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<unsigned>(i), y[i] = value;
  };
  start(7);
  bool fails = false;
  graphs::command_graph<graphs::graph_state::modifiable> g{q.get_context(), q.get_device()};
  g.begin_recording(q);
  q.submit([&](sycl::handler& h) {
    sycl::accessor x{a, h};
    h.host_task([x, &fails] {
      if (fails) throw std::runtime_error("no");
      x[0] += 1;
    });
  });
  for (int s = 0; s < 4; ++s) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor x{a, h}, y{b, h};
      h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { y[i] += 3 * x[i]; });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor x{a, h}, y{b, h};
      h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { x[i] ^= y[i] >> 2; });
    });
  }
  g.end_recording(q);
  auto executable = g.finalize();
  for (int replay = 0; replay < 40; ++replay) {
    fails = replay % 10 == 9;
    q.ext_oneapi_graph(executable);
    q.wait_and_throw();
    if (replay % 10 < 8) continue;
    std::printf("replay %d: %d reported\n", replay, reported);
    try {
      std::vector<unsigned> all;
      sycl::host_accessor x{a, sycl::read_only}, y{b, sycl::read_only};
      for (std::size_t i = 0; i < n; ++i) all.push_back(x[i]), all.push_back(y[i]);
      print("data", all);
    } catch (const sycl::exception& e) {
      std::printf("%s\n", e.what());
      start(static_cast<unsigned>(replay));
    }
  }
}
