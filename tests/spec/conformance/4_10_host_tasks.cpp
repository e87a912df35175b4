// SPDX-License-Identifier: Apache-2.0
// 4.10: host tasks.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <atomic>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

TEST(host_task, runs_after_the_commands_it_depends_on_and_before_those_that_depend_on_it) {
  sycl::queue q;
  sycl::buffer<int, 1> b(sycl::range<1>(64));
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
    h.parallel_for(64, [=](sycl::id<1> i) { a[i] = static_cast<int>(i[0]); });
  });
  int sum = 0;
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::read_write_host_task);
    h.host_task([=, &sum] {
      for (const int x : a) sum += x;
      a[0] = 1000;
    });
  });
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::read_write);
    h.single_task([=] { a[0] += 1; });
  });
  EXPECT_EQ(b.get_host_access(sycl::read_only)[0], 1001);
  EXPECT_EQ(sum, 64 * 63 / 2);
}

// Before there was target::host_task.
TEST(host_task, takes_the_accessors_of_older_programs) {
  std::vector<int> data(4, 1);
  {
    sycl::buffer<int, 1> b(data);
    sycl::queue q;
    q.submit([&](sycl::handler& h) {
      auto a = b.get_access<sycl::access_mode::read_write, sycl::target::host_buffer>(h);
      h.host_task([=] { a[1] += 4; });
    });
    q.submit([&](sycl::handler& h) {
      auto a = b.get_access<sycl::access_mode::write, sycl::target::host_buffer>(
          h, sycl::range<1>(2), sycl::id<1>(2));
      h.host_task([=] { a[1] = 7; });
    });
  }
  EXPECT_EQ(data, (std::vector<int>{1, 5, 1, 7}));
}

TEST(host_task, may_call_any_code_of_the_program) {
  sycl::queue q;
  std::vector<int> log;
  sycl::event last;
  for (int i = 0; i < 10; ++i) {
    last = q.submit([&](sycl::handler& h) {
      h.depends_on(last);
      h.host_task([&log, i] { log.push_back(i); });
    });
  }
  last.wait();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(log.at(i), i);
}

TEST(host_task, keeps_the_order_of_an_in_order_queue) {
  sycl::queue q{sycl::property::queue::in_order()};
  int* const data = sycl::malloc_shared<int>(1, q);
  *data = 1;
  q.single_task([=] { *data *= 3; });
  q.submit([&](sycl::handler& h) { h.host_task([=] { *data += 1; }); });
  q.single_task([=] { *data *= 10; });
  q.wait();
  EXPECT_EQ(*data, 40);
  sycl::free(data, q);
}

TEST(host_task, gets_a_handle_to_what_it_runs_beside) {
  sycl::queue q;
  bool backend_is_right = false;
  q.submit([&](sycl::handler& h) {
     h.host_task([&](sycl::interop_handle handle) {
       backend_is_right = handle.get_backend() == q.get_backend();
     });
   }).wait();
  EXPECT_TRUE(backend_is_right);
}

TEST(host_task, hands_its_exception_to_the_async_handler) {
  int handled = 0;
  std::string what;
  sycl::queue q{[&](sycl::exception_list list) {
    for (const std::exception_ptr& each : list) {
      ++handled;
      try {
        std::rethrow_exception(each);
      } catch (const std::exception& e) {
        what = e.what();
      }
    }
  }};
  q.submit(
      [&](sycl::handler& h) { h.host_task([] { throw std::runtime_error("from a host task"); }); });
  q.wait_and_throw();
  EXPECT_EQ(handled, 1);
  EXPECT_EQ(what, "from a host task");
}

TEST(host_task, runs_in_a_thread_of_the_runtime_while_the_program_goes_on) {
  sycl::queue q;
  std::atomic<bool> submitted{false};
  bool saw_it = false;
  q.submit([&](sycl::handler& h) {
    h.host_task([&] {
      while (!submitted) std::this_thread::yield();
      saw_it = true;
    });
  });
  submitted = true;  // never reached if submit() ran the task itself
  q.wait();
  EXPECT_TRUE(saw_it);
}

}  // namespace
