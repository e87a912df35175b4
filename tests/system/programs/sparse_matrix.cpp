// SPDX-License-Identifier: Apache-2.0
// standard: 20
// A sparse matrix times a vector, one sub-group for each row: reductions and shifts of sub-groups; and a search through
// the graph that the matrix is, with a flag for the host and buffers that change places.
#include <sycl/sycl.hpp>

#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

using namespace sycl;

template <typename T>
struct csr_matrix {
  std::vector<int> starts{0}, columns;
  std::vector<T> values;
  int rows() const { return static_cast<int>(starts.size()) - 1; }
};

csr_matrix<float> make_matrix(int rows) {
  csr_matrix<float> m;
  for (int row = 0; row < rows; ++row) {
    for (int i = 0; i < 1 + row % 90; ++i) {
      m.columns.push_back((row * 31 + i * 17 + 1) % rows);
      m.values.push_back(static_cast<float>(1 + i % 3));
    }
    m.starts.push_back(static_cast<int>(m.columns.size()));
  }
  return m;
}

template <bool Shift, typename T>
void multiply(queue& q, const csr_matrix<T>& m, std::vector<T>& x, std::vector<T>& y) {
  buffer starts{m.starts};
  buffer columns{m.columns};
  buffer values{m.values};
  buffer in{std::as_const(x)};
  buffer out{y};
  q.submit([&, rows = m.rows()](handler& h) {
    accessor start{starts, h, read_only}, column{columns, h, read_only};
    accessor value{values, h, read_only}, vector{in, h, read_only};
    accessor result{out, h, write_only, no_init};
    h.parallel_for(nd_range{range{1024}, range{128}}, [=]<int D>(nd_item<D> it) {
      const sub_group sg = it.get_sub_group();
      const int in_group = static_cast<int>(sg.get_group_linear_range());
      const int stride = in_group * static_cast<int>(it.get_group_range(0));
      for (int row = static_cast<int>(it.get_group(0) * sg.get_group_linear_range() +
                                      sg.get_group_linear_id());
           row < rows; row += stride) {
        T sum = 0;
        for (int i = start[row] + static_cast<int>(sg.get_local_linear_id()); i < start[row + 1];
             i += static_cast<int>(sg.get_local_linear_range()))
          sum += value[i] * vector[column[i]];
        if constexpr (Shift) {
          const auto size = sg.get_local_linear_range();
          for (auto step = size / 2; step > 0; step /= 2) {
            const T other = shift_group_left(sg, sum, step);
            if (sg.get_local_linear_id() < step) sum += other;
          }
        } else {
          sum = reduce_over_group(sg, sum, plus<>());
        }
        if (sg.leader()) result[row] = sum;
      }
    });
  });
}

std::vector<int> distances(queue& q, const csr_matrix<float>& m, int from) {
  const auto rows = static_cast<size_t>(m.rows());
  std::vector<int> distance(rows, -1);
  distance[static_cast<size_t>(from)] = 0;
  buffer<char> now(rows), next(rows);
  const auto release = [&](auto* p) { sycl::free(p, q); };
  const std::unique_ptr<int, decltype(release)> found(malloc_host<int>(1, q), release);
  int* flag = found.get();
  {
    buffer<int> dist(distance), starts(m.starts), columns(m.columns);
    q.submit([&](handler& h) { h.fill(now.get_access<access_mode::write>(h), char{0}); });
    host_accessor(now, write_only)[static_cast<size_t>(from)] = 1;
    for (int level = 1; level == 1 || *flag; ++level) {
      *flag = 0;
      q.submit([&](handler& h) { h.fill(accessor(next, h, write_only, no_init), '\0'); });
      q.submit([&](handler& h) {
         const auto [frontier, later] =
             std::pair{accessor{now, h, read_only}, accessor{next, h, write_only}};
         accessor d{dist, h};
         accessor start{starts, h, read_only}, column{columns, h, read_only};
         h.parallel_for(rows, [=, frontier = frontier, later = later](id<1> i) {
           if (!frontier[i]) return;
           for (int e = start[i]; e < start[i + 1]; ++e) {
             const int other = column[static_cast<size_t>(e)];
             int expected = -1;
             if (atomic_ref<int, memory_order::relaxed, memory_scope::device>(
                     d[static_cast<size_t>(other)])
                     .compare_exchange_strong(expected, level)) {
               later[static_cast<size_t>(other)] = 1;
               *flag = 1;
             }
           }
         });
       }).wait();
      std::swap(now, next);
    }
  }
  return distance;
}

int main() {
  queue q{property::queue::enable_profiling()};
  const auto m = make_matrix(500);
  std::vector<float> x(500), y(500, -1.f), z(500, -1.f);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 10);
  multiply<false>(q, m, x, y);
  const auto sizes = q.get_device().get_info<info::device::sub_group_sizes>();
  bool halves = true;
  for (size_t size : sizes) halves = halves && (size & (size - 1)) == 0;
  if (halves)
    multiply<true>(q, m, x, z);
  else
    z = y;
  int wrong = 0;
  for (size_t row = 0; row < x.size(); ++row) {
    float sum = 0;
    for (int i = m.starts[row]; i < m.starts[row + 1]; ++i)
      sum += m.values[static_cast<size_t>(i)] *
             x[static_cast<size_t>(m.columns[static_cast<size_t>(i)])];
    wrong += y[row] != sum || z[row] != sum;
  }
  const std::vector<int> got = distances(q, m, 3);
  std::vector<int> expected(500, -1), work{3};
  expected[3] = 0;
  for (size_t at = 0; at < work.size(); ++at)
    for (int e = m.starts[static_cast<size_t>(work[at])];
         e < m.starts[static_cast<size_t>(work[at]) + 1]; ++e) {
      const int other = m.columns[static_cast<size_t>(e)];
      if (expected[static_cast<size_t>(other)] < 0) {
        expected[static_cast<size_t>(other)] = expected[static_cast<size_t>(work[at])] + 1;
        work.push_back(other);
      }
    }
  const bool found = got == expected;
  if (wrong || !found)
    std::printf("sparse_matrix: %d rows wrong, distances %s\n", wrong, found ? "right" : "wrong");
  return wrong || !found;
}
