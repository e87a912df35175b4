// SPDX-License-Identifier: Apache-2.0
// 3.7: the execution model: commands are ordered by what they access, by events and by in-order queues, within and across
// queues. 3.9.11, 3.9.12: data is where commands and the host need it, as long as anything needs it.
// also tests: 3.9.11 3.9.12
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace {

TEST(commands, on_one_buffer_run_in_the_order_of_submission) {
  sycl::queue q;
  sycl::buffer<unsigned, 1> b(sycl::range<1>(256));
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
    h.parallel_for(256, [=](sycl::id<1> i) { a[i] = static_cast<unsigned>(i[0]); });
  });
  for (unsigned k = 1; k <= 20; ++k) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_write);
      h.parallel_for(256, [=](sycl::id<1> i) { a[i] = a[i] * 3 + k; });
    });
  }
  const sycl::host_accessor result(b, sycl::read_only);
  for (unsigned i = 0; i < 256; ++i) {
    unsigned expected = i;
    for (unsigned k = 1; k <= 20; ++k) expected = expected * 3 + k;
    ASSERT_EQ(result[i], expected) << i;
  }
}

TEST(commands, of_several_queues_are_ordered_by_buffers_too) {
  sycl::queue first, second{sycl::property::queue::in_order()};
  sycl::buffer<int, 1> a(sycl::range<1>(100)), b(sycl::range<1>(100));
  for (int round = 0; round < 5; ++round) {
    first.submit([&](sycl::handler& h) {
      sycl::accessor out(a, h, sycl::write_only, sycl::no_init);
      h.parallel_for(100, [=](sycl::id<1> i) { out[i] = static_cast<int>(i[0]) + round; });
    });
    second.submit([&](sycl::handler& h) {
      sycl::accessor in(a, h, sycl::read_only);
      sycl::accessor out(b, h, sycl::write_only, sycl::no_init);
      h.parallel_for(100, [=](sycl::id<1> i) { out[i] = 2 * in[i]; });
    });
  }
  EXPECT_EQ(b.get_host_access(sycl::read_only)[99], 2 * (99 + 4));
}

TEST(commands, of_an_in_order_queue_run_one_after_the_other) {
  sycl::queue q{sycl::property::queue::in_order()};
  int* const value = sycl::malloc_shared<int>(1, q);
  *value = 0;
  for (int k = 0; k < 50; ++k) q.single_task([=] { *value = *value * 3 % 1009 + k; });
  q.wait();
  int expected = 0;
  for (int k = 0; k < 50; ++k) expected = expected * 3 % 1009 + k;
  EXPECT_EQ(*value, expected);
  sycl::free(value, q);
}

TEST(commands, are_ordered_by_events_across_queues) {
  sycl::queue first, second;
  int* const value = sycl::malloc_shared<int>(1, first);
  *value = 1;
  const sycl::event event = first.single_task([=] { *value += 4; });
  second.single_task(event, [=] { *value *= 7; }).wait();
  EXPECT_EQ(*value, 35);
  sycl::free(value, first);
}

// A host task that waits for a second, independent command: an out-of-order queue may not make one wait for the other.
TEST(commands, without_dependencies_may_overtake_each_other) {
  sycl::queue q;
  std::atomic<bool> second_ran{false};
  q.submit([&](sycl::handler& h) {
    h.host_task([&] {
      while (!second_ran) std::this_thread::yield();
    });
  });
  q.submit([&](sycl::handler& h) { h.host_task([&] { second_ran = true; }); });
  q.wait();
  EXPECT_TRUE(second_ran);
}

TEST(kernels, that_read_the_same_see_what_was_written_before) {
  sycl::queue q;
  std::vector<int> in(64, 3);
  sycl::buffer<int, 1> source(in.data(), 64);
  std::vector<sycl::buffer<int, 1>> results(4, sycl::buffer<int, 1>(sycl::range<1>(64)));
  for (int k = 0; k < 4; ++k) {
    results[k] = sycl::buffer<int, 1>(sycl::range<1>(64));
    q.submit([&](sycl::handler& h) {
      sycl::accessor from(source, h, sycl::read_only);
      sycl::accessor to(results[k], h, sycl::write_only, sycl::no_init);
      h.parallel_for(64, [=](sycl::id<1> i) { to[i] = from[i] * k; });
    });
  }
  for (int k = 0; k < 4; ++k) EXPECT_EQ(results[k].get_host_access(sycl::read_only)[63], 3 * k);
}

// 3.9.12: the objects that commands use live as long as the commands.
TEST(objects, outlive_the_variables_that_name_them) {
  sycl::queue outer;
  sycl::buffer<int, 1> result(sycl::range<1>(16));
  {
    sycl::queue q(outer.get_context(), outer.get_device());
    sycl::buffer<int, 1> temporary(sycl::range<1>(16));
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(temporary, h, sycl::write_only, sycl::no_init);
      h.parallel_for(16, [=](sycl::id<1> i) { a[i] = static_cast<int>(i[0]); });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(temporary, h, sycl::read_only);
      sycl::accessor out(result, h, sycl::write_only, sycl::no_init);
      h.parallel_for(16, [=](sycl::id<1> i) { out[i] = a[i] + 1; });
    });
  }
  EXPECT_EQ(result.get_host_access(sycl::read_only)[15], 16);
}

}  // namespace
