// SPDX-License-Identifier: Apache-2.0
#include "submission_reference.hpp"

#include <memory>
#include <numeric>
#include <vector>

namespace bench {

subject dependent_tasks(std::size_t counters) {
  struct state {
    std::vector<int> values;
    std::size_t next = 0;
  };
  auto s = std::make_shared<state>();
  s->values.resize(counters);
  return {[s](std::uint64_t units) {
            int* values = s->values.data();
            return nanoseconds_of([&] {
#pragma omp parallel
#pragma omp single
              for (std::uint64_t i = 0; i < units; ++i) {
                const std::size_t at = s->next;
#pragma omp task depend(inout : values[at]) firstprivate(at)
                values[at] += 1;
                if (++s->next == s->values.size()) s->next = 0;
              }
            });
          },
          [s] { return std::accumulate(s->values.begin(), s->values.end(), 0.0); }};
}

subject region_each() {
  auto value = std::make_shared<int>(0);
  return {[value](std::uint64_t units) {
            int* p = value.get();
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) {
#pragma omp parallel
                {
#pragma omp single nowait
                  *static_cast<volatile int*>(p) = *p + 1;
                }
              }
            });
          },
          [value] { return static_cast<double>(*value); }};
}

}  // namespace bench
