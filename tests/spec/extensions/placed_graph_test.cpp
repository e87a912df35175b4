// SPDX-License-Identifier: Apache-2.0
// Graphs whose kernels run where planning puts them.
// compiled alone: others have its short names, too.
#include <unistd.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
using sycl::ext::pianola::property::graph::multi_device;
using sycl::ext::pianola::property::graph::objective;
using sycl::ext::pianola::property::graph::place;
using executable = graphs::command_graph<graphs::graph_state::executable>;

constexpr std::size_t n = 4096;

// The devices that steps of the plan run commands on, as its file names them.
std::set<std::string> devices_of(const executable& made) {
  const std::string path =
      ::testing::TempDir() + "placed-" + std::to_string(::getpid()) + ".plan.json";
  sycl::ext::pianola::write_plan(made, path);
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::remove(path.c_str());
  std::set<std::string> found;
  const std::string key = "\"device\":";
  for (std::size_t at = text.find("\"command\":"); at != std::string::npos;
       at = text.find("\"command\":", at + 1)) {
    const std::size_t device = text.find(key, at) + key.size();
    found.insert(text.substr(device, text.find_first_of(",}", device) - device));
  }
  return found;
}

// Some chains of kernels that have nothing to do with each other, recorded to one queue.
struct chains {
  explicit chains(std::size_t count) : data(count, std::vector<int>(n)) {
    for (std::size_t c = 0; c < count; ++c) {
      std::iota(data[c].begin(), data[c].end(), static_cast<int>(c));
      buffers.emplace_back(data[c].data(), sycl::range<1>(n));
    }
  }
  void submit_to(sycl::queue& q, int factor = 3) {
    for (int step = 0; step < 3; ++step)
      for (sycl::buffer<int>& b : buffers)
        q.submit([&](sycl::handler& h) {
          sycl::accessor a(b, h, sycl::read_write);
          h.parallel_for(n, [=](sycl::id<1> i) { a[i] = a[i] * factor % 1009 + step; });
        });
  }
  void expect(int replays, int factor = 3) {
    for (std::size_t c = 0; c < buffers.size(); ++c) {
      sycl::host_accessor result(buffers[c], sycl::read_only);
      for (std::size_t i = 0; i < n; ++i) {
        int expected = static_cast<int>(c + i);
        for (int r = 0; r < replays; ++r)
          for (int step = 0; step < 3; ++step) expected = expected * factor % 1009 + step;
        ASSERT_EQ(result[i], expected) << "chain " << c << " element " << i;
      }
    }
  }
  std::vector<std::vector<int>> data;
  std::vector<sycl::buffer<int>> buffers;
};

// One chain for each device is what is soonest done. Kernels leave a device with code of its own only where enough of
// them is proven.
void expect_spread(const sycl::queue& q, std::size_t used, std::size_t chains) {
  EXPECT_TRUE(used == chains || (used < chains && q.get_device().is_gpu())) << used;
}

TEST(placed_graph, spreads_what_is_independent_and_computes_the_same) {
  sycl::queue q;
  chains work(q.get_context().get_devices().size());
  graphs::command_graph graph(q, place(place::anywhere));
  graph.begin_recording(q);
  work.submit_to(q);
  graph.end_recording();
  auto made = graph.finalize();
  expect_spread(q, devices_of(made).size(), work.buffers.size());
  for (int i = 0; i < 3; ++i) q.ext_oneapi_graph(made);
  work.expect(3);
}

TEST(placed_graph, stays_where_it_was_submitted_unless_asked) {
  sycl::queue q;
  chains work(3);
  graphs::command_graph graph(q);
  graph.begin_recording(q);
  work.submit_to(q);
  graph.end_recording();
  EXPECT_EQ(devices_of(graph.finalize()).size(), 1U);
  EXPECT_EQ(devices_of(graph.finalize(place(place::as_submitted))).size(), 1U);
}

TEST(placed_graph, finalize_says_the_last_word) {
  sycl::queue q;
  chains work(q.get_context().get_devices().size());
  graphs::command_graph graph(q, {place(place::anywhere), objective(objective::bytes)});
  graph.begin_recording(q);
  work.submit_to(q);
  graph.end_recording();
  EXPECT_EQ(devices_of(graph.finalize(place(place::as_submitted))).size(), 1U);
  EXPECT_EQ(devices_of(graph.finalize(objective(objective::makespan))).size(), work.buffers.size());
}

TEST(placed_graph, chooses_among_all_devices_with_every_objective) {
  for (const objective::goal wanted : {objective::makespan, objective::bytes, objective::memory}) {
    std::vector<sycl::queue> queues;
    for (const sycl::device& d : sycl::device::get_devices()) queues.emplace_back(d);
    chains work(4);
    graphs::command_graph graph(queues[0],
                                {multi_device{}, place(place::anywhere), objective(wanted)});
    graph.begin_recording(queues);
    for (sycl::queue& q : queues) work.submit_to(q);
    graph.end_recording();
    auto made = graph.finalize();
    for (int i = 0; i < 2; ++i) queues[0].ext_oneapi_graph(made);
    work.expect(2 * static_cast<int>(queues.size()));
  }
}

TEST(placed_graph, leaves_kernels_with_pointers_and_host_tasks_where_they_are) {
  sycl::queue q;
  int* const pointer = sycl::malloc_device<int>(n, q);
  std::vector<int> result(n);
  sycl::buffer<int> seen(sycl::range<1>{n});
  graphs::command_graph graph(q, place(place::anywhere));
  graph.begin_recording(q);
  auto e = q.parallel_for(n, [=](sycl::id<1> i) { pointer[i] = static_cast<int>(i[0]) * 7; });
  q.submit([&](sycl::handler& h) {
    h.depends_on(e);
    sycl::accessor a(seen, h, sycl::write_only, sycl::no_init);
    h.parallel_for(n, [=](sycl::id<1> i) { a[i] = pointer[i] + 1; });
  });
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(seen, h, sycl::read_only_host_task);
    int* const out = result.data();
    h.host_task([=] {
      for (std::size_t i = 0; i < n; ++i) out[i] = a[i];
    });
  });
  graph.end_recording();
  auto made = graph.finalize();
  q.ext_oneapi_graph(made).wait();
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(result[i], static_cast<int>(i) * 7 + 1);
  sycl::free(pointer, q);
}

TEST(placed_graph, follows_updates_of_nodes_and_of_the_whole) {
  sycl::queue q;
  chains work(q.get_context().get_devices().size());
  graphs::command_graph graph(q, place(place::anywhere));
  graph.begin_recording(q);
  work.submit_to(q, 3);
  graph.end_recording();
  auto made = graph.finalize(graphs::property::graph::updatable{});
  const std::size_t devices = devices_of(made).size();

  graphs::command_graph other(q);
  other.begin_recording(q);
  work.submit_to(q, 5);
  other.end_recording();
  made.update(other);
  EXPECT_EQ(devices_of(made).size(), devices);
  q.ext_oneapi_graph(made);
  work.expect(1, 5);
}

TEST(placed_graph, plans_again_where_an_update_brings_a_pointer) {
  sycl::queue q;
  int* const pointer = sycl::malloc_device<int>(n, q);
  q.fill(pointer, 4, n).wait();
  const std::size_t count = q.get_context().get_devices().size();
  std::vector<std::vector<int>> data(count, std::vector<int>(n, 1));
  {
    std::vector<sycl::buffer<int>> buffers;
    for (auto& d : data) buffers.emplace_back(d.data(), sycl::range<1>(n));
    graphs::command_graph graph(q, place(place::anywhere));
    graphs::dynamic_parameter<int*> parameter(graph, nullptr);
    std::vector<graphs::node> nodes;
    for (sycl::buffer<int>& b : buffers)
      nodes.push_back(graph.add([&](sycl::handler& h) {
        sycl::accessor a(b, h, sycl::read_write);
        const sycl::ext::pianola::dynamic_argument given(parameter);
        h.parallel_for(n, [=](sycl::id<1> i) {
          const int* const p = given;
          a[i] += p == nullptr ? 1 : p[i];
        });
      }));
    auto made = graph.finalize(graphs::property::graph::updatable{});
    q.ext_oneapi_graph(made);
    parameter.update(pointer);
    made.update(nodes);
    q.ext_oneapi_graph(made);
  }
  for (const auto& d : data)
    for (const int value : d) ASSERT_EQ(value, 6);
  sycl::free(pointer, q);
}

}  // namespace
