// SPDX-License-Identifier: Apache-2.0
// Graphs and launches by hand, with the kernel that Pianola's side runs, from the same image.
#include <memory>
#include <vector>

#include "programs.hpp"
#include "raw_work.hpp"

namespace bench::gpu::raw {

namespace {

struct graph_by_hand {
  graph_by_hand(nodes_of_work& work, const graph_edges& edges) : d(work.d) {
    d.check(d.call().cuGraphCreate(&graph, 0), "cuGraphCreate");
    nodes.resize(edges.size());
    std::vector<handle> after;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      after.clear();
      for (const std::uint32_t w : edges[i]) after.push_back(nodes[w]);
      void* place[2];
      const cuda::kernel_node_parameters p = work.parameters_of(i, place);
      d.check(d.call().cuGraphAddKernelNode(&nodes[i], graph, after.data(), after.size(), &p),
              "cuGraphAddKernelNode");
    }
    d.check(d.call().cuGraphInstantiate(&executable, graph, 0), "cuGraphInstantiate");
    d.check(d.call().cuGraphUpload(executable, work.stream), "cuGraphUpload");
    d.synchronize(work.stream);
  }
  graph_by_hand(const graph_by_hand&) = delete;
  graph_by_hand& operator=(const graph_by_hand&) = delete;
  ~graph_by_hand() {
    (void)d.call().cuGraphExecDestroy(executable);
    (void)d.call().cuGraphDestroy(graph);
  }
  void launch(handle stream) {
    d.check(d.call().cuGraphLaunch(executable, stream), "cuGraphLaunch");
  }

  driver& d;
  handle graph = nullptr;
  handle executable = nullptr;
  std::vector<handle> nodes;
};

struct replayed {
  replayed(shape s, std::size_t n) : work(n), graph(work, edges_of(s, n)) {}
  nodes_of_work work;
  graph_by_hand graph;
};

}  // namespace

subject replay(shape s, std::size_t nodes, replay_time what) {
  auto r = std::make_shared<replayed>(s, nodes);
  return {[r, what](std::uint64_t units) {
            if (what == replay_time::whole)
              return nanoseconds_of([&] {
                for (std::uint64_t i = 0; i < units; ++i) r->graph.launch(r->work.stream);
                r->work.d.synchronize(r->work.stream);
              });
            double sum = 0;
            for (std::uint64_t i = 0; i < units; ++i) {
              sum += nanoseconds_of([&] { r->graph.launch(r->work.stream); });
              r->work.d.synchronize(r->work.stream);
            }
            return sum;
          },
          [r] { return r->work.checksum(); }};
}

subject kernels_and_functions(std::size_t functions) {
  struct calls {
    nodes_of_work work{1};
    std::uint64_t called = 0;
  };
  auto c = std::make_shared<calls>();
  return {[c, functions](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units * functions; ++i) {
                c->work.launch(0);
                c->work.d.synchronize(c->work.stream);
                ++c->called;
              }
            });
          },
          [c] { return c->work.checksum() + static_cast<double>(c->called); }};
}

subject submission() {
  auto work = std::make_shared<nodes_of_work>(1);
  return {[work](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) work->launch(0);
              work->d.synchronize(work->stream);
            });
          },
          [work] { return work->checksum(); }};
}

subject instantiate(shape s, std::size_t nodes) {
  auto work = std::make_shared<nodes_of_work>(nodes);
  return {[work, edges = edges_of(s, nodes)](std::uint64_t units) {
            double sum = 0;
            for (std::uint64_t i = 0; i < units; ++i) {
              std::unique_ptr<graph_by_hand> graph;
              sum += nanoseconds_of([&] { graph = std::make_unique<graph_by_hand>(*work, edges); });
              graph->launch(work->stream);
              work->d.synchronize(work->stream);
            }
            return sum;
          },
          [work] { return work->checksum(); }};
}

subject update(std::size_t nodes, std::size_t changed) {
  auto r = std::make_shared<replayed>(shape::chain, nodes);
  return {[r, changed](std::uint64_t units) {
            double sum = 0;
            for (std::uint64_t i = 0; i < units; ++i) {
              for (node_values& v : r->work.values) v.summand = v.summand == 1.0F ? 2.0F : 1.0F;
              sum += nanoseconds_of([&] {
                for (std::size_t n = 0; n < changed; ++n) {
                  void* place[2];
                  const cuda::kernel_node_parameters p = r->work.parameters_of(n, place);
                  r->work.d.check(r->work.d.call().cuGraphExecKernelNodeSetParams(
                                      r->graph.executable, r->graph.nodes[n], &p),
                                  "cuGraphExecKernelNodeSetParams");
                }
              });
              r->graph.launch(r->work.stream);
              r->work.d.synchronize(r->work.stream);
            }
            return sum;
          },
          [r] { return r->work.checksum(); }};
}

bool counts_bytes() { return driver::get().control() != nullptr; }

subject counted_bytes(subject of) {
  return {[run = of.run](std::uint64_t units) {
            const auto* c = driver::get().control();
            const auto moved = [c] {
              using pianola::test::copied;
              return c->copied_bytes(copied::host_to_device) +
                     c->copied_bytes(copied::device_to_host);
            };
            const std::uint64_t before = moved();
            (void)run(units);
            return static_cast<double>(moved() - before);
          },
          {}};
}

}  // namespace bench::gpu::raw
