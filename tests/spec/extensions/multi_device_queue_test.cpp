// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

std::vector<sycl::device> processors() {
  const sycl::device preferred;
  std::vector<sycl::device> all;
  for (const sycl::device& d : sycl::device::get_devices())
    if (d.get_backend() == preferred.get_backend()) all.push_back(d);
  return all;
}

TEST(multi_device_queue, knows_its_devices) {
  const std::vector<sycl::device> devices = processors();
  const sycl::queue q(devices);
  EXPECT_EQ(q.get_devices(), devices);
  EXPECT_EQ(q.get_device(), devices[0]);
  const sycl::queue one;
  EXPECT_EQ(one.get_devices(), std::vector<sycl::device>{one.get_device()});
  const sycl::queue in_context(devices[0].get_platform().khr_get_default_context(), devices,
                               sycl::property_list{sycl::property::queue::in_order()});
  EXPECT_TRUE(in_context.is_in_order());
}

TEST(multi_device_queue, gives_right_results_wherever_kernels_go) {
  for (const bool in_order : {false, true}) {
    const std::vector<sycl::device> devices = processors();
    sycl::queue q =
        in_order ? sycl::queue(devices, {sycl::property::queue::in_order()}) : sycl::queue(devices);
    const std::size_t n = 500;
    std::vector<sycl::buffer<int>> parts;
    for (int i = 0; i < 6; ++i) parts.emplace_back(sycl::range<1>(n));
    for (int i = 0; i < 6; ++i)
      q.submit([&](sycl::handler& h) {
        sycl::accessor a(parts[static_cast<std::size_t>(i)], h, sycl::write_only, sycl::no_init);
        h.parallel_for(n, [=](sycl::id<1> at) { a[at] = i; });
      });
    for (int round = 0; round < 3; ++round)
      for (std::size_t i = 1; i < 6; ++i)
        q.submit([&](sycl::handler& h) {
          sycl::accessor from(parts[i - 1], h, sycl::read_only);
          sycl::accessor to(parts[i], h, sycl::read_write);
          h.parallel_for(n, [=](sycl::id<1> at) { to[at] += from[at]; });
        });
    q.wait();
    int expected[6] = {0, 1, 2, 3, 4, 5};
    for (int round = 0; round < 3; ++round)
      for (int i = 1; i < 6; ++i) expected[i] += expected[i - 1];
    for (int i = 0; i < 6; ++i) {
      sycl::host_accessor a(parts[static_cast<std::size_t>(i)], sycl::read_only);
      EXPECT_EQ(a[0], expected[i]) << i;
      EXPECT_EQ(a[n - 1], expected[i]) << i;
    }
  }
}

TEST(multi_device_queue, uses_all_devices_and_keeps_kernels_where_their_data_is) {
  const std::vector<sycl::device> devices = processors();
  if (devices.size() < 2 || devices[0].has(sycl::aspect::cpu))
    GTEST_SKIP() << "needs two devices with memory of their own";
  sycl::queue q(devices);
  std::vector<sycl::buffer<int>> parts;
  for (std::size_t i = 0; i < 2 * devices.size(); ++i) parts.emplace_back(sycl::range<1>(16));
  const auto run = [&] {
    for (auto& part : parts)
      q.submit([&](sycl::handler& h) {
        sycl::accessor a(part, h, sycl::read_write);
        h.parallel_for(16, [=](sycl::id<1> at) { a[at] += 1; });
      });
    q.wait();
  };
  for (auto& part : parts) {
    sycl::host_accessor a(part, sycl::write_only, sycl::no_init);
    for (int i = 0; i < 16; ++i) a[i] = 0;
  }
  run();
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::size_t d = 0; d < devices.size(); ++d)
      EXPECT_EQ(parts[i].has_allocation(devices[d]), d == i % devices.size()) << i << " " << d;
  const auto before = sycl::ext::pianola::get_statistics().transfers;
  run();
  EXPECT_EQ(sycl::ext::pianola::get_statistics().transfers, before);
  sycl::host_accessor a(parts.back(), sycl::read_only);
  EXPECT_EQ(a[15], 2);
}

TEST(multi_device_queue, runs_kernels_where_the_memory_is_that_they_point_to) {
  const std::vector<sycl::device> devices = processors();
  if (devices.size() < 2 || devices[0].has(sycl::aspect::cpu))
    GTEST_SKIP() << "needs two devices with memory of their own";
  sycl::queue q(devices);
  int* const there = sycl::malloc_device<int>(1, devices.back(), q.get_context());
  q.submit({sycl::property::command_group::AdaptiveCpp_retarget(devices.back())},
           [&](sycl::handler& h) { h.single_task([=] { *there = 0; }); })
      .wait();
  std::vector<sycl::buffer<int>> parts;
  for (int i = 0; i < 6; ++i) parts.emplace_back(sycl::range<1>(16));
  const auto add = [&](sycl::buffer<int>& part, int* pointer) {
    return q.submit([&](sycl::handler& h) {
      const sycl::accessor a(part, h, sycl::write_only, sycl::no_init);
      h.single_task([=] { a[0] = *pointer += 1; });
    });
  };
  // One by one, as they change the same memory.
  for (auto& part : parts) add(part, there).wait();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const sycl::device& d : devices)
      EXPECT_EQ(parts[i].has_allocation(d), d == devices.back()) << i;
    EXPECT_EQ(sycl::host_accessor(parts[i], sycl::read_only)[0], static_cast<int>(i) + 1);
  }
  sycl::free(there, q);
}

TEST(multi_device_queue, can_be_told_the_device_of_a_command) {
  const std::vector<sycl::device> devices = processors();
  sycl::queue q(devices);
  int* const data = sycl::malloc_device<int>(4, devices.back(), q.get_context());
  q.submit({sycl::property::command_group::AdaptiveCpp_retarget(devices.back())},
           [&](sycl::handler& h) { h.parallel_for(4, [=](sycl::id<1> i) { data[i] = 5; }); })
      .wait();
  int result[4] = {};
  sycl::queue(devices.back()).memcpy(result, data, sizeof result).wait();
  EXPECT_EQ(result[3], 5);
  sycl::free(data, q);
}

TEST(multi_device_selector, takes_the_devices_that_its_selector_likes_best_or_at_all) {
  const auto all = sycl::device::get_devices();
  EXPECT_EQ(sycl::queue(sycl::system_selector_v).get_devices(), all);
  const auto by_number = [&](const sycl::device& d) {
    return d == all[0] ? 5 : d == all.back() ? 5 : -1;
  };
  const sycl::queue some(sycl::multi_device_selector<decltype(by_number)>{by_number});
  EXPECT_EQ(some.get_devices().size(), all.size() == 1 ? 1U : 2U);
  const auto last = [&](const sycl::device& d) { return d == all.back() ? 7 : 3; };
  const sycl::queue best(
      sycl::multi_device_selector<decltype(last), sycl::selection_policy::best>{last});
  EXPECT_EQ(best.get_devices(), std::vector<sycl::device>{all.back()});
  const auto gpus = sycl::device::get_devices(sycl::info::device_type::gpu);
  if (gpus.empty())
    EXPECT_EQ(error_code_of([] { sycl::queue q(sycl::multi_gpu_selector_v); }),
              sycl::errc::runtime);
  else
    EXPECT_EQ(sycl::queue(sycl::multi_gpu_selector_v).get_devices(), gpus);
  const auto cpus = sycl::device::get_devices(sycl::info::device_type::cpu);
  if (!cpus.empty()) {
    EXPECT_EQ(sycl::queue(sycl::multi_cpu_selector_v).get_devices(), cpus);
  }
}

TEST(multi_device_queue, needs_a_device_and_its_context) {
  EXPECT_EQ(error_code_of([] { sycl::queue q(std::vector<sycl::device>{}); }), sycl::errc::invalid);
}

}  // namespace
