// SPDX-License-Identifier: Apache-2.0
// Loops that are commands of graphs, beside loops of the host around replays of the same body.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sycl/sycl.hpp>

#include "comparison.hpp"
#include "conjugate_gradient.hpp"

namespace bench {

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
using executable = graphs::command_graph<graphs::graph_state::executable>;

// A body of some kernels of 256 floats, and one that takes one from what is left.
struct looping {
  static constexpr std::size_t n = 256;

  explicit looping(std::size_t kernels) {
    {
      sycl::host_accessor fresh(x, sycl::write_only, sycl::no_init);
      for (std::size_t i = 0; i < n; ++i) fresh[i] = 1.0F;
    }
    set_left(0);
    graphs::command_graph recording(queue);
    for (std::size_t k = 0; k < kernels; ++k)
      recording.add([&](sycl::handler& h) {
        sycl::accessor a(x, h, sycl::read_write);
        h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { a[i] = 0.5F * a[i] + 1.0F; });
      });
    recording.add([&](sycl::handler& h) {
      sycl::accessor l(left, h, sycl::read_write);
      h.single_task([=] { l[0] -= 1; });
    });
    body.push_back(recording.finalize());
    graphs::command_graph all(queue);
    all.add_while(left, body[0]);
    loop.push_back(all.finalize());
  }

  void set_left(std::int64_t iterations) {
    sycl::host_accessor l(left, sycl::write_only, sycl::no_init);
    l[0] = iterations;
  }
  [[nodiscard]] std::int64_t get_left() { return sycl::host_accessor(left, sycl::read_only)[0]; }
  [[nodiscard]] double checksum() {
    sycl::host_accessor a(x, sycl::read_only);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i];
    return sum;
  }

  sycl::queue queue;
  sycl::buffer<float> x{sycl::range<1>(n)};
  sycl::buffer<std::int64_t> left{sycl::range<1>(1)};
  std::vector<executable> body, loop;
};

subject in_the_graph(std::size_t kernels) {
  auto l = std::make_shared<looping>(kernels);
  return {[l](std::uint64_t units) {
            return nanoseconds_of([&] {
              l->set_left(static_cast<std::int64_t>(units));
              l->queue.ext_oneapi_graph(l->loop[0]);
              l->queue.wait();
            });
          },
          [l] { return l->checksum(); }};
}

subject by_the_host(std::size_t kernels) {
  auto l = std::make_shared<looping>(kernels);
  return {[l](std::uint64_t units) {
            return nanoseconds_of([&] {
              l->set_left(static_cast<std::int64_t>(units));
              do {
                l->queue.ext_oneapi_graph(l->body[0]);
              } while (l->get_left() != 0);
            });
          },
          [l] { return l->checksum(); }};
}

subject solution(std::size_t n, bool with_loop) {
  auto s = std::make_shared<conjugate_gradient>(n);
  s->record_solution(with_loop);
  return {[s, with_loop](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) s->solve(with_loop);
            });
          },
          [s] { return s->checksum(); }};
}

}  // namespace

void add_loops(std::vector<comparison>& all) {
  const auto add = [&](const char* name, std::size_t kernels, target goal) {
    comparison c;
    c.name = std::string("loop/") + name;
    c.unit = "us/iteration";
    c.units = 500;
    c.warm_up = 50;
    c.rounds = 11;
    c.ours = [=] { return in_the_graph(kernels); };
    c.reference = [=] { return by_the_host(kernels); };
    c.reference_name = "replays, and a look at the condition by the host";
    c.goal = goal;
    all.push_back(std::move(c));
  };
  add("while_1_kernel", 1, ratio_at_most(1.0));
  add("while_16_kernels", 16, ratio_at_most(1.0));
  for (const std::size_t n : {32, 128}) {
    comparison c;
    c.name = "loop/conjugate_gradient_" + std::to_string(n);
    c.unit = "us/solution";
    c.units = n < 100 ? 8 : 1;
    c.warm_up = c.units;
    c.rounds = 11;
    c.ours = [n] { return solution(n, true); };
    c.reference = [n] { return solution(n, false); };
    c.reference_name = "replays of an iteration, and a look at the condition by the host";
    c.goal = ratio_at_most(1.0);
    all.push_back(std::move(c));
  }
}

}  // namespace bench
