// SPDX-License-Identifier: Apache-2.0
// replays PROGRAM [REPLAYS]: records a program as a graph, replays it and prints the seconds of the fastest replay, as
// whatever else the machine does only ever adds. What simulation.sh holds simulated plans against.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <sycl/sycl.hpp>
#include <vector>

namespace {

namespace exp = sycl::ext::oneapi::experimental;
using buffer1 = sycl::buffer<float, 1>;
using buffer2 = sycl::buffer<float, 2>;

// Five-point averages from one buffer into the other and back.
class jacobi {
 public:
  explicit jacobi(std::size_t n) : u_(sycl::range(n, n)), v_(sycl::range(n, n)) {
    for (auto* b : {&u_, &v_}) {
      sycl::host_accessor a(*b, sycl::write_only, sycl::no_init);
      std::fill(a.begin(), a.end(), 1.0F);
    }
  }
  void record(sycl::queue& q) {
    for (int step = 0; step < 10; ++step) {
      q.submit([&](sycl::handler& h) {
        sycl::accessor from(u_, h, sycl::read_only);
        sycl::accessor to(v_, h, sycl::read_write);
        const sycl::range<2> inner = u_.get_range() - 2;
        h.parallel_for(inner, [=](sycl::id<2> i) {
          const std::size_t x = i[0] + 1, y = i[1] + 1;
          to[x][y] = 0.25F * (from[x - 1][y] + from[x + 1][y] + from[x][y - 1] + from[x][y + 1]);
        });
      });
      std::swap(u_, v_);
    }
  }

 private:
  buffer2 u_, v_;
};

// The same in steps of their own for heat that comes in, spreads and is copied back.
class heat {
 public:
  explicit heat(std::size_t n) : now_(n), next_(n) {
    sycl::host_accessor a(now_, sycl::write_only, sycl::no_init);
    std::fill(a.begin(), a.end(), 1.0F);
  }
  void record(sycl::queue& q) {
    for (int step = 0; step < 20; ++step) {
      q.submit([&](sycl::handler& h) {
        sycl::accessor a(now_, h);
        h.single_task([=] { a[0] = 100.0F; });
      });
      q.submit([&](sycl::handler& h) {
        sycl::accessor from(now_, h, sycl::read_only);
        sycl::accessor to(next_, h, sycl::write_only, sycl::no_init);
        const std::size_t last = now_.size() - 1;
        h.parallel_for(now_.get_range(), [=](sycl::id<1> i) {
          const float left = from[i[0] == 0 ? 0 : i[0] - 1];
          const float right = from[i[0] == last ? last : i[0] + 1];
          to[i] = from[i] + 0.1F * (left - 2.0F * from[i] + right);
        });
      });
      q.submit([&](sycl::handler& h) {
        sycl::accessor from(next_, h, sycl::read_only);
        sycl::accessor to(now_, h, sycl::write_only, sycl::no_init);
        h.copy(from, to);
      });
    }
  }

 private:
  buffer1 now_, next_;
};

// Layers of kernels that do not need each other, each of which needs two of the layer before.
class layers {
 public:
  explicit layers(std::size_t items) : items_(items) {
    for (int i = 0; i < 2 * width; ++i) buffers_.emplace_back(sycl::range(items));
    for (buffer1& b : buffers_) {
      sycl::host_accessor a(b, sycl::write_only, sycl::no_init);
      std::fill(a.begin(), a.end(), 1.0F);
    }
  }
  void record(sycl::queue& q) {
    for (int layer = 0; layer < 12; ++layer)
      for (int i = 0; i < width; ++i)
        q.submit([&](sycl::handler& h) {
          const int from = layer % 2 * width, to = width - from;
          sycl::accessor a(buffers_[from + i], h, sycl::read_only);
          sycl::accessor b(buffers_[from + (i + 1) % width], h, sycl::read_only);
          sycl::accessor c(buffers_[to + i], h, sycl::write_only, sycl::no_init);
          h.parallel_for(sycl::range(items_), [=](sycl::id<1> j) {
            float x = a[j], y = b[j];
            for (int k = 0; k < 20; ++k) x = x * 0.9F + y * 0.1F;
            c[j] = x;
          });
        });
  }

 private:
  static constexpr int width = 6;
  std::size_t items_;
  std::vector<buffer1> buffers_;
};

// Conjugate gradients for the five-point Laplacian: a matrix-vector product, two dot products and three updates a step.
class conjugate_gradients {
 public:
  explicit conjugate_gradients(std::size_t side)
      : side_(side), x_(n()), r_(n()), p_(n()), q_(n()), partial_(parts), scalars_(4) {
    for (auto* b : {&x_, &r_, &p_, &q_}) {
      sycl::host_accessor a(*b, sycl::write_only, sycl::no_init);
      for (std::size_t i = 0; i < n(); ++i) a[i] = static_cast<float>(i % 7);
    }
    sycl::host_accessor s(scalars_, sycl::write_only, sycl::no_init);
    std::fill(s.begin(), s.end(), 1.0F);
  }
  void record(sycl::queue& q) {
    for (int step = 0; step < 8; ++step) {
      multiply(q);
      dot(q, p_, q_, 1);
      update(q, x_, p_, 1.0F);
      update(q, r_, q_, -1.0F);
      dot(q, r_, r_, 2);
      q.submit([&](sycl::handler& h) {
        sycl::accessor p(p_, h, sycl::read_write);
        sycl::accessor r(r_, h, sycl::read_only);
        sycl::accessor s(scalars_, h, sycl::read_only);
        h.parallel_for(sycl::range(n()),
                       [=](sycl::id<1> i) { p[i] = r[i] + 0.5F * p[i] / (1.0F + s[2] * s[2]); });
      });
    }
  }

 private:
  static constexpr std::size_t parts = 64;
  [[nodiscard]] std::size_t n() const { return side_ * side_; }
  void multiply(sycl::queue& q) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor from(p_, h, sycl::read_only);
      sycl::accessor to(q_, h, sycl::write_only, sycl::no_init);
      const std::size_t side = side_;
      h.parallel_for(sycl::range(side, side), [=](sycl::id<2> i) {
        const std::size_t at = i[0] * side + i[1];
        float sum = 4.0F * from[at];
        if (i[0] > 0) sum -= from[at - side];
        if (i[0] + 1 < side) sum -= from[at + side];
        if (i[1] > 0) sum -= from[at - 1];
        if (i[1] + 1 < side) sum -= from[at + 1];
        to[at] = sum;
      });
    });
  }
  void dot(sycl::queue& q, buffer1& left, buffer1& right, std::size_t where) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(left, h, sycl::read_only), b(right, h, sycl::read_only);
      sycl::accessor sums(partial_, h, sycl::write_only, sycl::no_init);
      const std::size_t part = n() / parts;
      h.parallel_for(sycl::range(parts), [=](sycl::id<1> i) {
        float sum = 0;
        for (std::size_t k = i[0] * part; k < (i[0] + 1) * part; ++k) sum += a[k] * b[k];
        sums[i] = sum;
      });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor sums(partial_, h, sycl::read_only);
      sycl::accessor s(scalars_, h, sycl::read_write);
      h.single_task([=] {
        float sum = 0;
        for (std::size_t i = 0; i < parts; ++i) sum += sums[i];
        s[where] = sum;
      });
    });
  }
  void update(sycl::queue& q, buffer1& to, buffer1& from, float sign) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(to, h, sycl::read_write);
      sycl::accessor b(from, h, sycl::read_only);
      sycl::accessor s(scalars_, h, sycl::read_only);
      h.parallel_for(sycl::range(n()),
                     [=](sycl::id<1> i) { a[i] += sign * 0.1F * b[i] / (1.0F + s[1] * s[1]); });
    });
  }

  std::size_t side_;
  buffer1 x_, r_, p_, q_, partial_, scalars_;
};

// The tiles of a Cholesky decomposition, with their four kernels and the order that these need.
class cholesky {
 public:
  explicit cholesky(std::size_t tiles) : tiles_(tiles) {
    for (std::size_t i = 0; i < tiles * tiles; ++i) {
      buffers_.emplace_back(sycl::range(side, side));
      sycl::host_accessor a(buffers_.back(), sycl::write_only, sycl::no_init);
      for (std::size_t r = 0; r < side; ++r)
        for (std::size_t c = 0; c < side; ++c) a[r][c] = r == c ? 1000.0F : 0.5F;
    }
  }
  void record(sycl::queue& q) {
    for (std::size_t k = 0; k < tiles_; ++k) {
      decompose(q, at(k, k));
      for (std::size_t i = k + 1; i < tiles_; ++i) solve(q, at(i, k), at(k, k));
      for (std::size_t i = k + 1; i < tiles_; ++i)
        for (std::size_t j = k + 1; j <= i; ++j) subtract(q, at(i, j), at(i, k), at(j, k));
    }
  }

 private:
  static constexpr std::size_t side = 48;
  buffer2& at(std::size_t i, std::size_t j) { return buffers_[i * tiles_ + j]; }
  static void decompose(sycl::queue& q, buffer2& tile) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(tile, h, sycl::read_write);
      h.single_task([=] {
        for (std::size_t j = 0; j < side; ++j) {
          const float d = sycl::sqrt(sycl::fabs(a[j][j]) + 1.0F);
          a[j][j] = d;
          for (std::size_t i = j + 1; i < side; ++i) a[i][j] /= d;
          for (std::size_t c = j + 1; c < side; ++c)
            for (std::size_t i = c; i < side; ++i) a[i][c] -= a[i][j] * a[c][j];
        }
      });
    });
  }
  static void solve(sycl::queue& q, buffer2& tile, buffer2& diagonal) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(tile, h, sycl::read_write);
      sycl::accessor d(diagonal, h, sycl::read_only);
      h.parallel_for(sycl::range(side), [=](sycl::id<1> i) {
        for (std::size_t j = 0; j < side; ++j) {
          float sum = a[i[0]][j];
          for (std::size_t k = 0; k < j; ++k) sum -= a[i[0]][k] * d[j][k];
          a[i[0]][j] = sum / (1.0F + d[j][j] * d[j][j]);
        }
      });
    });
  }
  static void subtract(sycl::queue& q, buffer2& tile, buffer2& left, buffer2& right) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(tile, h, sycl::read_write);
      sycl::accessor b(left, h, sycl::read_only), c(right, h, sycl::read_only);
      h.parallel_for(sycl::range(side, side), [=](sycl::id<2> i) {
        float sum = 0;
        for (std::size_t k = 0; k < side; ++k) sum += b[i[0]][k] * c[i[1]][k];
        a[i] -= 0.001F * sum;
      });
    });
  }

  std::size_t tiles_;
  std::vector<buffer2> buffers_;
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
      {"jacobi-128", [](int n) { return replay<jacobi>(128, n); }},
      {"jacobi-1024", [](int n) { return replay<jacobi>(1024, n); }},
      {"heat-10000", [](int n) { return replay<heat>(10000, n); }},
      {"heat-100000", [](int n) { return replay<heat>(100000, n); }},
      {"layers-500", [](int n) { return replay<layers>(500, n); }},
      {"layers-20000", [](int n) { return replay<layers>(20000, n); }},
      {"cg-64", [](int n) { return replay<conjugate_gradients>(64, n); }},
      {"cg-256", [](int n) { return replay<conjugate_gradients>(256, n); }},
      {"cholesky-4", [](int n) { return replay<cholesky>(4, n); }},
      {"cholesky-8", [](int n) { return replay<cholesky>(8, n); }}};
  const auto found = programs.find(count > 1 ? words[1] : "");
  if (found != programs.end()) return found->second(count > 2 ? std::atoi(words[2]) : 60);
  for (const auto& p : programs) std::printf("%s\n", p.first.c_str());
  return 2;
}
