// SPDX-License-Identifier: Apache-2.0
// arithmetic PROGRAM [REPLAYS]: records one kernel as a graph, replays it and prints the seconds of the fastest replay. What
// roofline.sh holds against what the compiler's facts predict. Compiled by pianolacc.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <sycl/sycl.hpp>

namespace {

namespace exp = sycl::ext::oneapi::experimental;
using buffer1 = sycl::buffer<float, 1>;
using buffer2 = sycl::buffer<float, 2>;

template <class Buffer>
void fill(Buffer& b) {
  sycl::host_accessor a(b, sycl::write_only, sycl::no_init);
  float x = 0.5F;
  for (float& f : a) f = x = x < 2.0F ? x * 1.01F : 0.5F;
}

// 2 n^3 operations on 12 n^2 bytes.
struct matrix_product {
  explicit matrix_product(std::size_t n) : n(n), a({n, n}), b({n, n}), c({n, n}) {
    fill(a), fill(b), fill(c);
  }
  void record(sycl::queue& q) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor x(a, h, sycl::read_only), y(b, h, sycl::read_only);
      sycl::accessor z(c, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::range<2>(n, n), [=, n = n](sycl::id<2> i) {
        float sum = 0;
        for (std::size_t k = 0; k < n; ++k) sum += x[i[0]][k] * y[k][i[1]];
        z[i] = sum;
      });
    });
  }
  std::size_t n;
  buffer2 a, b, c;
};

// 5 n^2 operations, one of them a division, on 12 n bytes.
struct bodies {
  explicit bodies(std::size_t n) : n(n), position(n), velocity(n) {
    fill(position), fill(velocity);
  }
  void record(sycl::queue& q) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor p(position, h, sycl::read_only);
      sycl::accessor v(velocity, h, sycl::read_write);
      h.parallel_for(n, [=, n = n](sycl::id<1> i) {
        const float own = p[i];
        float force = 0;
        for (std::size_t k = 0; k < n; ++k) {
          const float d = p[k] - own;
          force += d / (0.01F + d * d);
        }
        v[i] += 0.001F * force;
      });
    });
  }
  std::size_t n;
  buffer1 position, velocity;
};

// 200 operations on 8 bytes.
struct polynomial {
  explicit polynomial(std::size_t n) : n(n), x(n), y(n) { fill(x), fill(y); }
  void record(sycl::queue& q) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(x, h, sycl::read_only);
      sycl::accessor b(y, h, sycl::write_only, sycl::no_init);
      h.parallel_for(n, [=](sycl::id<1> i) {
        const float at = a[i];
        float sum = 1.0F;
        for (int k = 0; k < 100; ++k) sum = sum * at + 0.25F;
        b[i] = sum;
      });
    });
  }
  std::size_t n;
  buffer1 x, y;
};

// 2 operations on 12 bytes: the memory's part.
struct triad {
  explicit triad(std::size_t n) : n(n), x(n), y(n), z(n) { fill(x), fill(y), fill(z); }
  void record(sycl::queue& q) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(x, h, sycl::read_only), b(y, h, sycl::read_only);
      sycl::accessor c(z, h, sycl::write_only, sycl::no_init);
      h.parallel_for(n, [=](sycl::id<1> i) { c[i] = a[i] + 3.0F * b[i]; });
    });
  }
  std::size_t n;
  buffer1 x, y, z;
};

template <class Program>
int replay(std::size_t size, int replays) {
  sycl::queue q;
  Program program(size);
  exp::command_graph graph(q.get_context(), q.get_device(),
                           {exp::property::graph::assume_buffer_outlives_graph()});
  graph.begin_recording(q);
  program.record(q);
  graph.end_recording();
  auto executable = graph.finalize();
  double least = 1e9;
  for (int i = 0; i < replays; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    q.ext_oneapi_graph(executable);
    q.wait();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    least = std::min(least, took.count());
  }
  std::printf("%.9g\n", least);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::map<std::string, std::function<int(int)>> programs = {
      {"matrix-product-256", [](int n) { return replay<matrix_product>(256, n); }},
      {"matrix-product-512", [](int n) { return replay<matrix_product>(512, n); }},
      {"n-body-2000", [](int n) { return replay<bodies>(2000, n); }},
      {"n-body-8000", [](int n) { return replay<bodies>(8000, n); }},
      {"polynomial-1000000", [](int n) { return replay<polynomial>(1000000, n); }},
      {"triad-4000000", [](int n) { return replay<triad>(4000000, n); }}};
  const auto found = programs.find(count > 1 ? words[1] : "");
  if (found != programs.end()) return found->second(count > 2 ? std::atoi(words[2]) : 20);
  for (const auto& p : programs) std::printf("%s\n", p.first.c_str());
  return 2;
}
