// SPDX-License-Identifier: Apache-2.0
// A host task that waits for what cannot end before itself is told so, at once.
#include <gtest/gtest.h>

#include <atomic>
#include <iterator>
#include <memory>
#include <optional>
#include <pianola/test/all_devices.hpp>
#include <thread>
#include <vector>

#include "error_code.hpp"

namespace pianola::test {
namespace {

namespace exp = sycl::ext::oneapi::experimental;

class own_waits : public ::testing::Test {
 protected:
  std::vector<std::string> errors;
  std::vector<sycl::queue> queues = queues_on_all_devices({}, &errors);

  // What wait() throws inside of a host task.
  template <class F>
  static sycl::errc code_in_a_host_task(sycl::queue q, F wait) {
    std::atomic<int> code{-1};
    q.submit([&](sycl::handler& h) {
      h.host_task([&code, wait]() mutable { code = static_cast<int>(code_of(wait)); });
    });
    q.wait();
    return static_cast<sycl::errc>(code.load());
  }
};

TEST_F(own_waits, for_the_event_of_the_host_task_are_refused) {
  for (auto& q : queues) {
    sycl::event own;
    std::atomic<bool> known{false};
    std::atomic<int> code{-1};
    own = q.submit([&](sycl::handler& h) {
      h.host_task([&] {
        while (!known) std::this_thread::yield();
        code = static_cast<int>(code_of([&] { own.wait(); }));
      });
    });
    known = true;
    q.wait();
    EXPECT_EQ(static_cast<sycl::errc>(code.load()), sycl::errc::invalid);
  }
}

TEST_F(own_waits, for_its_queue_are_refused) {
  for (auto& q : queues) {
    EXPECT_EQ(code_in_a_host_task(q, [q]() mutable { q.wait(); }), sycl::errc::invalid);
    sycl::queue in_order(q.get_device(), sycl::property::queue::in_order());
    EXPECT_EQ(code_in_a_host_task(in_order, [in_order]() mutable { in_order.wait_and_throw(); }),
              sycl::errc::invalid);
  }
}

TEST_F(own_waits, for_other_queues_work) {
  for (auto& q : queues)
    for (auto& any : queues) {
      sycl::queue other(any.get_device());
      int* const value = sycl::malloc_shared<int>(1, other);
      *value = 0;
      EXPECT_EQ(code_in_a_host_task(q,
                                    [other, value]() mutable {
                                      other.single_task([=] { ++*value; }).wait();
                                      other.submit([&](sycl::handler& h) {
                                        h.host_task([=] { ++*value; });
                                      });
                                      other.wait();
                                    }),
                sycl::errc::success);
      EXPECT_EQ(*value, 2);
      sycl::free(value, other);
    }
}

TEST_F(own_waits, for_commands_that_wait_for_the_host_task_are_refused) {
  for (auto& any : queues) {
    sycl::queue q(any.get_device(), sycl::property::queue::in_order());
    int* const value = sycl::malloc_shared<int>(2, q);
    value[0] = value[1] = 0;
    EXPECT_EQ(code_in_a_host_task(q,
                                  [q, value]() mutable {
                                    q.single_task([=] { ++value[0]; });
                                    q.single_task([=] { ++value[0]; }).wait();
                                  }),
              sycl::errc::invalid);
    q.wait();  // for what the host task has submitted
    EXPECT_EQ(value[0], 2);
    sycl::buffer<int> b(4);
    sycl::queue other(any.get_device());
    std::atomic<int> code{-1};
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_write_host_task);
      h.host_task([=, &code]() mutable {
        a[0] = 1;
        const sycl::event behind = other.submit([&](sycl::handler& k) {
          sycl::accessor c(b, k, sycl::read_write);
          k.single_task([=] { c[0] += 1; });
        });
        const sycl::event more = other.submit([&](sycl::handler& k) {
          k.depends_on(behind);
          k.single_task([=] { ++value[1]; });
        });
        code = static_cast<int>(code_of([&] { sycl::event(more).wait(); }));
      });
    });
    q.wait();
    other.wait();
    EXPECT_EQ(static_cast<sycl::errc>(code.load()), sycl::errc::invalid);
    EXPECT_EQ(sycl::host_accessor(b)[0], 2);
    EXPECT_EQ(value[1], 1);
    sycl::free(value, q);
  }
}

TEST_F(own_waits, for_a_host_accessor_of_a_buffer_in_use_are_refused_and_lose_nothing) {
  for (auto& q : queues) {
    sycl::buffer<int> b(4), other(4);
    std::atomic<int> codes[3];
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_write);
      h.parallel_for(sycl::range<1>(4), [=](sycl::id<1> i) { a[i] = 5; });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_only_host_task);
      h.host_task([&, a] {
        codes[0] = static_cast<int>(
            code_of([&] { sycl::host_accessor w(b, sycl::write_only, sycl::no_init); }));
        codes[1] = static_cast<int>(code_of([&] { sycl::host_accessor r(b, sycl::read_only); }));
        codes[2] = static_cast<int>(code_of([&] { sycl::host_accessor o(other); }));
        static_cast<void>(a[0]);
      });
    });
    q.wait();
    EXPECT_EQ(static_cast<sycl::errc>(codes[0].load()), sycl::errc::invalid);
    EXPECT_EQ(static_cast<sycl::errc>(codes[1].load()), sycl::errc::success);
    EXPECT_EQ(static_cast<sycl::errc>(codes[2].load()), sycl::errc::success);
    EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[3], 5);
  }
}

// Tells what was written through it, and how much.
struct counting_iterator {
  using iterator_category = std::output_iterator_tag;
  using value_type = void;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = void;
  std::atomic<int>* count;
  std::atomic<int>* sum;
  counting_iterator& operator*() { return *this; }
  counting_iterator& operator++() { return *this; }
  counting_iterator operator++(int) { return *this; }
  counting_iterator& operator=(int value) {
    *sum += value;
    ++*count;
    return *this;
  }
};

TEST_F(own_waits, of_a_buffer_that_ends_in_its_host_task_last_until_the_host_task_has_ended) {
  for (auto& q : queues) {
    std::atomic<int> count{0}, sum{0};
    std::atomic<bool> ended{false};
    auto b = std::make_shared<sycl::buffer<int>>(4);
    b->set_final_data(counting_iterator{&count, &sum});
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(*b, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::range<1>(4), [=](sycl::id<1> i) { a[i] = 5; });
    });
    std::atomic<bool> alone{false};
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(*b, h, sycl::read_write_host_task);
      h.host_task([=, &alone, &ended, b = b]() mutable {
        while (!alone) std::this_thread::yield();
        b.reset();
        ended = true;
        for (int i = 0; i < 4; ++i) a[i] += i;
      });
    });
    // The host task's is a copy of its function object's.
    EXPECT_GE(b.use_count(), 2);
    b.reset();
    alone = true;
    q.wait();
    EXPECT_TRUE(ended);
    while (count < 4) std::this_thread::yield();
    EXPECT_EQ(sum, 26);
  }
  EXPECT_EQ(errors, std::vector<std::string>());
}

TEST_F(own_waits, for_an_update_of_its_own_graph_are_refused) {
  for (auto& q : queues) {
    std::optional<exp::command_graph<exp::graph_state::executable>> body;
    std::atomic<int> code{-1};
    exp::command_graph graph(q);
    exp::command_graph same(q);
    for (auto* g : {&graph, &same}) {
      g->begin_recording(q);
      q.submit([&](sycl::handler& h) {
        h.host_task([&] {
          if (code == -1) code = static_cast<int>(code_of([&] { body->update(same); }));
        });
      });
      g->end_recording(q);
    }
    body.emplace(graph.finalize(exp::property::graph::updatable()));
    q.ext_oneapi_graph(*body);
    q.wait();
    EXPECT_EQ(static_cast<sycl::errc>(code.load()), sycl::errc::invalid);
    body.reset();
  }
}

}  // namespace
}  // namespace pianola::test
