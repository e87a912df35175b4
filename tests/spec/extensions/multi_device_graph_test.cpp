// SPDX-License-Identifier: Apache-2.0
// Graphs into which queues of several devices record. The CPU is one of them; with the test doubles of drivers another
// one has memory of its own and a driver's graphs.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
using sycl::ext::pianola::property::graph::multi_device;

// At least two; the same device twice where there is only one.
std::vector<sycl::queue> queues_everywhere() {
  std::vector<sycl::queue> all;
  for (const sycl::device& d : sycl::device::get_devices()) all.emplace_back(d);
  if (all.size() == 1) all.emplace_back(all[0].get_device());
  return all;
}

// The processor reaches what any driver allocates for its device.
std::vector<sycl::queue> queues_with_common_memory() {
  std::vector<sycl::queue> all = queues_everywhere();
  const auto alone = [](const sycl::queue& q) { return !q.get_device().is_cpu(); };
  const auto first = std::find_if(all.begin(), all.end(), alone);
  if (first != all.end()) {
    std::iter_swap(all.begin(), first);
    const sycl::backend b = all[0].get_backend();
    all.erase(
        std::remove_if(all.begin() + 1, all.end(),
                       [&](const sycl::queue& q) { return alone(q) && q.get_backend() != b; }),
        all.end());
  }
  if (all.size() == 1) all.emplace_back(all[0].get_device());
  return all;
}

TEST(multi_device_graph, moves_data_to_where_its_commands_work) {
  constexpr std::size_t n = 1000;
  std::vector<sycl::queue> queues = queues_everywhere();
  sycl::buffer<int> x{sycl::range<1>(n)};
  {
    sycl::host_accessor fresh(x, sycl::write_only, sycl::no_init);
    for (std::size_t i = 0; i < n; ++i) fresh[i] = static_cast<int>(i);
  }
  graphs::command_graph graph(queues[0], multi_device{});
  graph.begin_recording(queues);
  for (std::size_t k = 0; k < queues.size(); ++k)
    queues[k].submit([&](sycl::handler& h) {
      sycl::accessor a(x, h, sycl::read_write);
      const int factor = static_cast<int>(k) + 2;
      h.parallel_for(n, [=](sycl::id<1> i) { a[i] = a[i] * factor % 1009; });
    });
  graph.end_recording();
  EXPECT_EQ(graph.get_nodes().size(), queues.size());
  auto made = graph.finalize();
  for (int i = 0; i < 3; ++i) queues[0].ext_oneapi_graph(made);
  sycl::host_accessor result(x, sycl::read_only);
  for (std::size_t i = 0; i < n; ++i) {
    int expected = static_cast<int>(i);
    for (int round = 0; round < 3; ++round)
      for (std::size_t k = 0; k < queues.size(); ++k)
        expected = expected * (static_cast<int>(k) + 2) % 1009;
    ASSERT_EQ(result[i], expected) << i;
  }
}

TEST(multi_device_graph, orders_commands_of_several_queues_by_events) {
  std::vector<sycl::queue> queues = queues_with_common_memory();
  int* const shared = sycl::malloc_host<int>(1, queues[0]);
  *shared = 0;
  graphs::command_graph graph(queues[0], multi_device{});
  graph.begin_recording(queues[0]);
  sycl::event last = queues[0].single_task([=] { *shared += 1; });
  int seen = 0;
  for (sycl::queue& q : queues) {
    // What follows a recorded command is recorded, too.
    last = q.single_task(last, [=] { *shared *= 3; });
    EXPECT_EQ(q.ext_oneapi_get_state(), graphs::queue_state::recording);
    EXPECT_EQ(q.ext_oneapi_get_graph(), graph);
    last = q.submit([&](sycl::handler& h) {
      h.depends_on(last);
      h.host_task([=, &seen] { seen = *shared; });
    });
  }
  graph.end_recording();
  auto made = graph.finalize();
  int expected = 0;
  for (int i = 0; i < 3; ++i) {
    queues[0].ext_oneapi_graph(made).wait();
    expected += 1;
    for (std::size_t k = 0; k < queues.size(); ++k) expected *= 3;
    EXPECT_EQ(seen, expected);
    expected = seen;
  }
  sycl::free(shared, queues[0]);
}

TEST(multi_device_graph, tells_host_tasks_the_device_of_their_queue) {
  std::vector<sycl::queue> queues = queues_everywhere();
  std::vector<sycl::device> told(queues.size());
  graphs::command_graph graph(queues[0], multi_device{});
  graph.begin_recording(queues);
  for (std::size_t k = 0; k < queues.size(); ++k) {
    sycl::device& device = told[k];
    queues[k].submit([&](sycl::handler& h) {
      h.host_task([&device](const sycl::interop_handle& ih) {
        const auto backend = ih.get_backend();
        for (const sycl::device& d : sycl::device::get_devices(sycl::info::device_type::all))
          if (d.get_backend() == backend) device = d;
      });
    });
  }
  graph.end_recording();
  queues[0].ext_oneapi_graph(graph.finalize()).wait();
  for (std::size_t k = 0; k < queues.size(); ++k)
    EXPECT_EQ(told[k].get_backend(), queues[k].get_backend()) << k;
}

TEST(multi_device_graph, can_be_updated) {
  std::vector<sycl::queue> queues = queues_everywhere();
  sycl::buffer<int> x{sycl::range<1>(16)};
  const auto record = [&](int by, bool other_device) {
    graphs::command_graph graph(queues[0], multi_device{});
    graph.begin_recording(queues);
    for (sycl::queue& q : queues)
      (other_device ? queues[0] : q).submit([&](sycl::handler& h) {
        sycl::accessor a(x, h, sycl::read_write);
        h.parallel_for(16, [=](sycl::id<1> i) { a[i] += by; });
      });
    graph.end_recording();
    return graph;
  };
  {
    sycl::host_accessor fresh(x, sycl::write_only, sycl::no_init);
    for (int& value : fresh) value = 0;
  }
  auto made = record(1, false).finalize(graphs::property::graph::updatable{});
  const int commands = static_cast<int>(queues.size());
  const auto value = [&] { return sycl::host_accessor(x, sycl::read_only)[7]; };
  queues[0].ext_oneapi_graph(made);
  EXPECT_EQ(value(), commands);
  made.update(record(10, false));
  queues[0].ext_oneapi_graph(made);
  EXPECT_EQ(value(), 11 * commands);
  // The same nodes on other devices.
  made.update(record(100, true));
  queues[0].ext_oneapi_graph(made);
  EXPECT_EQ(value(), 111 * commands);
}

TEST(multi_device_graph, has_to_be_asked_for) {
  std::vector<sycl::queue> queues = queues_everywhere();
  if (queues[0].get_device() == queues[1].get_device()) GTEST_SKIP() << "one device";
  graphs::command_graph graph(queues[0]);
  EXPECT_EQ(error_code_of([&] { graph.begin_recording(queues[1]); }), sycl::errc::invalid);
  // It belongs to one device all the same.
  graphs::command_graph wide(queues[0], multi_device{});
  wide.begin_recording(queues[1]);
  queues[1].single_task([] {});
  wide.end_recording();
  auto made = wide.finalize();
  EXPECT_EQ(error_code_of([&] { queues[1].ext_oneapi_graph(made); }), sycl::errc::invalid);
  queues[0].ext_oneapi_graph(made).wait();
}

}  // namespace
