// SPDX-License-Identifier: Apache-2.0
// What it costs to change some nodes of an executable graph, beside finalizing the changed graph.
#include <memory>
#include <vector>

#include <sycl/sycl.hpp>

#include "comparison.hpp"

namespace bench {

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
using modifiable = graphs::command_graph<graphs::graph_state::modifiable>;
using executable = graphs::command_graph<graphs::graph_state::executable>;

// Kernels that add to one buffer each, in a ring of 16 buffers.
struct updated_graph {
  explicit updated_graph(std::size_t count)
      : graph(queue), value(0), data(sycl::malloc_shared<float>(16 * 64, queue)) {
    for (std::size_t i = 0; i < count; ++i)
      nodes.push_back(graph.add([&](sycl::handler& h) {
        sycl::ext::pianola::dynamic_argument add(value);
        float* const to = data + i % 16 * 64;
        h.parallel_for(sycl::range<1>(64), [=](sycl::id<1> x) { to[x] += add; });
      }));
    exec.push_back(graph.finalize({graphs::property::graph::updatable()}));
  }
  ~updated_graph() { sycl::free(data, queue); }
  updated_graph(const updated_graph&) = delete;
  updated_graph& operator=(const updated_graph&) = delete;

  sycl::queue queue{sycl::property::queue::in_order()};
  modifiable graph;
  graphs::dynamic_parameter<float> value;
  float* data;
  std::vector<graphs::node> nodes;
  std::vector<executable> exec;
};

subject updating(std::size_t count, std::size_t changed) {
  auto g = std::make_shared<updated_graph>(count);
  const std::vector<graphs::node> some(g->nodes.begin(),
                                       g->nodes.begin() + static_cast<std::ptrdiff_t>(changed));
  return {[g, some](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) g->exec[0].update(some);
            });
          },
          {}};
}

subject finalizing(std::size_t count) {
  auto g = std::make_shared<updated_graph>(count);
  return {[g](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) g->exec[0] = g->graph.finalize();
            });
          },
          {}};
}

}  // namespace

void add_updating(std::vector<comparison>& all) {
  const auto add = [&](const char* name, std::size_t count, std::size_t changed, target goal) {
    comparison c;
    c.name = std::string("update/") + name;
    c.unit = "us/update";
    c.units = 20;
    c.warm_up = 2;
    c.rounds = 11;
    c.ours = [=] { return updating(count, changed); };
    c.reference = [=] { return finalizing(count); };
    c.reference_name = "finalize() of the graph";
    c.goal = goal;
    all.push_back(std::move(c));
  };
  add("1_of_1000_nodes", 1000, 1, ratio_at_most(0.02));
  add("10_of_1000_nodes", 1000, 10, ratio_at_most(0.05));
  add("100_of_1000_nodes", 1000, 100, ratio_at_most(0.3));
  add("10_of_100_nodes", 100, 10, ratio_at_most(0.3));
}

}  // namespace bench
