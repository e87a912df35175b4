// SPDX-License-Identifier: Apache-2.0
// Programs recorded for one queue, whose kernels run in parts on all devices of the context: prints for each whether the
// bytes are those of the same commands submitted eagerly to one device, and the bytes that a replay moves between devices once
// the data has been spread. PIANOLA_LOG=info tells how many commands were cut.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include <pianola/runtime/statistics.hpp>

#include <sycl/sycl.hpp>

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
using sycl::ext::pianola::property::graph::place;
using sycl::ext::pianola::property::graph::split;

constexpr std::size_t n = 96;

std::vector<float> some_numbers(std::size_t count) {
  std::vector<float> v(count);
  for (std::size_t i = 0; i < count; ++i)
    v[i] = static_cast<float>((i * 2654435761U >> 8) % 1000) / 997.0F;
  return v;
}

// Two steps, from a to b and back.
struct heat {
  static constexpr const char* name = "heat";
  std::vector<float> in = some_numbers(n * n);
  sycl::buffer<float, 2> a{in.data(), {n, n}}, b{{n, n}};

  static void step(sycl::queue& q, sycl::buffer<float, 2>& from, sycl::buffer<float, 2>& to) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor x(from, h, sycl::read_only);
      sycl::accessor y(to, h, sycl::write_only);
      h.parallel_for(sycl::range<2>(n, n), [=](sycl::id<2> i) {
        const std::size_t r = i[0], c = i[1];
        if (r > 0 && r < n - 1 && c > 0 && c < n - 1)
          y[r][c] = 0.25F * (x[r - 1][c] + x[r + 1][c] + x[r][c - 1] + x[r][c + 1]);
        else
          y[r][c] = x[r][c];
      });
    });
  }
  void submit(sycl::queue& q) {
    step(q, a, b);
    step(q, b, a);
  }
  std::vector<float> result() {
    sycl::host_accessor r(a, sycl::read_only);
    return {&r[0][0], &r[0][0] + n * n};
  }
};

struct matrix_product {
  static constexpr const char* name = "matrix product";
  std::vector<float> x = some_numbers(n * n), y = some_numbers(n * n);
  sycl::buffer<float, 2> a{x.data(), {n, n}}, b{y.data(), {n, n}}, c{{n, n}};

  void submit(sycl::queue& q) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor l(a, h, sycl::read_only), r(b, h, sycl::read_only);
      sycl::accessor out(c, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::range<2>(n, n), [=](sycl::id<2> i) {
        float sum = 0;
        for (std::size_t k = 0; k < n; ++k) sum += l[i[0]][k] * r[k][i[1]];
        out[i] = sum;
      });
    });
  }
  std::vector<float> result() {
    sycl::host_accessor r(c, sycl::read_only);
    return {&r[0][0], &r[0][0] + n * n};
  }
};

struct bodies {
  static constexpr const char* name = "n-body";
  std::vector<float> start = some_numbers(n * 4);
  sycl::buffer<float, 1> position{start.data(), n}, velocity{start.data() + n, n};

  void submit(sycl::queue& q) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor p(position, h, sycl::read_only);
      sycl::accessor v(velocity, h, sycl::read_write);
      h.parallel_for(n, [=](sycl::id<1> i) {
        float force = 0;
        for (std::size_t k = 0; k < n; ++k) {
          const float d = p[k] - p[i];
          force += d / (0.01F + d * d);
        }
        v[i] += 0.001F * force;
      });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor p(position, h, sycl::read_write);
      sycl::accessor v(velocity, h, sycl::read_only);
      h.parallel_for(n, [=](sycl::id<1> i) { p[i] += 0.001F * v[i]; });
    });
  }
  std::vector<float> result() {
    sycl::host_accessor r(position, sycl::read_only);
    return {&r[0], &r[0] + n};
  }
};

// Brightness, then a blur in two passes.
struct pipeline {
  static constexpr const char* name = "image pipeline";
  std::vector<float> in = some_numbers(n * n);
  sycl::buffer<float, 2> a{in.data(), {n, n}}, b{{n, n}}, c{{n, n}};

  void submit(sycl::queue& q) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor x(a, h, sycl::read_write);
      h.parallel_for(sycl::range<2>(n, n), [=](sycl::id<2> i) { x[i] = 0.5F * x[i] + 0.25F; });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor x(a, h, sycl::read_only);
      sycl::accessor y(b, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::range<2>(n, n - 2), [=](sycl::id<2> i) {
        y[i[0]][i[1] + 1] = x[i[0]][i[1]] + x[i[0]][i[1] + 1] + x[i[0]][i[1] + 2];
      });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor x(b, h, sycl::read_only);
      sycl::accessor y(c, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::range<2>(n - 2, n - 2), [=](sycl::id<2> i) {
        y[i[0] + 1][i[1] + 1] = x[i[0]][i[1] + 1] + x[i[0] + 1][i[1] + 1] + x[i[0] + 2][i[1] + 1];
      });
    });
  }
  std::vector<float> result() {
    sycl::host_accessor r(c, sycl::read_only);
    std::vector<float> inner;
    for (std::size_t i = 1; i < n - 1; ++i)
      for (std::size_t k = 1; k < n - 1; ++k) inner.push_back(r[i][k]);
    return inner;
  }
};

// An iteration of conjugate gradients for a five-point stencil; its dot products are reductions.
struct conjugate_gradient {
  static constexpr const char* name = "conjugate gradients";
  // A buffer owns the memory that it is made over: one for each.
  std::vector<float> b = some_numbers(n * n), direction = b, zero = std::vector<float>(n * n, 0.0F);
  std::vector<float> start{std::inner_product(b.begin(), b.end(), b.begin(), 0.0F)};
  using field = sycl::buffer<float, 2>;
  using scalar = sycl::buffer<float, 1>;
  field x{zero.data(), {n, n}}, r{b.data(), {n, n}}, p{direction.data(), {n, n}}, q{{n, n}};
  scalar rr{start.data(), 1}, pq{1}, next{1};

  static void dot(sycl::queue& on, field& a, field& b, scalar& to) {
    on.submit([&](sycl::handler& h) {
      sycl::accessor l(a, h, sycl::read_only), m(b, h, sycl::read_only);
      h.parallel_for(sycl::range<2>(n, n),
                     sycl::reduction(to, h, std::plus<float>(),
                                     {sycl::property::reduction::initialize_to_identity()}),
                     [=](sycl::id<2> i, auto& sum) { sum += l[i] * m[i]; });
    });
  }
  // to = a + (over / under) * b, with the sign.
  static void combine(sycl::queue& on, field& to, field& a, scalar& over, scalar& under, field& b,
                      float sign) {
    on.submit([&](sycl::handler& h) {
      sycl::accessor t(to, h, sycl::read_write);
      sycl::accessor l(a, h, sycl::read_only), m(b, h, sycl::read_only);
      sycl::accessor o(over, h, sycl::read_only), u(under, h, sycl::read_only);
      h.parallel_for(sycl::range<2>(n, n),
                     [=](sycl::id<2> i) { t[i] = l[i] + sign * (o[0] / u[0]) * m[i]; });
    });
  }
  void submit(sycl::queue& on) {
    on.submit([&](sycl::handler& h) {
      sycl::accessor v(p, h, sycl::read_only);
      sycl::accessor y(q, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::range<2>(n, n), [=](sycl::id<2> i) {
        const std::size_t row = i[0], c = i[1];
        float sum = 4.5F * v[row][c];
        if (row > 0) sum -= v[row - 1][c];
        if (row < n - 1) sum -= v[row + 1][c];
        if (c > 0) sum -= v[row][c - 1];
        if (c < n - 1) sum -= v[row][c + 1];
        y[i] = sum;
      });
    });
    dot(on, p, q, pq);
    combine(on, x, x, rr, pq, p, 1.0F);
    combine(on, r, r, rr, pq, q, -1.0F);
    dot(on, r, r, next);
    combine(on, p, r, next, rr, p, 1.0F);
    on.submit([&](sycl::handler& h) {
      sycl::accessor from(next, h, sycl::read_only);
      sycl::accessor to(rr, h, sycl::write_only, sycl::no_init);
      h.single_task([=] { to[0] = from[0]; });
    });
  }
  std::vector<float> result() {
    sycl::host_accessor solution(x, sycl::read_only);
    return {&solution[0][0], &solution[0][0] + n * n};
  }
};

// What parts add up is added up by one kernel more.
struct dot_product {
  static constexpr const char* name = "dot product";
  std::vector<float> in = some_numbers(n * n), by = some_numbers(n * n);
  const sycl::range<1> all = n * n;
  sycl::buffer<float, 1> a{in.data(), all}, b{by.data(), all}, sum{sycl::range<1>(1)};

  dot_product() {
    sycl::host_accessor start(sum, sycl::write_only, sycl::no_init);
    start[0] = 0.5F;
  }
  void submit(sycl::queue& q) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor x(a, h, sycl::read_only), y(b, h, sycl::read_only);
      h.parallel_for(all, sycl::reduction(sum, h, sycl::plus<float>()),
                     [=](sycl::id<1> i, auto& s) { s += x[i] * y[i]; });
    });
  }
  std::vector<float> result() { return {sycl::host_accessor(sum, sycl::read_only)[0]}; }
};

template <class Program>
bool run() {
  constexpr int replays = 4;
  Program eager, recorded;
  sycl::queue one{sycl::device::get_devices()[0]};
  for (int i = 0; i < replays; ++i) eager.submit(one);

  const sycl::context all(sycl::device::get_devices());
  sycl::queue q(all, sycl::device::get_devices()[0]);
  graphs::command_graph graph(q, {place(place::anywhere), split(split::always)});
  graph.begin_recording(q);
  recorded.submit(q);
  graph.end_recording();
  auto made = graph.finalize();
  q.ext_oneapi_graph(made).wait();
  pianola::runtime::reset_statistics();
  for (int i = 1; i < replays; ++i) q.ext_oneapi_graph(made).wait();
  const auto moved = pianola::runtime::get_statistics();
  const std::vector<float> a = eager.result(), b = recorded.result();
  const bool same =
      a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
  std::printf("%s: %s, %llu bytes move in each replay\n", Program::name,
              same ? "same bytes" : "OTHER BYTES",
              static_cast<unsigned long long>(moved.transferred_bytes / (replays - 1)));
  return same;
}

}  // namespace

int main() {
  bool good = run<heat>();
  good = run<matrix_product>() && good;
  good = run<bodies>() && good;
  good = run<pipeline>() && good;
  good = run<conjugate_gradient>() && good;
  good = run<dot_product>() && good;
  return good ? 0 : 1;
}
