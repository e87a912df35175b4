// SPDX-License-Identifier: Apache-2.0
// How much is moved: the sample `heat`, step by step and recorded. All figures are bytes or nodes.
#include <memory>
#include <vector>

#include <pianola/runtime/interop.hpp>
#include <sycl/ext/pianola/statistics.hpp>
#include <sycl/sycl.hpp>

#include "driver.hpp"
#include "heat/solver.hpp"
#include "programs.hpp"

namespace bench::gpu::ours {

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
using executable = graphs::command_graph<graphs::graph_state::executable>;

std::uint64_t transferred() { return sycl::ext::pianola::get_statistics().transferred_bytes; }

heat::field some_field(std::size_t n) {
  heat::field f{n, n, std::vector<float>(n * n)};
  for (std::size_t i = 0; i < f.values.size(); ++i)
    f.values[i] = static_cast<float>(i % 23) / 23.0F;
  return f;
}

struct program {
  explicit program(std::size_t n) : solver(heat::equation::heat, some_field(n)) {}
  executable record(std::size_t steps) {
    graphs::command_graph graph(queue);
    graph.begin_recording(queue);
    for (std::size_t i = 0; i < steps; ++i) solver.step(queue);
    graph.end_recording(queue);
    return graph.finalize();
  }
  sycl::queue queue{sycl::property::queue::in_order{}};
  heat::solver solver;
};

double checksum_of_field(heat::solver& s) {
  const std::vector<float> values = s.read();
  return checksum_of(values.data(), values.size());
}

}  // namespace

subject bytes_per_eager_step(std::size_t n) {
  auto p = std::make_shared<program>(n);
  for (int i = 0; i < 4; ++i) p->solver.step(p->queue);
  p->queue.wait();
  return {[p](std::uint64_t units) {
            const std::uint64_t before = transferred();
            for (std::uint64_t i = 0; i < units; ++i) p->solver.step(p->queue);
            p->queue.wait();
            return static_cast<double>(transferred() - before);
          },
          {}};
}

subject bytes_per_replayed_step(std::size_t n) {
  auto p = std::make_shared<program>(n);
  auto graph = std::make_shared<executable>(p->record(2));
  p->queue.ext_oneapi_graph(*graph).wait();
  return {[p, graph](std::uint64_t units) {
            const std::uint64_t before = transferred();
            for (std::uint64_t i = 0; i < units; ++i) p->queue.ext_oneapi_graph(*graph);
            p->queue.wait();
            return static_cast<double>(transferred() - before);
          },
          {}};
}

subject bytes_of_program(std::size_t n, std::size_t steps) {
  return {[n, steps](std::uint64_t units) {
            const std::uint64_t before = transferred();
            for (std::uint64_t i = 0; i < units; ++i) {
              program p(n);
              for (std::size_t s = 0; s < steps; ++s) p.solver.step(p.queue);
              (void)checksum_of_field(p.solver);
            }
            return static_cast<double>(transferred() - before);
          },
          {}};
}

subject other_nodes(std::size_t n, std::size_t steps) {
  auto p = std::make_shared<program>(n);
  p->solver.step(p->queue);
  p->solver.step(p->queue);
  auto graph = std::make_shared<executable>(p->record(steps));
  return {[p, graph](std::uint64_t units) {
            p->queue.ext_oneapi_graph(*graph).wait();
            void* const native = pianola::runtime::native_handle(
                *sycl::detail::graph_access::handle(*graph), pianola::model::native_kind::graph);
            return static_cast<double>(units) *
                   static_cast<double>(raw::driver::get().nodes_that_are_no_kernels(native));
          },
          {}};
}

}  // namespace bench::gpu::ours
