// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

namespace info = sycl::info;

TEST(event, a_default_constructed_one_is_complete) {
  sycl::event e;
  EXPECT_EQ(e.get_info<info::event::command_execution_status>(),
            info::event_command_status::complete);
  e.wait();
  e.wait_and_throw();
  sycl::event::wait({e, e});
  sycl::event::wait_and_throw({e, e});
  EXPECT_TRUE(e.get_wait_list().empty());
}

TEST(event, equals_its_copies_and_no_other) {
  const sycl::event a, b, copy = a;
  EXPECT_EQ(a, copy);
  EXPECT_NE(a, b);
  EXPECT_EQ(std::hash<sycl::event>()(a), std::hash<sycl::event>()(copy));
}

TEST(event, its_status_goes_to_complete_without_anybody_waiting) {
  sycl::queue q;
  const sycl::event e = q.single_task([] {});
  while (e.get_info<info::event::command_execution_status>() !=
         info::event_command_status::complete) {
  }
  SUCCEED();
}

TEST(event, is_not_complete_while_its_command_runs) {
  sycl::queue q;
  std::atomic<bool> go{false};
  const sycl::event e = q.submit([&](sycl::handler& h) {
    h.host_task([&] {
      while (!go) std::this_thread::yield();
    });
  });
  EXPECT_NE(e.get_info<info::event::command_execution_status>(),
            info::event_command_status::complete);
  go = true;
  sycl::event(e).wait();
  EXPECT_EQ(e.get_info<info::event::command_execution_status>(),
            info::event_command_status::complete);
}

TEST(event, copies_are_equal_and_those_of_other_commands_are_not) {
  sycl::queue q;
  const sycl::event a = q.single_task([] {}), b = q.single_task([] {});
  const sycl::event c = a;
  EXPECT_EQ(a, c);
  EXPECT_NE(a, b);
  EXPECT_EQ(std::hash<sycl::event>()(a), std::hash<sycl::event>()(c));
  EXPECT_EQ(a.get_backend(), q.get_backend());
  q.wait();
}

TEST(event, has_ordered_profiling_times_on_a_queue_that_profiles) {
  sycl::queue q{sycl::property::queue::enable_profiling{}};
  const sycl::event e = q.submit([](sycl::handler& h) { h.host_task([] {}); });
  const auto submitted = e.get_profiling_info<info::event_profiling::command_submit>();
  const auto started = e.get_profiling_info<info::event_profiling::command_start>();
  const auto ended = e.get_profiling_info<info::event_profiling::command_end>();
  static_assert(std::is_same_v<decltype(submitted), const std::uint64_t>);
  EXPECT_GT(submitted, 0u);
  EXPECT_LE(submitted, started);
  EXPECT_LE(started, ended);
}

TEST(event, has_no_profiling_times_on_other_queues) {
  sycl::queue q;
  const sycl::event e = q.single_task([] {});
  EXPECT_EQ(error_code_of([&] { e.get_profiling_info<info::event_profiling::command_start>(); }),
            sycl::errc::invalid);
  q.wait();
}

TEST(event, orders_commands_of_different_queues) {
  sycl::queue a, b;
  int* p = sycl::malloc_shared<int>(1, a);
  *p = 1;
  for (int i = 0; i < 100; ++i) {
    const sycl::event first = a.single_task([=] { *p = *p + 1; });
    b.single_task(first, [=] { *p = *p * 2 % 1000; }).wait();
  }
  int expected = 1;
  for (int i = 0; i < 100; ++i) expected = (expected + 1) * 2 % 1000;
  EXPECT_EQ(*p, expected);
  sycl::free(p, a);
}

TEST(event, outlives_its_queue) {
  sycl::event e;
  bool ran = false;
  {
    sycl::queue q;
    e = q.submit([&](sycl::handler& h) { h.host_task([&] { ran = true; }); });
  }
  e.wait_and_throw();
  EXPECT_TRUE(ran);
}

}  // namespace
