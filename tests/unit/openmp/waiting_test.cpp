// SPDX-License-Identifier: Apache-2.0
// Queues beside a kernel that does not end before they have done something.
#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

namespace {

// Gives up in a while, so that a failure is told.
bool comes_true(const std::atomic<bool>& flag) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!flag.load()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return true;
}

bool complete(const sycl::event& e) {
  return e.get_info<sycl::info::event::command_execution_status>() ==
         sycl::info::event_command_status::complete;
}

class waiting : public testing::Test {
 protected:
  // Commands that a thread of the device runs, as nobody waits for them.
  void run_by_the_device(sycl::queue& q) {
    for (int i = 0; i < 3; ++i) {
      const sycl::event e = q.single_task([] {});
      while (!complete(e)) std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }
  sycl::queue first{sycl::cpu_selector_v, sycl::property::queue::in_order()};
  sycl::queue second{sycl::cpu_selector_v, sycl::property::queue::in_order()};
};

// The thread that looks for more of the first queue's commands goes on to the second one.
TEST_F(waiting, does_not_depend_on_a_thread_that_is_busy_elsewhere) {
  for (int round = 0; round < 5; ++round) {
    std::atomic<bool> begun{false}, over{false};
    bool in_time = false;
    run_by_the_device(first);
    const sycl::event held = second.single_task([&] {
      begun = true;
      in_time = comes_true(over);
    });
    ASSERT_TRUE(comes_true(begun));
    first.single_task([] {}).wait();
    over = true;
    sycl::event(held).wait();
    ASSERT_TRUE(in_time);
  }
}

// The command comes when the thread has begun with something else already.
TEST_F(waiting, is_for_nothing_but_what_is_waited_for) {
  std::atomic<bool> begun{false}, over{false};
  bool in_time = false;
  run_by_the_device(first);
  run_by_the_device(second);
  const sycl::event held = second.single_task([&] {
    begun = true;
    in_time = comes_true(over);
  });
  ASSERT_TRUE(comes_true(begun));
  for (int i = 0; i < 100; ++i) first.single_task([] {});
  first.wait();
  EXPECT_FALSE(complete(held));
  over = true;
  second.wait();
  EXPECT_TRUE(in_time);
}

}  // namespace
