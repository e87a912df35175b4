// SPDX-License-Identifier: Apache-2.0
// A recorded heat equation, the upper half of a grid on one device and the lower one on another, with accessors to all of
// it. Prints how many pages of the grid are moved in a replay, which makes two steps; a page is a row. With an argument the
// same is submitted outside of graphs.
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include <pianola/runtime/statistics.hpp>

#include <sycl/sycl.hpp>

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
namespace policy = sycl::ext::pianola::property;

constexpr std::size_t rows = 64, columns = 32;
constexpr int replays = 5;
using grid = sycl::buffer<int, 2>;

int next(int middle, int up, int down, int left, int right) {
  return (4 * middle + up + down + left + right) / 8;
}

// Rows [first, first + count).
void step(sycl::queue& q, grid& from, grid& to, std::size_t first, std::size_t count) {
  q.submit([&](sycl::handler& h) {
    sycl::accessor x{from, h, sycl::read_only};
    sycl::accessor y{to, h, sycl::write_only};
    h.parallel_for(sycl::range<2>(count, columns), [=](sycl::id<2> i) {
      const std::size_t r = first + i[0], c = i[1];
      if (r > 0 && r + 1 < rows && c > 0 && c + 1 < columns)
        y[r][c] = next(x[r][c], x[r - 1][c], x[r + 1][c], x[r][c - 1], x[r][c + 1]);
      else
        y[r][c] = x[r][c];
    });
  });
}

std::vector<int> expected(std::vector<int> now, int steps) {
  std::vector<int> then(now);
  for (int s = 0; s < steps; ++s) {
    for (std::size_t r = 1; r + 1 < rows; ++r)
      for (std::size_t c = 1; c + 1 < columns; ++c) {
        const int* at = &now[r * columns + c];
        then[r * columns + c] =
            next(*at, at[-static_cast<int>(columns)], at[columns], at[-1], at[1]);
      }
    std::swap(now, then);
  }
  return now;
}

}  // namespace

int main(int argc, char**) {
  const bool eagerly = argc > 1;
  const auto devices = sycl::device::get_devices();
  sycl::queue a{devices[0]}, b{devices[1]};
  std::vector<int> start(rows * columns);
  for (std::size_t i = 0; i < start.size(); ++i) start[i] = static_cast<int>(i * i % 1009);
  const sycl::property_list pages{policy::buffer::page_size<2>({1, columns})};
  grid x{{rows, columns}, pages}, y{{rows, columns}, pages};
  {
    sycl::host_accessor fill{x, sycl::write_only, sycl::no_init};
    for (std::size_t i = 0; i < start.size(); ++i) fill[i / columns][i % columns] = start[i];
  }
  const auto two_steps = [&] {
    for (const auto& [from, to] : {std::pair<grid&, grid&>{x, y}, std::pair<grid&, grid&>{y, x}}) {
      step(a, from, to, 0, rows / 2);
      step(b, from, to, rows / 2, rows / 2);
    }
  };
  graphs::command_graph recorded(a, policy::graph::multi_device{});
  recorded.begin_recording(std::vector<sycl::queue>{a, b});
  two_steps();
  recorded.end_recording();
  auto body = recorded.finalize();
  const auto run = [&] {
    if (eagerly)
      two_steps();
    else
      a.ext_oneapi_graph(body);
  };
  run();  // brings the data to where it is needed
  a.wait();
  b.wait();
  pianola::runtime::reset_statistics();
  for (int n = 1; n < replays; ++n) run();
  a.wait();
  b.wait();
  const auto moved = pianola::runtime::get_statistics().transferred_pages;
  const std::vector<int> result = expected(start, 2 * replays);
  sycl::host_accessor check{x, sycl::read_only};
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < result.size(); ++i)
    if (check[i / columns][i % columns] != result[i]) ++wrong;
  std::printf("%llu pages in a replay, %llu wrong\n",
              static_cast<unsigned long long>(moved / (replays - 1)),
              static_cast<unsigned long long>(wrong));
}
