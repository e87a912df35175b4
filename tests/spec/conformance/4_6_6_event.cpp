// SPDX-License-Identifier: Apache-2.0
// 4.6.6: the event class.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <atomic>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using status = sycl::info::event_command_status;
namespace profiling = sycl::info::event_profiling;

status status_of(const sycl::event& e) {
  return e.get_info<sycl::info::event::command_execution_status>();
}

TEST(event, made_by_default_is_complete) {
  sycl::event e;
  EXPECT_EQ(status_of(e), status::complete);
  e.wait();
  e.wait_and_throw();
  EXPECT_TRUE(e.get_wait_list().empty());
  EXPECT_EQ(e.get_backend(), sycl::device().get_backend());
}

TEST(event, tells_another_thread_when_its_command_is_complete) {
  sycl::queue q;
  std::atomic<bool> go{false};
  const sycl::event e = q.submit([&](sycl::handler& h) {
    h.host_task([&] {
      while (!go) std::this_thread::yield();
    });
  });
  EXPECT_NE(status_of(e), status::complete);
  bool seen = false;
  std::thread watcher([&, e] {
    while (status_of(e) != status::complete) std::this_thread::yield();
    seen = true;
  });
  go = true;
  watcher.join();
  EXPECT_TRUE(seen);
}

TEST(event, orders_commands) {
  sycl::queue q;
  int* n = sycl::malloc_host<int>(1, q);
  *n = 1;
  sycl::event first = q.single_task([=] { *n += 1; });
  sycl::event second = q.submit([&](sycl::handler& h) {
    h.depends_on(first);
    h.single_task([=] { *n *= 10; });
  });
  sycl::event third = q.submit([&](sycl::handler& h) {
    h.depends_on(std::vector<sycl::event>{first, second});
    h.single_task([=] { *n += 5; });
  });
  sycl::event::wait({third});
  EXPECT_EQ(*n, 25);
  EXPECT_EQ(status_of(first), status::complete);
  sycl::event::wait_and_throw({first, second, third});
  for (const sycl::event& e : third.get_wait_list()) EXPECT_TRUE(e == first || e == second);
  sycl::free(n, q);
}

TEST(event, lists_what_its_command_still_waits_for) {
  std::atomic<bool> go{false};
  sycl::queue q;
  const auto host_task = [&](const std::vector<sycl::event>& after) {
    return q.submit([&](sycl::handler& h) {
      h.depends_on(after);
      h.host_task([&] {
        while (!go) std::this_thread::yield();
      });
    });
  };
  const sycl::event first = host_task({}), second = host_task({first}), third = host_task({});
  sycl::event last = host_task({second, third});
  const std::vector<sycl::event> waits = last.get_wait_list();
  ASSERT_EQ(waits.size(), 2u);  // and not the first one
  EXPECT_TRUE((waits[0] == second && waits[1] == third) ||
              (waits[0] == third && waits[1] == second));
  go = true;
  last.wait();
  EXPECT_TRUE(last.get_wait_list().empty());
}

TEST(event, has_the_common_reference_semantics) {
  sycl::queue q;
  sycl::event a = q.single_task([] {}), b = q.single_task([] {});
  const sycl::event copy = a;
  EXPECT_TRUE(copy == a && a != b);
  EXPECT_EQ(std::hash<sycl::event>()(copy), std::hash<sycl::event>()(a));
  EXPECT_EQ(a.get_backend(), q.get_backend());
  static_assert(noexcept(a.get_backend()) && noexcept(q.get_backend()) &&
                noexcept(std::declval<const sycl::device&>().get_backend()) &&
                noexcept(std::declval<const sycl::context&>().get_backend()) &&
                noexcept(std::declval<const sycl::platform&>().get_backend()));
  q.wait();
}

TEST(event, of_several_in_order_queues_of_one_device_profiles_each_command) {
  const sycl::device d;
  const sycl::property_list properties{sycl::property::queue::in_order(),
                                       sycl::property::queue::enable_profiling()};
  std::vector<sycl::queue> queues;
  for (int i = 0; i < 4; ++i)
    queues.emplace_back(d, [](sycl::exception_list) { FAIL(); }, properties);
  std::vector<sycl::event> events;
  for (int round = 0; round < 3; ++round)
    for (sycl::queue& q : queues)
      events.push_back(q.parallel_for(sycl::range<1>(16), [](sycl::id<1>) {}));
  for (sycl::queue& q : queues) q.wait_and_throw();
  for (sycl::event& e : events) {
    const std::uint64_t submitted = e.get_profiling_info<profiling::command_submit>();
    const std::uint64_t started = e.get_profiling_info<profiling::command_start>();
    EXPECT_GT(submitted, 0U);
    EXPECT_GE(started, submitted);
    EXPECT_GE(e.get_profiling_info<profiling::command_end>(), started);
  }
}

static_assert(std::is_same_v<sycl::info::event::command_execution_status::return_type, status>);
static_assert(std::is_same_v<profiling::command_end::return_type, std::uint64_t>);

}  // namespace
