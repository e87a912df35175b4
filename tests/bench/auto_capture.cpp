// SPDX-License-Identifier: Apache-2.0
// Queues that capture by themselves, beside graphs that the program has recorded, and beside queues that do not capture.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sycl/sycl.hpp>

#include "comparison.hpp"
#include "dag.hpp"
#include "jacobi.hpp"

namespace bench {

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
using captures = sycl::ext::pianola::property::queue::auto_capture;

// Conjugate gradient for the five-point Laplacian of n x n points, sums by one work-item each.
class conjugate_gradient {
 public:
  conjugate_gradient(std::size_t n, const sycl::property_list& of_queue) : n_(n), queue_(of_queue) {
    for (sycl::buffer<float>* v : {&x_, &r_, &p_, &q_}) {
      sycl::host_accessor a(*v, sycl::write_only, sycl::no_init);
      for (std::size_t i = 0; i < n * n; ++i) a[i] = v == &r_ || v == &p_ ? 1.0F : 0.0F;
    }
    sycl::host_accessor(rr_, sycl::write_only, sycl::no_init)[0] = static_cast<float>(n * n);
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
  void wait() { queue_.wait(); }
  [[nodiscard]] double checksum() {
    sycl::host_accessor x(x_, sycl::read_only);
    return sum_of(&x[0], n_ * n_);
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
  std::vector<graphs::command_graph<graphs::graph_state::executable>> recorded_;
};

subject iterations(std::size_t n, const sycl::property_list& of_queue) {
  auto s = std::make_shared<conjugate_gradient>(n, of_queue);
  return {[s](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) s->iterate();
              s->wait();
            });
          },
          [s] { return s->checksum(); }};
}

subject replayed_iterations(std::size_t n) {
  auto s = std::make_shared<conjugate_gradient>(n, sycl::property_list{});
  s->record();
  return {[s](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) s->replay();
              s->wait();
            });
          },
          [s] { return s->checksum(); }};
}

// Small kernels on buffers in an order that does not come again.
subject without_repetition(const sycl::property_list& of_queue) {
  struct program {
    explicit program(const sycl::property_list& p) : queue(p) {
      for (int i = 0; i < 16; ++i) buffers.emplace_back(sycl::range<1>(16));
      for (auto& b : buffers) {
        sycl::host_accessor a(b, sycl::write_only, sycl::no_init);
        for (int i = 0; i < 16; ++i) a[static_cast<std::size_t>(i)] = 1;
      }
    }
    std::uint64_t draw() {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      return state >> 20;
    }
    void step() {
      const std::uint64_t from = draw() % 16, to = draw() % 16;
      queue.submit([&](sycl::handler& h) {
        sycl::accessor a(buffers[from], h, sycl::read_only);
        sycl::accessor b(buffers[to], h);
        h.single_task([=] { b[0] += a[1]; });
      });
    }
    sycl::queue queue;
    std::vector<sycl::buffer<std::uint32_t>> buffers;
    std::uint64_t state = 88172645463325252ULL;
  };
  auto s = std::make_shared<program>(of_queue);
  return {[s](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) s->step();
              s->queue.wait();
            });
          },
          [s] { return static_cast<double>(sycl::host_accessor(s->buffers[3])[0]); }};
}

}  // namespace

void add_auto_capture(std::vector<comparison>& all) {
  const auto add = [&](const std::string& name, const char* unit, std::uint64_t units,
                       std::function<subject()> ours, std::function<subject()> reference,
                       const char* reference_name, target goal) {
    comparison c;
    c.name = "autocapture/" + name;
    c.unit = unit;
    c.units = units;
    c.warm_up = units;
    c.rounds = 15;
    c.ours = std::move(ours);
    c.reference = std::move(reference);
    c.reference_name = reference_name;
    c.goal = goal;
    all.push_back(std::move(c));
  };
  constexpr double as_replayed = 1 / 0.9;  // of its speed
  constexpr std::uint64_t steps = 16;      // what a queue puts into a graph
  for (const auto& [n, units] :
       {std::pair<std::size_t, std::uint64_t>{64, 4000}, {256, 1008}, {1024, 208}}) {
    const std::string size = "jacobi_" + std::to_string(n);
    const auto captured = [n = n] { return jacobi_captured(n); };
    add(
        size + "/or_replay_of_2", "us/step", units, captured,
        [n = n] { return jacobi_replayed(n, 2); }, "replays of 2 steps",
        ratio_at_most(as_replayed));
    add(
        size + "/or_replay_of_16", "us/step", units, captured,
        [n = n] { return jacobi_replayed(n, steps); }, "replays of 16 steps",
        ratio_at_most(as_replayed));
    add(size + "/or_eager", "us/step", units, captured, [n = n] { return jacobi_eager(n); },
        "not captured", {});
    add(
        size + "/usm_or_eager", "us/step", units, [n = n] { return jacobi_usm_captured(n); },
        [n = n] { return jacobi_usm(n); }, "not captured", {});
  }
  for (const std::size_t n : {32, 128}) {
    const std::string size = "conjugate_gradient_" + std::to_string(n);
    const auto captured = [n] { return iterations(n, {captures{}}); };
    add(
        size + "/or_replay", "us/iteration", 300, captured, [n] { return replayed_iterations(n); },
        "replays", ratio_at_most(as_replayed));
    add(size + "/or_eager", "us/iteration", 300, captured, [n] { return iterations(n, {}); },
        "not captured", {});
  }
  add("dag/or_replay", "us/run", 50, dag_captured, dag_replayed, "replays",
      ratio_at_most(as_replayed));
  add("dag/or_eager", "us/run", 50, dag_captured, dag_eager, "not captured", {});
  add(
      "without_repetition", "us/command", 10000, [] { return without_repetition({captures{}}); },
      [] { return without_repetition({}); }, "not captured", ratio_at_most(1.05));
}

}  // namespace bench
