// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

TEST(queue, is_out_of_order_unless_asked_otherwise) {
  EXPECT_FALSE(sycl::queue().is_in_order());
  const sycl::queue q{sycl::property::queue::in_order{}};
  EXPECT_TRUE(q.is_in_order());
  EXPECT_TRUE(q.has_property<sycl::property::queue::in_order>());
  EXPECT_FALSE(q.has_property<sycl::property::queue::enable_profiling>());
  EXPECT_EQ(error_code_of([&] { q.get_property<sycl::property::queue::enable_profiling>(); }),
            sycl::errc::invalid);
}

TEST(queue, is_of_the_device_and_context_it_was_made_of) {
  const sycl::device d;
  const sycl::context c{d};
  const sycl::queue q{c, d};
  EXPECT_EQ(q.get_device(), d);
  EXPECT_EQ(q.get_context(), c);
  EXPECT_EQ(q.get_backend(), d.get_backend());
  EXPECT_EQ(q.get_info<sycl::info::queue::device>(), d);
  EXPECT_EQ(q.get_info<sycl::info::queue::context>(), c);
  const sycl::queue s{c, sycl::default_selector_v};
  EXPECT_EQ(s.get_device(), d);
}

TEST(queue, queues_of_one_device_share_a_context) {
  EXPECT_EQ(sycl::queue().get_context(), sycl::queue().get_context());
}

TEST(queue, a_device_outside_of_the_context_is_refused) {
  const auto all = sycl::device::get_devices();
  if (all.size() < 2) GTEST_SKIP() << "there is one device; set PIANOLA_DEVICES";
  EXPECT_EQ(error_code_of([&] { sycl::queue q(sycl::context(all[0]), all[1]); }),
            sycl::errc::invalid);
}

TEST(queue, copies_are_equal_and_others_are_not) {
  const sycl::queue a, b;
  const sycl::queue c = a;
  EXPECT_EQ(a, c);
  EXPECT_NE(a, b);
  EXPECT_EQ(std::hash<sycl::queue>()(a), std::hash<sycl::queue>()(c));
}

TEST(queue, every_shortcut_for_kernels_runs_after_its_events) {
  sycl::queue q;
  int* p = sycl::malloc_shared<int>(64, q);
  sycl::event e = q.fill(p, 1, 64);
  e = q.single_task(e, [=] { p[0] += 1; });
  e = q.single_task({e}, [=] { p[0] += 1; });
  e = q.parallel_for(64, e, [=](sycl::id<1> i) { p[i] *= 2; });
  e = q.parallel_for({8, 8}, {e}, [=](sycl::id<2> i) { p[i[0] * 8 + i[1]] += 1; });
  e = q.parallel_for({4, 4, 4}, e, [=](sycl::item<3> i) { p[i.get_linear_id()] += 1; });
  e = q.parallel_for(sycl::nd_range<1>(64, 8), std::vector<sycl::event>{e},
                     [=](sycl::nd_item<1> i) { p[i.get_global_id(0)] += 1; });
  e.wait();
  EXPECT_EQ(p[0], 9);
  for (int i = 1; i < 64; ++i) ASSERT_EQ(p[i], 5) << i;
  sycl::free(p, q);
}

TEST(queue, kernels_may_have_names) {
  sycl::queue q;
  int* p = sycl::malloc_shared<int>(4, q);
  q.single_task<class named_task>([=] { p[0] = 1; }).wait();
  q.parallel_for<class named_range>(sycl::range{3}, [=](auto i) { p[i + 1] = 2; }).wait();
  EXPECT_EQ(p[0] + p[1] + p[2] + p[3], 7);
  sycl::free(p, q);
}

TEST(queue, memory_shortcuts_do_what_they_say) {
  sycl::queue q{sycl::property::queue::in_order{}};
  std::vector<int> host(32, 7), back(32);
  int* p = sycl::malloc_device<int>(32, q);
  q.memcpy(p, host.data(), 32 * sizeof(int));
  q.memset(p, 0xff, 4 * sizeof(int));
  q.fill(p + 4, 3, 4);
  q.copy(p + 4, p + 8, 4);
  q.prefetch(p, 32 * sizeof(int));
  q.mem_advise(p, 32 * sizeof(int), 0);
  q.copy(p, back.data(), 32).wait();
  EXPECT_EQ(back[0], -1);
  EXPECT_EQ(back[3], -1);
  EXPECT_EQ(back[4], 3);
  EXPECT_EQ(back[11], 3);
  EXPECT_EQ(back[12], 7);
  sycl::free(p, q);
}

TEST(queue, fills_with_patterns_of_any_size) {
  struct medium {
    int words[10];
  };
  struct huge {
    int words[300];
  };
  sycl::queue q;
  auto* m = sycl::malloc_shared<medium>(5, q);
  auto* h = sycl::malloc_shared<huge>(3, q);
  medium a{};
  huge b{};
  a.words[9] = 5;
  b.words[299] = 6;
  q.fill(m, a, 5);
  q.fill(h, b, 3);
  a.words[9] = 0;
  b.words[299] = 0;
  q.wait();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(m[i].words[9], 5);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(h[i].words[299], 6);
  sycl::free(m, q);
  sycl::free(h, q);
}

TEST(queue, operations_of_no_bytes_are_allowed_and_null_pointers_otherwise_are_not) {
  sycl::queue q;
  int x = 0;
  q.memcpy(nullptr, nullptr, 0).wait();
  q.fill(static_cast<int*>(nullptr), 1, 0).wait();
  EXPECT_EQ(error_code_of([&] { q.memcpy(nullptr, &x, 4); }), sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { q.memcpy(&x, nullptr, 4); }), sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { q.memset(nullptr, 0, 4); }), sycl::errc::invalid);
}

TEST(queue, an_empty_command_group_is_an_event_after_its_dependencies) {
  sycl::queue q;
  int* p = sycl::malloc_shared<int>(1, q);
  *p = 0;
  const sycl::event first = q.single_task([=] { *p = 1; });
  q.submit([&](sycl::handler& h) { h.depends_on(first); }).wait();
  EXPECT_EQ(*p, 1);
  sycl::free(p, q);
}

TEST(queue, two_commands_in_one_group_are_refused) {
  sycl::queue q;
  const auto twice = [&] {
    q.submit([](sycl::handler& h) {
      h.single_task([] {});
      h.host_task([] {});
    });
  };
  EXPECT_EQ(error_code_of(twice), sycl::errc::invalid);
  EXPECT_NE(error_text_of(twice).find("one group per command"), std::string::npos);
  q.single_task([] {}).wait();
}

TEST(queue, exceptions_of_the_command_group_function_pass_and_submit_nothing) {
  sycl::queue q;
  int* p = sycl::malloc_shared<int>(1, q);
  *p = 0;
  EXPECT_THROW(q.submit([&](sycl::handler& h) {
    h.single_task([=] { *p = 1; });
    throw std::runtime_error("no");
  }),
               std::runtime_error);
  q.wait();
  EXPECT_EQ(*p, 0);
  sycl::free(p, q);
}

TEST(queue, a_group_that_the_first_queue_refuses_goes_to_the_second) {
  sycl::queue first, second;
  int calls = 0;
  bool ran = false;
  first
      .submit(
          [&](sycl::handler& h) {
            if (calls++ == 0)
              throw sycl::exception(sycl::make_error_code(sycl::errc::runtime), "not here");
            h.host_task([&] { ran = true; });
          },
          second)
      .wait();
  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(ran);
}

TEST(queue, an_in_order_queue_runs_commands_in_order) {
  sycl::queue q{sycl::property::queue::in_order{}};
  std::vector<int> order;
  for (int i = 0; i < 50; ++i)
    q.submit([&](sycl::handler& h) { h.host_task([&order, i] { order.push_back(i); }); });
  q.wait();
  ASSERT_EQ(order.size(), 50u);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST(queue, a_barrier_waits_for_what_was_submitted_before) {
  sycl::queue q;
  int* p = sycl::malloc_shared<int>(100, q);
  for (int i = 0; i < 100; ++i) q.single_task([=] { p[i] = i; });
  const sycl::event barrier = q.ext_oneapi_submit_barrier();
  int sum = 0;
  q.submit([&](sycl::handler& h) {
     h.host_task([&sum, p] {
       for (int i = 0; i < 100; ++i) sum += p[i];
     });
   }).wait();
  EXPECT_EQ(sum, 4950);
  EXPECT_EQ(barrier.get_info<sycl::info::event::command_execution_status>(),
            sycl::info::event_command_status::complete);
  const sycl::event some = q.single_task([=] { p[0] = 7; });
  q.ext_oneapi_submit_barrier({some}).wait();
  EXPECT_EQ(p[0], 7);
  q.ext_oneapi_submit_barrier(std::vector<sycl::event>{}).wait();
  sycl::free(p, q);
}

TEST(queue, is_empty_after_waiting) {
  sycl::queue q;
  q.single_task([] {});
  q.wait();
  EXPECT_TRUE(q.ext_oneapi_empty());
}

TEST(queue, takes_submissions_from_several_threads) {
  sycl::queue q;
  int* p = sycl::malloc_shared<int>(4, q);
  for (int i = 0; i < 4; ++i) p[i] = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&q, p, t] {
      sycl::event last;
      for (int i = 0; i < 500; ++i)
        last = q.submit([&](sycl::handler& h) {
          h.depends_on(last);
          h.single_task([=] { p[t] += 1; });
        });
      last.wait();
    });
  for (auto& t : threads) t.join();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(p[i], 500);
  sycl::free(p, q);
}

TEST(queue, hands_errors_of_kernels_to_its_handler_and_stays_usable) {
  std::vector<std::string> seen;
  sycl::queue q{[&](sycl::exception_list errors) {
    for (const auto& error : errors) {
      try {
        std::rethrow_exception(error);
      } catch (const std::exception& e) {
        seen.push_back(e.what());
      }
    }
  }};
  q.single_task([] { throw std::runtime_error("out of a kernel"); });
  q.wait();
  EXPECT_TRUE(seen.empty());
  q.wait_and_throw();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_NE(seen[0].find("out of a kernel"), std::string::npos);
  bool ran = false;
  q.submit([&](sycl::handler& h) { h.host_task([&] { ran = true; }); }).wait_and_throw();
  EXPECT_TRUE(ran);
  EXPECT_EQ(seen.size(), 1u);
}

TEST(queue, uses_the_handler_of_its_context_if_it_has_none) {
  int seen = 0;
  const sycl::context c{sycl::device(), [&](sycl::exception_list errors) {
                          seen += static_cast<int>(errors.size());
                        }};
  sycl::queue q{c, sycl::device()};
  q.submit([](sycl::handler& h) { h.host_task([] { throw std::runtime_error("x"); }); });
  q.wait_and_throw();
  EXPECT_EQ(seen, 1);
}

TEST(queue, an_event_finds_the_handler_of_its_queue) {
  int seen = 0;
  sycl::queue q{[&](sycl::exception_list) { ++seen; }};
  sycl::event e = q.single_task([] { throw std::runtime_error("x"); });
  e.wait_and_throw();
  EXPECT_EQ(seen, 1);
}

}  // namespace
