// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "dag.hpp"

namespace bench {

namespace {

struct nodes_in_memory {
  dag graph;
  std::vector<float> values = std::vector<float>(dag::nodes * dag::length);

  void compute(std::size_t k) {
    float* __restrict to = values.data() + k * dag::length;
    if (dag::is_source(k)) {
      for (std::size_t i = 0; i < dag::length; ++i) to[i] = source_value(k, i);
      return;
    }
    const float* a = values.data() + graph.predecessors(k)[0] * dag::length;
    const float* b = values.data() + graph.predecessors(k)[1] * dag::length;
    for (std::size_t i = 0; i < dag::length; ++i) to[i] = combine(a[i], b[i]);
  }
  [[nodiscard]] double checksum() const {
    double sum = 0;
    for (std::size_t i = (dag::nodes - dag::width) * dag::length; i < values.size(); ++i)
      sum += values[i];
    return sum;
  }
};

}  // namespace

subject dag_in_sequence() {
  auto s = std::make_shared<nodes_in_memory>();
  return {[s](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t u = 0; u < units; ++u)
                for (std::size_t k = 0; k < dag::nodes; ++k) {
                  s->compute(k);
                  // Kernels are not merged or dropped.
                  asm volatile("" ::: "memory");
                }
            });
          },
          [s] { return s->checksum(); }};
}

subject dag_as_tasks() {
  auto s = std::make_shared<nodes_in_memory>();
  return {[s](std::uint64_t units) {
            std::vector<char> tokens(dag::nodes);
            char* t = tokens.data();
            nodes_in_memory* n = s.get();
            return nanoseconds_of([&] {
              for (std::uint64_t u = 0; u < units; ++u) {
#pragma omp parallel
#pragma omp single
                for (std::size_t k = 0; k < dag::nodes; ++k) {
                  if (dag::is_source(k)) {
#pragma omp task depend(out : t[k]) firstprivate(k, n)
                    n->compute(k);
                  } else {
                    const std::size_t a = n->graph.predecessors(k)[0],
                                      b = n->graph.predecessors(k)[1];
#pragma omp task depend(in : t[a], t[b]) depend(out : t[k]) firstprivate(k, n)
                    n->compute(k);
                  }
                }
              }
            });
          },
          [s] { return s->checksum(); }};
}

}  // namespace bench
