// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <sycl/sycl.hpp>

#include "jacobi.hpp"

namespace bench {

namespace graphs = sycl::ext::oneapi::experimental;

// Conjugate gradient for the five-point Laplacian of n x n points, sums by one work-item each.
class conjugate_gradient {
 public:
  explicit conjugate_gradient(std::size_t n, const sycl::property_list& of_queue = {})
      : n_(n), queue_(of_queue) {
    {
      sycl::host_accessor q(q_, sycl::write_only, sycl::no_init);
      for (std::size_t i = 0; i < n * n; ++i) q[i] = 0;
    }
    start();
    wait();
  }

  // The system as it was, with ones on the right side.
  void start() {
    const std::size_t n = n_;
    queue_.submit([&](sycl::handler& h) {
      sycl::accessor x(x_, h, sycl::write_only, sycl::no_init);
      sycl::accessor r(r_, h, sycl::write_only, sycl::no_init);
      sycl::accessor p(p_, h, sycl::write_only, sycl::no_init);
      sycl::accessor rr(rr_, h, sycl::write_only, sycl::no_init);
      sycl::accessor more(more_, h, sycl::write_only, sycl::no_init);
      sycl::accessor done(done_, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::range<1>(n * n), [=](sycl::id<1> i) {
        x[i] = 0;
        r[i] = p[i] = 1;
        if (i[0] != 0) return;
        rr[0] = static_cast<float>(n * n);
        more[0] = 1;
        done[0] = 0;
      });
    });
  }
  // Goes on until the residual is a ten thousandth of what it was.
  void decide() {
    const float goal = 1e-8F * static_cast<float>(n_ * n_);
    queue_.submit([&](sycl::handler& h) {
      sycl::accessor rr(rr_, h, sycl::read_only);
      sycl::accessor more(more_, h, sycl::write_only, sycl::no_init);
      sycl::accessor done(done_, h);
      h.single_task([=] {
        done[0] += 1;
        more[0] = rr[0] > goal && done[0] < 10000 ? 1 : 0;
      });
    });
  }

  void iterate() {
    const std::size_t n = n_;
    queue_.submit([&](sycl::handler& h) {
      sycl::accessor p(p_, h, sycl::read_only);
      sycl::accessor q(q_, h, sycl::write_only);
      h.parallel_for(sycl::range<1>(n * n), [=](sycl::id<1> at) {
        const std::size_t i = at[0], row = i / n, column = i % n;
        float sum = 4.01F * p[i];
        if (row > 0) sum -= p[i - n];
        if (row + 1 < n) sum -= p[i + n];
        if (column > 0) sum -= p[i - 1];
        if (column + 1 < n) sum -= p[i + 1];
        q[i] = sum;
      });
    });
    dot(p_, q_, pq_);
    queue_.submit([&](sycl::handler& h) {
      sycl::accessor x(x_, h), r(r_, h);
      sycl::accessor p(p_, h, sycl::read_only), q(q_, h, sycl::read_only);
      sycl::accessor rr(rr_, h, sycl::read_only), pq(pq_, h, sycl::read_only);
      h.parallel_for(sycl::range<1>(n * n), [=](sycl::id<1> i) {
        const float alpha = rr[0] / (pq[0] + 1e-30F);
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
      });
    });
    dot(r_, r_, next_);
    queue_.submit([&](sycl::handler& h) {
      sycl::accessor p(p_, h);
      sycl::accessor r(r_, h, sycl::read_only), rr(rr_, h, sycl::read_only),
          next(next_, h, sycl::read_only);
      h.parallel_for(sycl::range<1>(n * n),
                     [=](sycl::id<1> i) { p[i] = r[i] + next[0] / (rr[0] + 1e-30F) * p[i]; });
    });
    queue_.submit([&](sycl::handler& h) {
      sycl::accessor next(next_, h, sycl::read_only);
      sycl::accessor rr(rr_, h, sycl::write_only);
      h.single_task([=] { rr[0] = next[0]; });
    });
  }
  void record() {
    graphs::command_graph<graphs::graph_state::modifiable> graph(queue_);
    graph.begin_recording(queue_);
    iterate();
    graph.end_recording();
    recorded_.push_back(graph.finalize());
  }
  void replay() { queue_.ext_oneapi_graph(recorded_[0]); }

  // All of it as one graph; or its beginning, and an iteration behind which the host looks.
  void record_solution(bool with_loop) {
    const auto recorded = [&](auto&& commands) {
      graphs::command_graph<graphs::graph_state::modifiable> graph(queue_);
      graph.begin_recording(queue_);
      commands();
      graph.end_recording();
      return graph;
    };
    const auto body = recorded([&] {
                        iterate();
                        decide();
                      }).finalize();
    auto whole = recorded([&] { start(); });
    if (with_loop) whole.add_while(more_, body);
    recorded_ = {whole.finalize(), body};
  }
  [[nodiscard]] std::uint32_t iterations() {
    return sycl::host_accessor(done_, sycl::read_only)[0];
  }
  // Of what was recorded.
  void solve(bool with_loop) {
    queue_.ext_oneapi_graph(recorded_[0]);
    if (!with_loop) do
        queue_.ext_oneapi_graph(recorded_[1]);
      while (sycl::host_accessor(more_, sycl::read_only)[0] != 0);
    wait();
  }
  void wait() { queue_.wait(); }
  [[nodiscard]] double checksum() {
    sycl::host_accessor x(x_, sycl::read_only);
    sycl::host_accessor done(done_, sycl::read_only);
    return sum_of(&x[0], n_ * n_) + done[0];
  }

 private:
  void dot(sycl::buffer<float>& a, sycl::buffer<float>& b, sycl::buffer<float>& to) {
    const std::size_t n = n_;
    queue_.submit([&](sycl::handler& h) {
      sycl::accessor x(a, h, sycl::read_only), y(b, h, sycl::read_only);
      sycl::accessor sum(to, h, sycl::write_only);
      h.single_task([=] {
        float parts[16] = {};
        for (std::size_t i = 0; i < n * n; i += 16)
          for (std::size_t k = 0; k < 16; ++k) parts[k] += x[i + k] * y[i + k];
        float all = 0;
        for (const float part : parts) all += part;
        sum[0] = all;
      });
    });
  }

  std::size_t n_;
  sycl::queue queue_;
  sycl::buffer<float> x_{n_ * n_}, r_{n_ * n_}, p_{n_ * n_}, q_{n_ * n_};
  sycl::buffer<float> rr_{1}, pq_{1}, next_{1};
  sycl::buffer<std::uint32_t> more_{1}, done_{1};
  std::vector<graphs::command_graph<graphs::graph_state::executable>> recorded_;
};

}  // namespace bench
