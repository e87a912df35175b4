// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

namespace group = sycl::property::command_group;

/// The devices that can run this program's kernels.
std::vector<sycl::device> usable_devices() {
  const sycl::device preferred;
  std::vector<sycl::device> all;
  for (const sycl::device& d : sycl::device::get_devices())
    if (d.get_backend() == preferred.get_backend()) all.push_back(d);
  return all;
}

TEST(retarget, runs_the_command_on_the_device_in_the_order_of_the_queue) {
  sycl::queue q{sycl::property::queue::in_order()};
  const std::vector<sycl::device> devices = usable_devices();
  const std::size_t n = 1000;
  sycl::buffer<int> data{sycl::range<1>(n)};
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(data, h, sycl::write_only, sycl::no_init);
    h.parallel_for(n, [=](sycl::id<1> i) { a[i] = 0; });
  });
  for (int round = 0; round < 8; ++round)
    q.submit(sycl::property_list{group::AdaptiveCpp_retarget(
                 devices[static_cast<std::size_t>(round) % devices.size()])},
             [&](sycl::handler& h) {
               sycl::accessor a(data, h, sycl::read_write);
               h.parallel_for(n, [=](sycl::id<1> i) { a[i] = a[i] * 2 + round; });
             });
  q.wait();
  int expected = 0;
  for (int round = 0; round < 8; ++round) expected = expected * 2 + round;
  sycl::host_accessor a(data, sycl::read_only);
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(a[i], expected) << i;
}

TEST(retarget, moves_the_data_to_that_device_and_no_other) {
  const std::vector<sycl::device> devices = usable_devices();
  if (devices.size() < 2 || devices.back().has(sycl::aspect::cpu))
    GTEST_SKIP() << "needs two devices with memory of their own";
  sycl::queue q(devices[0]);
  sycl::buffer<int> data{sycl::range<1>(64)};
  const auto add = [&](const sycl::property_list& properties) {
    q.submit(properties, [&](sycl::handler& h) {
      sycl::accessor a(data, h, sycl::read_write);
      h.parallel_for(64, [=](sycl::id<1> i) { a[i] += 1; });
    });
    q.wait();
  };
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(data, h, sycl::write_only, sycl::no_init);
    h.fill(a, 1);
  });
  q.wait();
  const auto transfers = [] { return sycl::ext::pianola::get_statistics().transfers; };
  auto before = transfers();
  add({});
  EXPECT_EQ(transfers(), before) << "it is there";
  add({group::hipSYCL_retarget(devices[1])});
  EXPECT_GT(transfers(), before) << "it had to go to the other device";
  before = transfers();
  add({group::AdaptiveCpp_retarget(devices[1])});
  EXPECT_EQ(transfers(), before) << "it is there now";
}

TEST(retarget, works_in_a_recorded_graph) {
  namespace graph = sycl::ext::oneapi::experimental;
  const std::vector<sycl::device> devices = usable_devices();
  sycl::queue q(devices[0]);
  sycl::buffer<int> data{sycl::range<1>(16)};
  graph::command_graph g(q);
  g.begin_recording(q);
  for (const sycl::device& d : devices)
    q.submit(sycl::property_list{group::AdaptiveCpp_retarget(d)}, [&](sycl::handler& h) {
      sycl::accessor a(data, h, sycl::read_write);
      h.parallel_for(16, [=](sycl::id<1> i) { a[i] += 3; });
    });
  g.end_recording();
  {
    sycl::host_accessor a(data, sycl::write_only, sycl::no_init);
    std::fill(a.begin(), a.end(), 0);
  }
  auto executable = g.finalize();
  q.ext_oneapi_graph(executable);
  q.ext_oneapi_graph(executable);
  q.wait();
  if (!devices[0].has(sycl::aspect::cpu)) {
    for (const sycl::device& d : devices) EXPECT_TRUE(data.has_allocation(d));
  }
  sycl::host_accessor a(data, sycl::read_only);
  EXPECT_EQ(a[15], 2 * 3 * static_cast<int>(devices.size()));
}

TEST(prefer_group_size, reaches_the_launch_of_a_range_of_its_dimensions) {
  pianola::runtime::submission s;
  auto& kernel = s.payload.emplace<pianola::model::kernel_command>();
  kernel.geometry.dimensions = 2;
  const sycl::property_list wishes{group::AdaptiveCpp_prefer_group_size<1>(sycl::range<1>(96)),
                                   group::hipSYCL_prefer_group_size<2>(sycl::range<2>(4, 8))};
  sycl::detail::apply_after(s, wishes);
  EXPECT_EQ(kernel.geometry.local[1], 4U);
  EXPECT_EQ(kernel.geometry.local[2], 8U);
  kernel.geometry.dimensions = 1;
  sycl::detail::apply_after(s, wishes);
  EXPECT_EQ(kernel.geometry.local[1], 1U);
  EXPECT_EQ(kernel.geometry.local[2], 96U);
  kernel.geometry.grouped = true;
  kernel.geometry.local = {{1, 1, 16}};
  sycl::detail::apply_after(s, wishes);
  EXPECT_EQ(kernel.geometry.local[2], 16U) << "an nd_range says it itself";
}

TEST(prefer_group_size, changes_no_result) {
  sycl::queue q;
  const std::size_t n = 1001;
  int* const data = sycl::malloc_shared<int>(n, q);
  for (const std::size_t size : {std::size_t{1}, std::size_t{7}, std::size_t{128}, n, 100 * n}) {
    std::fill(data, data + n, 0);
    q.submit(sycl::property_list{group::AdaptiveCpp_prefer_group_size<1>(sycl::range<1>(size))},
             [&](sycl::handler& h) {
               h.parallel_for(n, [=](sycl::item<1> i) { data[i] += static_cast<int>(i[0]) + 1; });
             })
        .wait();
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(data[i], static_cast<int>(i) + 1) << size;
  }
  sycl::free(data, q);
}

TEST(prefer_group_size, of_nothing_is_refused) {
  sycl::queue q;
  const sycl::property_list nothing{group::AdaptiveCpp_prefer_group_size<1>(sycl::range<1>(0))};
  EXPECT_EQ(error_code_of([&] {
              q.submit(nothing, [&](sycl::handler& h) { h.parallel_for(4, [=](sycl::id<1>) {}); });
            }),
            sycl::errc::invalid);
}

TEST(prefer_execution_lane, puts_commands_of_equal_numbers_on_one_lane) {
  sycl::queue q;
  const auto lane_of = [&](std::size_t number) {
    const sycl::event e =
        q.submit(sycl::property_list{group::AdaptiveCpp_prefer_execution_lane(number)},
                 [&](sycl::handler& h) { h.single_task([] {}); });
    return sycl::detail::event_access::handle(e).lane;
  };
  const auto* first = lane_of(0);
  const auto* second = lane_of(1);
  EXPECT_EQ(lane_of(0), first);
  EXPECT_EQ(lane_of(1), second);
  std::vector<const void*> lanes;
  for (std::size_t i = 0; i < 200; ++i) lanes.push_back(lane_of(i));
  std::sort(lanes.begin(), lanes.end());
  const auto different = std::unique(lanes.begin(), lanes.end()) - lanes.begin();
  EXPECT_LT(different, 200) << "numbers are taken modulo the number of lanes";
  if (different > 1) {
    EXPECT_NE(first, second);
  }
  q.wait();
}

TEST(prefer_execution_lane, keeps_the_order_that_buffers_ask_for) {
  sycl::queue q;
  sycl::buffer<int> data{sycl::range<1>(32)};
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(data, h, sycl::write_only, sycl::no_init);
    h.fill(a, 1);
  });
  for (std::size_t lane = 0; lane < 10; ++lane)
    q.submit(sycl::property_list{group::hipSYCL_prefer_execution_lane(lane),
                                 group::AdaptiveCpp_coarse_grained_events()},
             [&](sycl::handler& h) {
               sycl::accessor a(data, h, sycl::read_write);
               h.parallel_for(32, [=](sycl::id<1> i) { a[i] = a[i] * 2 + 1; });
             });
  sycl::host_accessor a(data, sycl::read_only);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(a[i], 2047);
}

TEST(update, brings_data_to_the_device_before_a_kernel_needs_it) {
  sycl::queue q;
  std::vector<int> initial(256);
  std::iota(initial.begin(), initial.end(), 0);
  sycl::buffer<int> data(initial.data(), sycl::range<1>(initial.size()));
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(data, h, sycl::read_write);
    h.update(a);
  });
  q.wait();
  const auto before = sycl::ext::pianola::get_statistics().transfers;
  if (!q.get_device().has(sycl::aspect::cpu)) {
    EXPECT_GT(before, 0U);
  }
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(data, h, sycl::read_write);
    h.parallel_for(256, [=](sycl::id<1> i) { a[i] += 1; });
  });
  q.wait();
  EXPECT_EQ(sycl::ext::pianola::get_statistics().transfers, before) << "it was there";
  sycl::host_accessor a(data, sycl::read_only);
  EXPECT_EQ(a[255], 256);
}

TEST(update, changes_nothing_about_where_else_the_data_is) {
  sycl::queue q;
  sycl::buffer<int> data{sycl::range<1>(8)};
  {
    sycl::host_accessor a(data, sycl::write_only, sycl::no_init);
    for (int i = 0; i < 8; ++i) a[i] = i;
  }
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(data, h, sycl::write_only, sycl::no_init);
    h.update(a);
  });
  q.wait();
  const auto before = sycl::ext::pianola::get_statistics().transfers;
  sycl::host_accessor a(data, sycl::read_only);
  EXPECT_EQ(a[7], 7);
  EXPECT_EQ(sycl::ext::pianola::get_statistics().transfers, before);
}

TEST(update, needs_an_accessor_of_the_command_group) {
  sycl::queue q;
  sycl::buffer<int> data{sycl::range<1>(8)};
  sycl::accessor placeholder(data, sycl::read_only);
  EXPECT_EQ(error_code_of([&] { q.submit([&](sycl::handler& h) { h.update(placeholder); }); }),
            sycl::errc::kernel_argument);
}

TEST(custom_operation, runs_in_its_place_among_the_commands) {
  sycl::queue q{sycl::property::queue::in_order()};
  std::atomic<int> step{0};
  std::atomic<int> seen{-1};
  q.submit([&](sycl::handler& h) { h.host_task([&] { step = 1; }); });
  q.submit([&](sycl::handler& h) {
    h.AdaptiveCpp_enqueue_custom_operation([&](sycl::interop_handle& handle) {
      // Where there is a driver it is called when its turn to be enqueued comes.
      if (handle.get_backend() != sycl::backend::cuda && handle.get_backend() != sycl::backend::hip)
        seen = step.load();
      else
        seen = 1;
    });
  });
  q.wait();
  EXPECT_EQ(seen, 1);
}

TEST(custom_operation, has_shortcuts_and_the_former_name) {
  sycl::queue q;
  std::atomic<int> calls{0};
  const auto count = [&](sycl::interop_handle) { ++calls; };
  const sycl::event a = q.AdaptiveCpp_enqueue_custom_operation(count);
  const sycl::event b = q.AdaptiveCpp_enqueue_custom_operation(count, a);
  q.AdaptiveCpp_enqueue_custom_operation(count, std::vector<sycl::event>{a, b});
  q.hipSYCL_enqueue_custom_operation(count);
  q.submit([&](sycl::handler& h) { h.hipSYCL_enqueue_custom_operation(count); });
  q.wait();
  EXPECT_EQ(calls, 5);
}

}  // namespace
