// SPDX-License-Identifier: Apache-2.0
// Function objects of commands end when their command counts as done: their destructors may wait for it, and for what
// comes after it.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <pianola/test/all_devices.hpp>

namespace pianola::test {
namespace {

class function_objects : public ::testing::Test {
 protected:
  std::vector<std::string> errors;
  std::vector<sycl::queue> queues = queues_on_all_devices({}, &errors);
};

// Host data that tells when the buffer over it has ended.
struct watched_data {
  std::shared_ptr<int[]> data{new int[64]()};
  std::shared_ptr<std::atomic<bool>> ended = std::make_shared<std::atomic<bool>>(false);

  sycl::buffer<int> buffer() const {
    const std::shared_ptr<int[]> held(data.get(),
                                      [keep = data, e = ended](int*) { e->store(true); });
    sycl::buffer<int> b(held, sycl::range<1>(64));
    b.set_final_data(data.get());
    return b;
  }
  // For ever, if the buffer's destructor waits for itself.
  void wait() const {
    while (!ended->load()) std::this_thread::yield();
  }
};

TEST_F(function_objects, of_a_host_task_may_hold_the_last_copy_of_a_buffer_that_it_uses) {
  for (auto& q : queues) {
    const watched_data w;
    {
      sycl::buffer<int> b = w.buffer();
      q.submit([&](sycl::handler& h) {
        sycl::accessor a(b, h, sycl::read_write_host_task);
        h.host_task([a, last = b] {
          for (int i = 0; i < 64; ++i) a[i] += i;
        });
      });
    }
    q.wait();
    w.wait();
    EXPECT_EQ(w.data[63], 63);
  }
}

TEST_F(function_objects, of_a_kernel_may_hold_the_last_copy_of_a_buffer_that_it_uses) {
  for (auto& q : queues) {
    const watched_data w;
    {
      const auto b = std::make_shared<sycl::buffer<int>>(w.buffer());
      q.submit([&](sycl::handler& h) {
        sycl::accessor a(*b, h, sycl::read_write);
        h.parallel_for(sycl::range<1>(64), [a, last = b](sycl::id<1> i) {
          static_cast<void>(last);
          a[i] += static_cast<int>(i[0]);
        });
      });
    }
    q.wait();
    w.wait();
    EXPECT_EQ(w.data[63], 63);
  }
}

TEST_F(function_objects, of_a_native_command_may_hold_the_last_copy_of_a_buffer_that_it_uses) {
  for (auto& q : queues) {
    const watched_data w;
    std::atomic<bool> ran{false};
    std::atomic<bool>* const told = &ran;
    {
      const auto b = std::make_shared<sycl::buffer<int>>(w.buffer());
      q.submit([&](sycl::handler& h) {
        sycl::accessor a(*b, h, sycl::read_write);
        h.ext_codeplay_enqueue_native_command([a, told, last = b](sycl::interop_handle) {
          static_cast<void>(a);
          told->store(true);
        });
      });
    }
    q.wait();
    w.wait();
    EXPECT_TRUE(ran);
  }
}

struct waits_at_its_end {
  waits_at_its_end(sycl::queue queue, std::atomic<bool>& over) : q(queue), told(over) {}
  waits_at_its_end(const waits_at_its_end&) = delete;
  ~waits_at_its_end() {
    q.wait();
    told = true;
  }
  sycl::queue q;
  std::atomic<bool>& told;
};

TEST_F(function_objects, may_wait_at_their_end_for_commands_that_come_later) {
  for (auto& any : queues) {
    sycl::queue q(any.get_device(), sycl::property::queue::in_order());
    for (const bool kernel : {false, true}) {
      std::atomic<bool> over{false};
      std::atomic<int> ran{0};
      std::atomic<int>* const count = &ran;
      std::atomic<bool> go{false};
      q.submit([&](sycl::handler& h) {
        h.host_task([&go] {
          while (!go) std::this_thread::yield();
        });
      });
      {
        const auto last = std::make_shared<waits_at_its_end>(q, over);
        if (kernel)
          q.parallel_for(sycl::range<1>(4), [=](sycl::id<1>) {
            static_cast<void>(last);
            ++*count;
          });
        else
          q.submit(
              [&](sycl::handler& h) { h.host_task([=] { *count += last == nullptr ? 0 : 4; }); });
      }
      for (int i = 0; i < 20; ++i)
        q.parallel_for(sycl::range<1>(1), [=](sycl::id<1>) { ++*count; });
      go = true;
      q.wait();
      EXPECT_EQ(ran, 24);
      while (!over) std::this_thread::yield();
    }
  }
}

TEST_F(function_objects, end_exactly_once_also_where_their_command_is_not_run) {
  for (auto& q : queues) {
    const auto alive = std::make_shared<int>(0);
    sycl::buffer<int> b(8);
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_write_host_task);
      h.host_task([a, alive] {
        static_cast<void>(a);
        if (alive != nullptr) throw std::runtime_error("broken");
      });
    });
    for (int i = 0; i < 10; ++i)
      q.submit([&](sycl::handler& h) {
        sycl::accessor a(b, h, sycl::read_write);
        h.parallel_for(sycl::range<1>(8),
                       [a, alive](sycl::id<1> k) { a[k] = alive == nullptr ? 1 : 2; });
      });
    q.wait_and_throw();
    EXPECT_EQ(errors, std::vector<std::string>{"broken"});
    errors.clear();
    while (alive.use_count() != 1) std::this_thread::yield();
  }
}

}  // namespace
}  // namespace pianola::test
