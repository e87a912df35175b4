// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

namespace {

// The number is documented: docs/compiling.md.
TEST(host_tasks, eight_at_a_time_may_wait_for_each_other) {
  constexpr int tasks = 8;
  sycl::queue q(sycl::cpu_selector_v);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> here{0}, met{0};
    for (int i = 0; i < tasks; ++i)
      q.submit([&](sycl::handler& h) {
        h.host_task([&] {
          here.fetch_add(1);
          // Gives up in a while, so that a failure is told.
          const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
          while (here.load() < tasks && std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(std::chrono::microseconds(50));
          if (here.load() == tasks) met.fetch_add(1);
        });
      });
    q.wait();
    ASSERT_EQ(met.load(), tasks);
  }
}

}  // namespace
