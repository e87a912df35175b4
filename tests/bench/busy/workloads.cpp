// SPDX-License-Identifier: Apache-2.0
#include "workloads.hpp"

#include <stdexcept>
#include <vector>

#include <sycl/sycl.hpp>

namespace bench {

namespace {

namespace graphs = sycl::ext::oneapi::experimental;

constexpr int chains = 8, layers = 250, length = 256;
constexpr int section_kernels = 50, section_length = 20'000, loop_length = 200'000;

inline float next(float x) { return x * 0.9999F + 0.25F; }
// Of one chain in one layer: from itself, in every third layer from its neighbour.
inline int source_of(int layer, int chain) { return layer % 3 == 2 ? (chain + 1) % chains : chain; }
// Two copies of each chain's data, so that a layer reads what the one before it wrote.
inline std::size_t place_of(int layer, int chain) {
  return static_cast<std::size_t>((layer % 2 * chains + chain) * length);
}

double sum_of(const float* data, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += data[i];
  return sum;
}

struct on_queue {
  explicit on_queue(std::size_t n) : size(n), data(sycl::malloc_shared<float>(n, queue)) {
    for (std::size_t i = 0; i < n; ++i) data[i] = 1;
  }
  ~on_queue() { sycl::free(data, queue); }
  on_queue(const on_queue&) = delete;
  on_queue& operator=(const on_queue&) = delete;
  void kernel(int n) {
    float* p = data;
    queue.parallel_for(sycl::range<1>(static_cast<std::size_t>(n)),
                       [=](sycl::id<1> i) { p[i] = next(p[i]); });
  }
  sycl::queue queue{sycl::cpu_selector_v, sycl::property::queue::in_order()};
  std::size_t size;
  float* data;
  std::unique_ptr<graphs::command_graph<graphs::graph_state::executable>> graph;
};

void record(on_queue& q) {
  graphs::command_graph<graphs::graph_state::modifiable> graph(q.queue);
  std::vector<graphs::node> nodes;
  for (int layer = 0; layer < layers; ++layer)
    for (int chain = 0; chain < chains; ++chain) {
      const float* from = q.data + place_of(layer + 1, source_of(layer, chain));
      float* to = q.data + place_of(layer, chain);
      nodes.push_back(graph.add([&](sycl::handler& h) {
        h.parallel_for(sycl::range<1>(length), [=](sycl::id<1> i) { to[i] = next(from[i]); });
      }));
      if (layer == 0) continue;
      // What it reads, and who has read what it overwrites.
      const auto before = static_cast<std::size_t>((layer - 1) * chains);
      for (int c = 0; c < chains; ++c)
        if (c == source_of(layer, chain) || source_of(layer - 1, c) == chain)
          graph.make_edge(nodes[before + static_cast<std::size_t>(c)], nodes.back());
    }
  q.graph =
      std::make_unique<graphs::command_graph<graphs::graph_state::executable>>(graph.finalize());
}

void layered_loops(float* data) {
#pragma omp parallel
  for (int layer = 0; layer < layers; ++layer) {
#pragma omp for schedule(static)
    for (int chain = 0; chain < chains; ++chain) {
      const float* from = data + place_of(layer + 1, source_of(layer, chain));
      float* to = data + place_of(layer, chain);
      for (int i = 0; i < length; ++i) to[i] = next(from[i]);
    }
  }
}

void loop(float* data, int n) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i) data[i] = next(data[i]);
}

workload ours(const std::string& name, std::size_t size) {
  auto q = std::make_shared<on_queue>(size);
  workload w;
  w.checksum = [q] { return sum_of(q->data, q->size); };
  if (name == "replay") {
    record(*q);
    w.round = [q] { q->queue.ext_oneapi_graph(*q->graph).wait(); };
  } else if (name == "sections") {
    w.round = [q] {
      for (int i = 0; i < section_kernels; ++i) q->kernel(section_length);
      q->queue.wait();
    };
  } else {
    w.round = [q] {
      q->kernel(loop_length);
      q->queue.wait();
    };
  }
  return w;
}

workload openmp(const std::string& name, std::size_t size) {
  auto data = std::make_shared<std::vector<float>>(size, 1.0F);
  workload w;
  w.checksum = [data] { return sum_of(data->data(), data->size()); };
  if (name == "replay") {
    w.round = [data] { layered_loops(data->data()); };
  } else if (name == "sections") {
    w.round = [data] {
      for (int i = 0; i < section_kernels; ++i) loop(data->data(), section_length);
    };
  } else {
    w.round = [data] { loop(data->data(), loop_length); };
  }
  return w;
}

}  // namespace

workload make_workload(const std::string& name, side s) {
  const std::size_t size = name == "replay"         ? 2U * chains * length
                           : name == "sections"     ? section_length
                           : name == "parallel_for" ? loop_length
                                                    : 0;
  if (size == 0) throw std::invalid_argument("no workload '" + name + "'");
  return s == side::ours ? ours(name, size) : openmp(name, size);
}

}  // namespace bench
