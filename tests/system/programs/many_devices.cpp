// SPDX-License-Identifier: Apache-2.0
// All devices that there are, more than sets of memories have bits in one word: data that goes around, data that is valid
// on all of them at once, graphs that use all of them, as recorded and as planning places it.
// host only: it is about many memories, which simulated devices have
// devices: simulated:100
// devices: openmp,simulated:70:separate
#include <sycl/sycl.hpp>

#include <cstddef>
#include <cstdio>
#include <vector>

namespace graphs = sycl::ext::oneapi::experimental;
namespace pia = sycl::ext::pianola;
using sycl::accessor, sycl::buffer, sycl::handler, sycl::id, sycl::range;

constexpr std::size_t columns = 64;

bool report(const char* what, std::size_t at, long is, long expected) {
  if (is == expected) return true;
  std::printf("%s: at %zu there is %ld, expected %ld\n", what, at, is, expected);
  return false;
}

// x goes from device to device, each of which multiplies and adds.
void go_around(std::vector<sycl::queue>& queues, buffer<int>& x) {
  for (std::size_t k = 0; k < queues.size(); ++k)
    queues[k].submit([&](handler& h) {
      accessor a(x, h);
      const int plus = static_cast<int>(k);
      h.parallel_for(range<1>(columns), [=](id<1> i) { a[i] = (a[i] * 3 + plus) % 1009; });
    });
}

bool check_around(const char* what, buffer<int>& x, std::size_t devices, int rounds) {
  sycl::host_accessor a(x, sycl::read_only);
  for (std::size_t i = 0; i < columns; ++i) {
    int expected = static_cast<int>(i);
    for (int r = 0; r < rounds; ++r)
      for (std::size_t k = 0; k < devices; ++k)
        expected = (expected * 3 + static_cast<int>(k)) % 1009;
    if (!report(what, i, a[i], expected)) return false;
  }
  return true;
}

void count_up(buffer<int>& x) {
  sycl::host_accessor a(x, sycl::write_only, sycl::no_init);
  for (std::size_t i = 0; i < columns; ++i) a[i] = static_cast<int>(i);
}

// Each device makes a row, the last one adds them up, all read the sum where it is then, and each writes what it saw.
void share_rows(std::vector<sycl::queue>& queues, buffer<int, 2>& rows, buffer<int>& sum,
                buffer<int, 2>& seen) {
  const std::size_t n = queues.size();
  const auto row = [](std::size_t k) { return id<2>(k, 0); };
  const range<2> one(1, columns);
  for (std::size_t k = 0; k < n; ++k)
    queues[k].submit([&](handler& h) {
      accessor a(rows, h, one, row(k), sycl::write_only, sycl::no_init);
      const int of = static_cast<int>(k);
      h.parallel_for(range<1>(columns),
                     [=](id<1> i) { a[id<2>(0, i[0])] = of + static_cast<int>(i[0]); });
    });
  queues[n - 1].submit([&](handler& h) {
    accessor a(rows, h, sycl::read_only);
    accessor s(sum, h, sycl::write_only, sycl::no_init);
    h.parallel_for(range<1>(columns), [=](id<1> i) {
      int all = 0;
      for (std::size_t k = 0; k < n; ++k) all += a[id<2>(k, i[0])];
      s[i] = all;
    });
  });
  for (std::size_t k = 0; k < n; ++k)
    queues[k].submit([&](handler& h) {
      accessor s(sum, h, sycl::read_only);
      accessor a(seen, h, one, row(k), sycl::write_only, sycl::no_init);
      const int of = static_cast<int>(k);
      h.parallel_for(range<1>(columns), [=](id<1> i) { a[id<2>(0, i[0])] = s[i] - of; });
    });
}

bool check_rows(const char* what, buffer<int, 2>& seen) {
  sycl::host_accessor a(seen, sycl::read_only);
  const std::size_t n = seen.get_range()[0];
  const long ids = static_cast<long>(n * (n - 1) / 2);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < columns; ++i)
      if (!report(what, k * columns + i, a[id<2>(k, i)],
                  ids + static_cast<long>(n * i) - static_cast<long>(k)))
        return false;
  return true;
}

// Pages of one row each, so that no device waits for another's.
buffer<int, 2> rows_of(std::size_t n) {
  return buffer<int, 2>(range<2>(n, columns),
                        {pia::property::buffer::page_size<2>(range<2>(1, columns))});
}

bool eagerly(std::vector<sycl::queue>& queues) {
  buffer<int> x(range<1>{columns}), sum(range<1>{columns});
  buffer<int, 2> rows = rows_of(queues.size()), seen = rows_of(queues.size());
  count_up(x);
  for (int r = 0; r < 2; ++r) go_around(queues, x);
  share_rows(queues, rows, sum, seen);
  return check_around("eagerly, around", x, queues.size(), 2) && check_rows("eagerly, rows", seen);
}

bool recorded(std::vector<sycl::queue>& queues) {
  buffer<int> x(range<1>{columns}), sum(range<1>{columns});
  buffer<int, 2> rows = rows_of(queues.size()), seen = rows_of(queues.size());
  count_up(x);
  graphs::command_graph graph(queues[0], pia::property::graph::multi_device{});
  graph.begin_recording(queues);
  go_around(queues, x);
  share_rows(queues, rows, sum, seen);
  graph.end_recording();
  auto made = graph.finalize();
  for (int r = 0; r < 3; ++r) queues[0].ext_oneapi_graph(made);
  return check_around("recorded, around", x, queues.size(), 3) &&
         check_rows("recorded, rows", seen);
}

// Chains that have nothing to do with each other, all for one queue: where they run is up to planning.
bool placed(std::vector<sycl::queue>& queues) {
  const std::size_t n = queues.size();
  buffer<int, 2> rows = rows_of(n);
  {
    sycl::host_accessor a(rows, sycl::write_only, sycl::no_init);
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = 0; i < columns; ++i) a[id<2>(k, i)] = static_cast<int>(k + i);
  }
  graphs::command_graph graph(queues[0],
                              pia::property::graph::place(pia::property::graph::place::anywhere));
  graph.begin_recording(queues[0]);
  for (int step = 0; step < 3; ++step)
    for (std::size_t k = 0; k < n; ++k)
      queues[0].submit([&](handler& h) {
        accessor a(rows, h, range<2>(1, columns), id<2>(k, 0));
        h.parallel_for(range<1>(columns), [=](id<1> i) {
          int& v = a[id<2>(0, i[0])];
          v = (v * 5 + 1) % 1009;
        });
      });
  graph.end_recording();
  auto made = graph.finalize();
  for (int r = 0; r < 2; ++r) queues[0].ext_oneapi_graph(made);
  sycl::host_accessor a(rows, sycl::read_only);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < columns; ++i) {
      int expected = static_cast<int>(k + i);
      for (int times = 0; times < 6; ++times) expected = (expected * 5 + 1) % 1009;
      if (!report("placed", k * columns + i, a[id<2>(k, i)], expected)) return false;
    }
  return true;
}

int main() {
  std::vector<sycl::queue> queues;
  for (const sycl::device& d : sycl::device::get_devices()) queues.emplace_back(d);
  const bool right = eagerly(queues) && recorded(queues) && placed(queues);
  std::printf("%zu devices: %s\n", queues.size(), right ? "OK" : "wrong");
  return right ? 0 : 1;
}
