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
#include "conjugate_gradient.hpp"
#include "dag.hpp"
#include "jacobi.hpp"

namespace bench {

namespace {

using captures = sycl::ext::pianola::property::queue::auto_capture;

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
