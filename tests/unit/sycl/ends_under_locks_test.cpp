// SPDX-License-Identifier: Apache-2.0
// Whatever is the last to hold a queue, a graph or the program's data lets it go where no lock is held: what then ends may
// wait, and call the program. Each of these hung or crashed.
#include <gtest/gtest.h>

#include <atomic>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <sycl/sycl.hpp>
#include <thread>

namespace {

namespace exp = sycl::ext::oneapi::experimental;

TEST(ends_under_locks, the_last_event_of_a_queue_may_be_asked_for_while_it_records) {
  sycl::queue q{sycl::property::queue::in_order{}};
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) static_cast<void>(q.ext_oneapi_get_last_event());
  });
  for (int r = 0; r < 20; ++r) {
    exp::command_graph g(q.get_context(), q.get_device());
    g.begin_recording(q);
    for (int i = 0; i < 1000; ++i) q.single_task([] {});
    g.end_recording(q);
  }
  stop = true;
  other.join();
}

TEST(ends_under_locks, a_recording_may_end_while_a_wait_cuts_it) {
  sycl::queue q{sycl::property::queue::in_order{}};
  std::optional<exp::command_graph<exp::graph_state::modifiable>> g;
  g.emplace(q, sycl::property_list{sycl::ext::pianola::property::graph::split_at_waits{}});
  g->begin_recording(q);
  std::atomic<bool> runs{false}, gone{false};
  q.submit([&](sycl::handler& h) {
    h.host_task([&] {
      runs = true;
      while (!gone) std::this_thread::yield();
    });
  });
  std::thread other([&] {
    while (!runs) std::this_thread::yield();
    g.reset();
    gone = true;
  });
  q.wait();
  other.join();
  int* const p = sycl::malloc_shared<int>(1, q);
  q.single_task([=] { *p = 3; }).wait();
  EXPECT_EQ(*p, 3);
  sycl::free(p, q);
}

std::optional<sycl::queue> last_of_a_queue;

// Lets the queue go, and then fails.
struct failing_output {
  using iterator_category = std::output_iterator_tag;
  using value_type = void;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = void;
  failing_output& operator*() { return *this; }
  failing_output& operator++() { return *this; }
  failing_output operator++(int) { return *this; }
  failing_output& operator=(int) {
    last_of_a_queue.reset();
    throw std::runtime_error("no more room");
  }
};

TEST(ends_under_locks, the_handler_of_a_queue_that_ends_with_a_buffer_may_use_sycl) {
  int errors = 0;
  bool worked = false;
  last_of_a_queue.emplace([&](sycl::exception_list l) {
    errors = static_cast<int>(l.size());
    sycl::queue other;
    other.single_task([] {}).wait();
    worked = true;
  });
  {
    sycl::buffer<int> b(sycl::range<1>(4));
    b.set_final_data(failing_output());
    last_of_a_queue->submit([&](sycl::handler& h) {
      const sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::range<1>(4), [=](sycl::id<1> i) { a[i] = 1; });
    });
  }
  EXPECT_EQ(errors, 1);
  EXPECT_TRUE(worked);
}

}  // namespace
