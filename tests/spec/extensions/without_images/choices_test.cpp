// SPDX-License-Identifier: Apache-2.0
// Whoever chooses devices for kernels chooses among those that the program has code for: queues of several devices, and
// planning.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "without_images.hpp"

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
namespace placed = sycl::ext::pianola::property::graph;

void add_with_images(sycl::handler& h, sycl::buffer<int>& to) {
  sycl::accessor a(to, h, sycl::read_write);
  h.parallel_for(to.get_range(), [=](sycl::item<1> i) { a[i] += 1; });
}

class choices : public ::testing::Test {
 protected:
  // How many of some independent kernels ran on devices that need images. `run` is given what submits them all.
  template <class F>
  static int count_on_devices(void (*kernel)(sycl::handler&, sycl::buffer<int>&), F&& run) {
    constexpr int count = 16;
    std::vector<std::vector<int>> data(count, std::vector<int>(1 << 16, 1));
    int there = 0;
    {
      std::vector<sycl::buffer<int>> parts;
      for (auto& d : data) parts.emplace_back(d.data(), sycl::range<1>(d.size()));
      run([&](sycl::queue& q) {
        for (auto& part : parts) q.submit([&](sycl::handler& h) { kernel(h, part); });
      });
      for (auto& part : parts)
        for (const sycl::device& d : sycl::device::get_devices())
          if (d.is_gpu() && part.has_allocation(d)) ++there;
    }
    for (const auto& d : data)
      EXPECT_TRUE(std::all_of(d.begin(), d.end(), [](int x) { return x == 2; }));
    return there;
  }
  template <class F>
  static void expect_choices(F&& run) {
    EXPECT_GT(count_on_devices(add_with_images, run), 0);
    EXPECT_EQ(count_on_devices(add_without_images, run), 0);
  }
  static void replay(sycl::queue q, const sycl::property_list& properties,
                     const std::function<void(sycl::queue&)>& submit) {
    graphs::command_graph graph(q, properties);
    graph.begin_recording(q);
    submit(q);
    graph.end_recording(q);
    q.ext_oneapi_graph(graph.finalize()).wait();
  }
};

TEST_F(choices, of_queues_are_among_devices_that_have_the_code) {
  expect_choices([](const auto& submit) {
    sycl::queue q(sycl::device::get_devices());
    submit(q);
    q.wait();
  });
}

TEST_F(choices, of_queues_that_record_are_among_devices_that_have_the_code) {
  expect_choices([](const auto& submit) {
    replay(sycl::queue(sycl::device::get_devices()), {placed::multi_device()}, submit);
  });
}

TEST_F(choices, of_planning_are_among_devices_that_have_the_code) {
  const std::vector<sycl::device> all = sycl::device::get_devices();
  const auto host = std::find_if(all.begin(), all.end(), [](const auto& d) { return !d.is_gpu(); });
  ASSERT_NE(host, all.end());
  expect_choices([&](const auto& submit) {
    replay(sycl::queue(*host),
           {placed::multi_device(), placed::place(placed::place::anywhere),
            placed::split(placed::split::never)},
           submit);
  });
}

}  // namespace
