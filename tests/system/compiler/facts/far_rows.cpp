// SPDX-License-Identifier: Apache-2.0
// One device makes all of a grid, another one reads rows of it that are far apart, through an accessor to all of it. Prints
// how many pages are moved in a round; a page is a row. With an argument nothing is recorded.
#include <cstdio>
#include <vector>

#include <pianola/runtime/statistics.hpp>

#include <sycl/sycl.hpp>

namespace {

constexpr std::size_t rows = 64, columns = 32, distance = 24, first = 28, count = 8;
constexpr int rounds = 5;

}  // namespace

int main(int argc, char**) {
  namespace graphs = sycl::ext::oneapi::experimental;
  namespace policy = sycl::ext::pianola::property;
  const auto devices = sycl::device::get_devices();
  sycl::queue a{devices[0]}, b{devices[1]};
  const sycl::property_list pages{policy::buffer::page_size<2>({1, columns})};
  sycl::buffer<int, 2> x{{rows, columns}, pages}, y{{rows, columns}, pages};
  {
    sycl::host_accessor start{x, sycl::write_only, sycl::no_init};
    sycl::host_accessor other{y, sycl::write_only, sycl::no_init};
    for (std::size_t i = 0; i < rows * columns; ++i) {
      start[i / columns][i % columns] = static_cast<int>(i);
      other[i / columns][i % columns] = 0;
    }
  }
  const auto round = [&] {
    a.submit([&](sycl::handler& h) {
      sycl::accessor all{x, h};
      h.parallel_for(x.get_range(), [=](sycl::id<2> i) { all[i] += 1; });
    });
    b.submit([&](sycl::handler& h) {
      sycl::accessor from{x, h, sycl::read_only};
      sycl::accessor to{y, h, sycl::write_only};
      h.parallel_for(sycl::range<2>(count, columns), [=](sycl::id<2> i) {
        const std::size_t r = first + i[0], c = i[1];
        to[r][c] = from[r - distance][c] * 3 + from[r + distance][c];
      });
    });
  };
  graphs::command_graph recorded(a, policy::graph::multi_device{});
  recorded.begin_recording(std::vector<sycl::queue>{a, b});
  round();
  recorded.end_recording();
  auto body = recorded.finalize();
  const auto run = [&] {
    if (argc > 1)
      round();
    else
      a.ext_oneapi_graph(body);
  };
  run();
  a.wait();
  b.wait();
  pianola::runtime::reset_statistics();
  for (int n = 1; n < rounds; ++n) run();
  a.wait();
  b.wait();
  const auto moved = pianola::runtime::get_statistics().transferred_pages;
  int wrong = 0;
  sycl::host_accessor result{y, sycl::read_only};
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      const auto at = [&](std::size_t row) { return static_cast<int>(row * columns + c) + rounds; };
      const bool made = r >= first && r < first + count;
      if (result[r][c] != (made ? at(r - distance) * 3 + at(r + distance) : 0)) ++wrong;
    }
  std::printf("%d pages in a round, %d wrong\n", static_cast<int>(moved / (rounds - 1)), wrong);
}
