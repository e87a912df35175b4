// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

namespace info = sycl::info;

bool complete(const sycl::event& e) {
  return e.get_info<info::event::command_execution_status>() ==
         info::event_command_status::complete;
}

/// A host task that holds the queue up until the object ends.
class hold {
 public:
  explicit hold(sycl::queue& q) : queue_(q) {
    event = q.submit([this](sycl::handler& h) {
      h.host_task([this] {
        while (!go_) std::this_thread::yield();
      });
    });
  }
  ~hold() { release(); }
  void release() {
    go_ = true;
    queue_.wait();
  }
  sycl::event event;

 private:
  sycl::queue queue_;
  std::atomic<bool> go_{false};
};

TEST(queue_wait_list, of_an_idle_queue_is_empty) {
  sycl::queue q;
  EXPECT_TRUE(q.get_wait_list().empty());
  q.single_task([] {});
  q.wait();
  EXPECT_TRUE(q.get_wait_list().empty());
}

TEST(queue_wait_list, waits_for_everything_submitted) {
  sycl::queue q;
  hold first(q);
  std::vector<sycl::event> list = q.get_wait_list();
  ASSERT_FALSE(list.empty());
  bool all = true;
  for (const sycl::event& e : list) all = all && complete(e);
  EXPECT_FALSE(all);
  first.release();
  for (sycl::event& e : list) e.wait();
  EXPECT_TRUE(complete(first.event));
}

TEST(queue_wait_list, orders_work_of_another_queue) {
  sycl::queue q, other;
  int* const data = sycl::malloc_host<int>(1, q);
  *data = 0;
  hold first(q);
  q.submit([&](sycl::handler& h) { h.host_task([=] { *data = 1; }); });
  const sycl::event e = other.submit([&](sycl::handler& h) {
    h.depends_on(q.get_wait_list());
    h.host_task([=] { *data = *data == 1 ? 2 : -1; });
  });
  // The task that writes 1 may have run; what is held up has not, nor what waits for it.
  EXPECT_FALSE(complete(e));
  first.release();
  other.wait();
  EXPECT_EQ(*data, 2);
  sycl::free(data, q);
}

TEST(queue_wait_list, of_an_in_order_queue_has_at_most_one_event) {
  sycl::queue q{sycl::property::queue::in_order()};
  hold first(q);
  sycl::event last;
  for (int i = 0; i < 4; ++i) last = q.single_task([] {});
  const std::vector<sycl::event> list = q.get_wait_list();
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0], last);
}

TEST(queue_wait_list, does_not_exist_while_a_graph_is_recorded) {
  namespace graph = sycl::ext::oneapi::experimental;
  sycl::queue q;
  graph::command_graph g(q);
  g.begin_recording(q);
  EXPECT_EQ(error_code_of([&] { q.get_wait_list(); }), sycl::errc::invalid);
  g.end_recording();
  EXPECT_TRUE(q.get_wait_list().empty());
}

TEST(queue_hints, are_accepted_and_events_work_as_ever) {
  namespace acpp = sycl::property::queue;
  namespace oneapi = sycl::ext::oneapi::property::queue;
  namespace intel = sycl::ext::intel::property::queue;
  for (const sycl::property_list& properties :
       {sycl::property_list{acpp::AdaptiveCpp_coarse_grained_events()},
        sycl::property_list{acpp::hipSYCL_coarse_grained_events()},
        sycl::property_list{acpp::AdaptiveCpp_priority(3)},
        sycl::property_list{acpp::in_order(), acpp::AdaptiveCpp_retargetable()},
        sycl::property_list{oneapi::priority_high(), acpp::in_order()},
        sycl::property_list{oneapi::priority_normal()}, sycl::property_list{oneapi::priority_low()},
        sycl::property_list{oneapi::discard_events(), acpp::in_order()},
        sycl::property_list{intel::immediate_command_list()},
        sycl::property_list{intel::no_immediate_command_list()}}) {
    sycl::queue q(properties);
    sycl::event e = q.single_task([] {});
    e.wait();
    EXPECT_TRUE(complete(e));
  }
  sycl::queue q(acpp::AdaptiveCpp_priority(3));
  EXPECT_TRUE(q.has_property<acpp::hipSYCL_priority>());
  EXPECT_EQ(q.get_property<acpp::AdaptiveCpp_priority>().get_priority(), 3);
}

TEST(queue_hints, that_contradict_each_other_are_refused) {
  namespace oneapi = sycl::ext::oneapi::property::queue;
  namespace intel = sycl::ext::intel::property::queue;
  const auto code = [](sycl::property_list properties) {
    return error_code_of([&] { sycl::queue q(properties); });
  };
  EXPECT_EQ(code({oneapi::priority_high(), oneapi::priority_low()}), sycl::errc::invalid);
  EXPECT_EQ(code({oneapi::discard_events(), sycl::property::queue::enable_profiling()}),
            sycl::errc::invalid);
  EXPECT_EQ(code({intel::immediate_command_list(), intel::no_immediate_command_list()}),
            sycl::errc::invalid);
}

TEST(prefetch_host, leaves_the_data_as_it_is) {
  sycl::queue q;
  int* const data = sycl::malloc_shared<int>(100, q);
  const sycl::event filled = q.fill(data, 7, 100);
  const sycl::event one = q.prefetch_host(data, 100 * sizeof(int), filled);
  const sycl::event two = q.prefetch_host(data, 100 * sizeof(int), {filled, one});
  q.submit([&](sycl::handler& h) {
    h.depends_on(two);
    h.prefetch_host(data, 100 * sizeof(int));
  });
  q.prefetch_host(data, 4);
  q.wait();
  EXPECT_EQ(data[99], 7);
  sycl::mem_advise(data, 100 * sizeof(int), 0, q);
  sycl::mem_advise(data, 100 * sizeof(int), 0, q.get_context(), q.get_device());
  EXPECT_EQ(error_code_of([&] { sycl::mem_advise(nullptr, 4, 0, q); }), sycl::errc::invalid);
  sycl::free(data, q);
}

TEST(specialized_arguments, are_their_values) {
  sycl::queue q;
  float* const data = sycl::malloc_shared<float>(4, q);
  const sycl::specialized<float> factor = 2.5F;
  q.parallel_for(4, [=](sycl::id<1> i) { data[i] = static_cast<float>(i[0]) * factor; }).wait();
  EXPECT_EQ(data[3], 7.5F);
  sycl::free(data, q);
}

TEST(names_of_adaptivecpp, tell_queues_apart_and_whether_there_are_kernels) {
  sycl::queue first, second;
  const sycl::queue copy = first;
  const auto number = [](const sycl::queue& q) {
    return q.get_info<sycl::info::queue::AdaptiveCpp_node_group>();
  };
  EXPECT_EQ(number(first), number(copy));
  EXPECT_NE(number(first), number(second));
  first.single_task([] {}).wait();
  EXPECT_TRUE(first.get_device().AdaptiveCpp_has_compiled_kernels());
}

}  // namespace
