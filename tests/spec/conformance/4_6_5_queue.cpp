// SPDX-License-Identifier: Apache-2.0
// host only: it counts on kernels and host tasks that write to variables of the program
// 4.6.5: the queue class, its constructors, queries, shortcuts and asynchronous errors.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <atomic>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "errors.hpp"

namespace {

using ints = std::vector<int>;

TEST(queue, is_constructed_from_devices_selectors_and_contexts) {
  const sycl::device d;
  const sycl::context c(d);
  const sycl::async_handler ignore = [](sycl::exception_list) {};
  const sycl::property_list in_order{sycl::property::queue::in_order()};
  for (const sycl::queue& q : {sycl::queue(),
                               sycl::queue(ignore),
                               sycl::queue(sycl::property_list{}),
                               sycl::queue(ignore, in_order),
                               sycl::queue(d),
                               sycl::queue(d, ignore),
                               sycl::queue(d, in_order),
                               sycl::queue(d, ignore, in_order),
                               sycl::queue(sycl::default_selector_v),
                               sycl::queue(sycl::default_selector_v, ignore),
                               sycl::queue(sycl::default_selector_v, in_order),
                               sycl::queue(sycl::default_selector_v, ignore, in_order),
                               sycl::queue(c, d),
                               sycl::queue(c, d, ignore),
                               sycl::queue(c, d, in_order),
                               sycl::queue(c, d, ignore, in_order),
                               sycl::queue(c, sycl::default_selector_v),
                               sycl::queue(c, sycl::default_selector_v, ignore),
                               sycl::queue(c, sycl::default_selector_v, in_order),
                               sycl::queue(c, sycl::default_selector_v, ignore, in_order)}) {
    EXPECT_EQ(q.get_device(), d);
    EXPECT_EQ(q.get_backend(), d.get_backend());
    EXPECT_EQ(q.is_in_order(), q.has_property<sycl::property::queue::in_order>());
    EXPECT_EQ(q.get_info<sycl::info::queue::device>(), d);
    EXPECT_EQ(q.get_info<sycl::info::queue::context>(), q.get_context());
  }
  EXPECT_EQ(sycl::queue(c, d).get_context(), c);
  EXPECT_TRUE(sycl::queue(d, in_order).is_in_order());
  EXPECT_EQ(code_of([&] { (void)sycl::queue(d).get_property<sycl::property::queue::in_order>(); }),
            sycl::errc::invalid);
}

TEST(queue, refuses_a_device_that_its_context_lacks) {
  for (const sycl::device& other : sycl::device::get_devices()) {
    if (other == sycl::device()) continue;
    EXPECT_EQ(code_of([&] { sycl::queue q(sycl::context(sycl::device()), other); }),
              sycl::errc::invalid);
    // A selector chooses among all devices, not among those of the context.
    EXPECT_EQ(code_of([&] { sycl::queue q(sycl::context(other), sycl::default_selector_v); }),
              sycl::errc::invalid);
  }
}

TEST(queue, has_the_common_reference_semantics) {
  const sycl::queue a, b, copy = a;
  EXPECT_TRUE(copy == a && a != b);
  EXPECT_EQ(std::hash<sycl::queue>()(copy), std::hash<sycl::queue>()(a));
}

TEST(queue, in_order_runs_commands_in_the_order_of_submission) {
  sycl::queue q{sycl::property::queue::in_order()};
  int* n = sycl::malloc_shared<int>(1, q);
  *n = 1;
  for (int i = 0; i < 50; ++i) q.single_task([=] { *n = *n * 3 % 1009 + 1; });
  q.wait();
  int expected = 1;
  for (int i = 0; i < 50; ++i) expected = expected * 3 % 1009 + 1;
  EXPECT_EQ(*n, expected);
  sycl::free(n, q);
}

/// Every shortcut of the table, alone, after an event, and after several.
class shortcuts : public testing::Test {
 protected:
  shortcuts() : a(sycl::malloc_shared<int>(count, q)), b(sycl::malloc_shared<int>(count, q)) {
    for (int i = 0; i < count; ++i) a[i] = i, b[i] = 0;
  }
  ~shortcuts() override {
    sycl::free(a, q);
    sycl::free(b, q);
  }
  /// f(nothing or event or events...) must make `b` as expected.
  template <class F>
  void check(const ints& expected, const F& f) {
    const auto expect = [&](sycl::event e) {
      e.wait();
      EXPECT_EQ(ints(b, b + count), expected);
      for (int i = 0; i < count; ++i) b[i] = 0;
    };
    expect(f());
    const auto slow = [&] {
      return q.submit([&](sycl::handler& h) { h.host_task([] { std::this_thread::yield(); }); });
    };
    expect(f(slow()));
    expect(f(std::vector<sycl::event>{slow(), slow()}));
  }
  static constexpr int count = 8;
  sycl::queue q;
  int* a;
  int* b;
};

TEST_F(shortcuts, launch_kernels) {
  int* const to = b;
  check(ints{1, 0, 0, 0, 0, 0, 0, 0},
        [&](auto... after) { return q.single_task(after..., [=] { to[0] = 1; }); });
  check(ints(count, 2), [&](auto... after) {
    return q.parallel_for(sycl::range<1>(count), after..., [=](sycl::id<1> i) { to[i] = 2; });
  });
  check(ints(count, 3), [&](auto... after) {
    return q.parallel_for(sycl::range<2>(2, 4), after...,
                          [=](sycl::item<2> i) { to[i.get_linear_id()] = 3; });
  });
  check(ints(count, 4), [&](auto... after) {
    return q.parallel_for(sycl::range<3>(2, 2, 2), after...,
                          [=](sycl::item<3> i) { to[i.get_linear_id()] = 4; });
  });
  check(ints(count, 5), [&](auto... after) {
    return q.parallel_for(sycl::nd_range<1>(count, 4), after...,
                          [=](sycl::nd_item<1> i) { to[i.get_global_id()] = 5; });
  });
  check(ints{28, 0, 0, 0, 0, 0, 0, 0}, [&](auto... after) {
    return q.parallel_for(sycl::range<1>(count), after..., sycl::reduction(to, sycl::plus<int>()),
                          [=](sycl::id<1> i, auto& sum) { sum += static_cast<int>(i[0]); });
  });
}

// Deprecated; handler's functions have it as well.
TEST_F(shortcuts, launch_kernels_with_offsets) {
  int* const to = b;
  q.parallel_for(sycl::range<1>(4), sycl::id<1>(2), [=](sycl::id<1> i) { to[i] = 3; }).wait();
  EXPECT_EQ(ints(b, b + count), (ints{0, 0, 3, 3, 3, 3, 0, 0}));
  q.parallel_for(sycl::range<2>(1, 2), sycl::id<2>(3, 0), [=](sycl::id<2> i) {
     to[i[0] * 2 + i[1]] = 4;
   }).wait();
  EXPECT_EQ(ints(b, b + count), (ints{0, 0, 3, 3, 3, 3, 4, 4}));
}

TEST_F(shortcuts, work_on_usm) {
  const ints numbers{0, 1, 2, 3, 4, 5, 6, 7};
  check(numbers, [&](auto... after) { return q.memcpy(b, a, count * sizeof(int), after...); });
  check(numbers, [&](auto... after) { return q.copy(a, b, count, after...); });
  check(ints(count, 0x01010101),
        [&](auto... after) { return q.memset(b, 1, count * sizeof(int), after...); });
  check(ints(count, 9), [&](auto... after) { return q.fill(b, 9, count, after...); });
  check(ints(count, 0),
        [&](auto... after) { return q.prefetch(b, count * sizeof(int), after...); });
  check(ints(count, 0),
        [&](auto... after) { return q.mem_advise(b, count * sizeof(int), 0, after...); });
}

TEST_F(shortcuts, work_on_placeholder_accessors) {
  ints data(count, 0), back(count, 0);
  sycl::buffer<int, 1> buffer(data.data(), sycl::range<1>(count)), second{sycl::range<1>(count)};
  const sycl::accessor to(buffer, sycl::write_only);
  const sycl::accessor from(buffer, sycl::read_only);
  const sycl::accessor other(second, sycl::read_write);
  q.fill(to, 4);
  q.copy(from, back.data()).wait();
  EXPECT_EQ(back, ints(count, 4));
  q.copy(static_cast<const int*>(a), to);
  const std::shared_ptr<int> shared(new int[count], std::default_delete<int[]>());
  q.copy(from, shared).wait();
  EXPECT_EQ(ints(shared.get(), shared.get() + count), ints(a, a + count));
  for (int i = 0; i < count; ++i) shared.get()[i] = 30 + i;
  q.copy(shared, other);
  q.copy(other, to);
  q.update_host(from).wait();
  EXPECT_EQ(data[7], 37);
}

TEST(queue, submits_to_a_secondary_queue_what_the_first_one_refuses) {
  sycl::queue first, second;
  int seen = 0;
  first
      .submit(
          [&](sycl::handler& h) {
            if (seen++ == 0) throw sycl::exception(sycl::errc::runtime);
            h.host_task([] {});
          },
          second)
      .wait();
  EXPECT_EQ(seen, 2);
}

struct handled {
  std::atomic<int> calls{0}, errors{0};
  sycl::async_handler handler() {
    return [this](sycl::exception_list list) {
      ++calls;
      for (const std::exception_ptr& e : list) {
        ++errors;
        EXPECT_THROW(std::rethrow_exception(e), std::runtime_error);
      }
    };
  }
};
void fail(sycl::queue& q) {
  q.submit([](sycl::handler& h) { h.host_task([] { throw std::runtime_error("on purpose"); }); });
}

TEST(asynchronous_errors, go_to_the_queues_handler_when_they_are_asked_for) {
  handled mine;
  sycl::queue q(mine.handler());
  fail(q);
  fail(q);
  q.wait();
  EXPECT_EQ(mine.calls, 0);
  q.throw_asynchronous();
  EXPECT_EQ(mine.calls, 1);
  EXPECT_EQ(mine.errors, 2);
  q.wait_and_throw();
  EXPECT_EQ(mine.calls, 1);
  fail(q);
  q.wait_and_throw();
  EXPECT_EQ(mine.errors, 3);
}

TEST(asynchronous_errors, go_to_the_contexts_handler_where_the_queue_has_none) {
  handled of_context, of_queue;
  const sycl::context c(sycl::device(), of_context.handler());
  sycl::queue without(c, sycl::device()), with(c, sycl::device(), of_queue.handler());
  fail(without);
  without.wait_and_throw();
  EXPECT_EQ(of_context.errors, 1);
  fail(with);
  with.wait_and_throw();
  EXPECT_EQ(of_context.errors, 1);
  EXPECT_EQ(of_queue.errors, 1);
}

TEST(asynchronous_errors, reach_the_handler_by_an_event_and_at_the_queues_end) {
  handled mine;
  {
    sycl::queue q(mine.handler());
    sycl::event e = q.submit(
        [](sycl::handler& h) { h.host_task([] { throw std::runtime_error("on purpose"); }); });
    e.wait_and_throw();
    EXPECT_EQ(mine.errors, 1);
    fail(q);
    q.wait();
  }
  EXPECT_EQ(mine.errors, 2);
}

TEST(asynchronous_errors_deathtest, without_a_handler_end_the_program) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(
      {
        sycl::queue q;
        fail(q);
        q.wait_and_throw();
      },
      "on purpose");
}

TEST(queue, gives_times_of_commands_where_it_profiles) {
  sycl::queue q{sycl::property::queue::enable_profiling()};
  sycl::event e = q.single_task([] {});
  e.wait();
  using namespace sycl::info::event_profiling;
  EXPECT_LE(e.get_profiling_info<command_submit>(), e.get_profiling_info<command_start>());
  EXPECT_LE(e.get_profiling_info<command_start>(), e.get_profiling_info<command_end>());
  sycl::queue plain;
  sycl::event without = plain.single_task([] {});
  EXPECT_EQ(code_of([&] { (void)without.get_profiling_info<command_start>(); }),
            sycl::errc::invalid);
}

TEST(handler, refuses_kernel_objects_that_are_function_objects) {
  sycl::queue q;
  const auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context());
  class named;
  q.single_task<named>([] {});
  const sycl::kernel k = bundle.get_kernel(bundle.get_kernel_ids().at(0));
  const auto refuses = [&](const auto& f) {
    EXPECT_EQ(code_of([&] { q.submit([&](sycl::handler& h) { f(h); }); }), sycl::errc::invalid);
  };
  refuses([&](sycl::handler& h) { h.single_task(k); });
  refuses([&](sycl::handler& h) { h.parallel_for(sycl::range<2>(2, 2), k); });
  refuses([&](sycl::handler& h) { h.parallel_for(sycl::nd_range<1>(2, 2), k); });
  refuses([&](sycl::handler& h) {
    h.set_arg(0, 1);
    h.set_args(1, 2.0);
    h.single_task(k);
  });
}

}  // namespace
