// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

namespace info = sycl::info;

bool has_ended(const sycl::event& e) {
  return e.get_info<info::event::command_execution_status>() ==
         info::event_command_status::complete;
}

TEST(in_order_queue_events, the_last_event_is_that_of_the_last_command) {
  sycl::queue q{sycl::property::queue::in_order()};
  EXPECT_TRUE(has_ended(q.ext_oneapi_get_last_event()));
  for (int i = 0; i < 3; ++i) {
    const sycl::event e = q.single_task([] {});
    EXPECT_EQ(q.ext_oneapi_get_last_event(), e);
  }
  const sycl::event e = q.submit([](sycl::handler& h) { h.host_task([] {}); });
  EXPECT_EQ(q.ext_oneapi_get_last_event(), e);
  q.wait();
}

// The first revisions return an event, the later ones a std::optional.
TEST(in_order_queue_events,
     the_last_event_is_for_programs_that_expect_an_event_or_an_optional_one) {
  sycl::queue q{sycl::property::queue::in_order()};
  EXPECT_FALSE(q.ext_oneapi_get_last_event());
  EXPECT_FALSE(q.ext_oneapi_get_last_event().has_value());
  const sycl::event submitted = q.single_task([] {});
  sycl::event e = q.ext_oneapi_get_last_event();
  e.wait();
  auto last = q.ext_oneapi_get_last_event();
  ASSERT_TRUE(last && last.has_value());
  last->wait();
  (*last).wait_and_throw();
  EXPECT_TRUE(last.value() == submitted && *last == submitted);
  EXPECT_TRUE(last.value_or(sycl::event()) == submitted);
  const std::optional<sycl::event> optional = q.ext_oneapi_get_last_event();
  EXPECT_TRUE(optional && *optional == submitted);
  sycl::queue other;
  other
      .submit([&](sycl::handler& h) {
        h.depends_on(q.ext_oneapi_get_last_event());
        h.depends_on(q.ext_oneapi_get_last_event().value());
        h.single_task([] {});
      })
      .wait();
}

TEST(in_order_queue_events, the_last_event_has_the_times_of_its_command) {
  sycl::queue q{sycl::property_list{sycl::property::queue::in_order(),
                                    sycl::property::queue::enable_profiling()}};
  const sycl::event e = q.single_task([] {});
  q.wait();
  EXPECT_EQ(q.ext_oneapi_get_last_event().get_profiling_info<info::event_profiling::command_end>(),
            e.get_profiling_info<info::event_profiling::command_end>());
}

TEST(in_order_queue_events, the_last_event_of_a_replay_is_the_graphs) {
  namespace graph = sycl::ext::oneapi::experimental;
  sycl::queue q{sycl::property::queue::in_order()};
  graph::command_graph g(q);
  g.begin_recording(q);
  const sycl::event node = q.single_task([] {});
  EXPECT_EQ(q.ext_oneapi_get_last_event(), node);
  g.end_recording();
  EXPECT_NE(q.ext_oneapi_get_last_event(), node);
  const sycl::event replay = q.ext_oneapi_graph(g.finalize());
  EXPECT_EQ(q.ext_oneapi_get_last_event(), replay);
  q.wait();
}

TEST(in_order_queue_events, the_next_command_waits_for_an_external_event_and_no_other) {
  sycl::queue q{sycl::property::queue::in_order()}, other;
  std::atomic<bool> go{false};
  const sycl::event external = other.submit([&](sycl::handler& h) {
    h.host_task([&] {
      while (!go) std::this_thread::yield();
    });
  });
  const sycl::event replaced = other.submit([&](sycl::handler& h) { h.host_task([] {}); });
  q.ext_oneapi_set_external_event(replaced);
  q.ext_oneapi_set_external_event(external);
  EXPECT_EQ(q.ext_oneapi_get_last_event(), external);
  const sycl::event next = q.single_task([] {});
  EXPECT_EQ(q.ext_oneapi_get_last_event(), next);
  EXPECT_FALSE(has_ended(next));
  go = true;
  q.wait();
  EXPECT_TRUE(has_ended(external));
  other.wait();
}

TEST(in_order_queue_events, waiting_for_the_queue_waits_for_an_external_event) {
  sycl::queue q{sycl::property::queue::in_order()}, other;
  std::atomic<bool> done{false};
  const sycl::event external = other.submit([&](sycl::handler& h) {
    h.host_task([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      done = true;
    });
  });
  q.ext_oneapi_set_external_event(external);
  q.wait();
  EXPECT_TRUE(done);
  EXPECT_NE(q.ext_oneapi_get_last_event(), external) << "the wait has used it up";
}

TEST(in_order_queue_events, are_not_for_other_queues) {
  sycl::queue out_of_order;
  EXPECT_EQ(error_code_of([&] { out_of_order.ext_oneapi_get_last_event(); }), sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { out_of_order.ext_oneapi_set_external_event({}); }),
            sycl::errc::invalid);
  sycl::queue discarding{sycl::property_list{sycl::property::queue::in_order(),
                                             sycl::ext::oneapi::property::queue::discard_events()}};
  EXPECT_EQ(error_code_of([&] { discarding.ext_oneapi_get_last_event(); }), sycl::errc::invalid);
}

TEST(queue_empty, tells_whether_everything_has_finished) {
  sycl::queue q;
  EXPECT_TRUE(q.ext_oneapi_empty());
  EXPECT_TRUE(q.khr_empty());
  std::atomic<bool> go{false};
  q.submit([&](sycl::handler& h) {
    h.host_task([&] {
      while (!go) std::this_thread::yield();
    });
  });
  EXPECT_FALSE(q.ext_oneapi_empty());
  EXPECT_FALSE(q.khr_empty());
  go = true;
  q.wait();
  EXPECT_TRUE(q.khr_empty());
}

TEST(queue_flush, commands_get_done_while_nobody_waits) {
  sycl::queue q;
  const sycl::event e = q.single_task([] {});
  q.khr_flush();
  q.ext_oneapi_prod();
  while (!has_ended(e)) std::this_thread::yield();
  SUCCEED();
}

}  // namespace
