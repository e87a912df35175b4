// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

namespace {

namespace exp = sycl::ext::oneapi::experimental;

TEST(enqueue_functions, launch_kernels_of_every_kind_on_a_queue) {
  sycl::queue q{sycl::property::queue::in_order()};
  int* const data = sycl::malloc_shared<int>(60, q);
  exp::fill(q, data, 0, 60);
  exp::parallel_for(q, 60, [=](sycl::id<1> i) { data[i] += 1; });
  exp::parallel_for(q, sycl::range<2>(6, 10),
                    [=](sycl::item<2> i) { data[i.get_linear_id()] += 1; });
  exp::parallel_for(q, sycl::range<3>(3, 4, 5),
                    [=](sycl::item<3> i) { data[i.get_linear_id()] += 1; });
  exp::nd_launch(q, sycl::nd_range<1>(60, 12),
                 [=](sycl::nd_item<1> i) { data[i.get_global_linear_id()] += 1; });
  exp::nd_launch(q, exp::launch_config(sycl::nd_range<2>({6, 10}, {3, 5})),
                 [=](sycl::nd_item<2> i) { data[i.get_global_linear_id()] += 1; });
  exp::parallel_for(q, exp::launch_config(sycl::range<1>(60), exp::properties()),
                    [=](sycl::id<1> i) { data[i] += 1; });
  exp::single_task(q, [=] { data[0] += 100; });
  q.wait();
  for (int i = 0; i < 60; ++i) ASSERT_EQ(data[i], i == 0 ? 106 : 6);
  sycl::free(data, q);
}

class named;

TEST(enqueue_functions, launch_kernels_in_command_groups) {
  sycl::queue q;
  sycl::buffer<int> data{sycl::range<1>(64)};
  exp::submit(q, [&](sycl::handler& h) {
    sycl::accessor a(data, h, sycl::write_only, sycl::no_init);
    exp::parallel_for<named>(h, 64, [=](sycl::id<1> i) { a[i] = static_cast<int>(i[0]); });
  });
  const sycl::event e = exp::submit_with_event(q, exp::properties(), [&](sycl::handler& h) {
    sycl::accessor a(data, h, sycl::read_write);
    exp::nd_launch(h, sycl::nd_range<1>(64, 8),
                   [=](sycl::nd_item<1> i) { a[i.get_global_id()] *= 2; });
  });
  exp::submit(q, exp::properties(), [&](sycl::handler& h) {
    h.depends_on(e);
    sycl::accessor a(data, h, sycl::read_write);
    exp::single_task(h, [=] { a[0] = 9; });
  });
  sycl::host_accessor a(data, sycl::read_only);
  EXPECT_EQ(a[0], 9);
  EXPECT_EQ(a[63], 126);
}

TEST(enqueue_functions, take_reductions_after_the_kernel) {
  sycl::queue q{sycl::property::queue::in_order()};
  int* const sum = sycl::malloc_shared<int>(2, q);
  sum[0] = sum[1] = 0;
  exp::parallel_for(
      q, 100, [=](sycl::id<1> i, auto& s) { s += static_cast<int>(i[0]); },
      sycl::reduction(sum, sycl::plus<>()));
  exp::nd_launch(
      q, sycl::nd_range<1>(100, 10), [=](sycl::nd_item<1>, auto& s) { s += 1; },
      sycl::reduction(sum + 1, sycl::plus<>()));
  q.wait();
  EXPECT_EQ(sum[0], 4950);
  EXPECT_EQ(sum[1], 100);
  sycl::free(sum, q);
}

TEST(enqueue_functions, move_memory) {
  sycl::queue q{sycl::property::queue::in_order()};
  int* const a = sycl::malloc_shared<int>(16, q);
  int* const b = sycl::malloc_shared<int>(16, q);
  exp::memset(q, a, 0, 16 * sizeof(int));
  exp::fill(q, a, 4, 8);
  exp::copy(q, static_cast<const int*>(a), b, 16);
  exp::memcpy(q, b + 8, a, 4 * sizeof(int));
  exp::prefetch(q, a, 64);
  exp::prefetch(q, a, 64, exp::prefetch_type::host);
  exp::mem_advise(q, a, 64, 0);
  q.wait();
  EXPECT_EQ(b[7], 4);
  EXPECT_EQ(b[11], 4);
  EXPECT_EQ(b[12], 0);
  exp::submit(q, [&](sycl::handler& h) { exp::memset(h, a, 0, 64); });
  exp::submit(q, [&](sycl::handler& h) { exp::fill(h, a, 3, 2); });
  exp::submit(q, [&](sycl::handler& h) { exp::copy(h, static_cast<const int*>(a), b, 4); });
  exp::submit(q, [&](sycl::handler& h) { exp::memcpy(h, b + 4, a, 8); });
  exp::submit(q, [&](sycl::handler& h) { exp::prefetch(h, a, 8); });
  exp::submit(q, [&](sycl::handler& h) { exp::mem_advise(h, a, 8, 0); });
  q.wait();
  EXPECT_EQ(b[1], 3);
  EXPECT_EQ(b[2], 0);
  EXPECT_EQ(b[5], 3);
  sycl::free(a, q);
  sycl::free(b, q);
}

TEST(enqueue_functions, barriers_order_what_is_out_of_order) {
  sycl::queue q;
  int* const data = sycl::malloc_shared<int>(1, q);
  *data = 0;
  for (int i = 0; i < 10; ++i) {
    const sycl::event e =
        exp::submit_with_event(q, [&](sycl::handler& h) { h.single_task([=] { *data += 1; }); });
    switch (i % 4) {
      case 0:
        exp::barrier(q);
        break;
      case 1:
        exp::partial_barrier(q, {e});
        break;
      case 2:
        exp::submit(q, [](sycl::handler& h) { exp::barrier(h); });
        break;
      default:
        exp::submit(q, [&](sycl::handler& h) { exp::partial_barrier(h, {e}); });
    }
  }
  q.wait();
  EXPECT_EQ(*data, 10);
  sycl::free(data, q);
}

TEST(enqueue_functions, run_host_tasks) {
  sycl::queue q{sycl::property::queue::in_order{}};
  int ran = 0;
  exp::host_task(q, [&] { ++ran; });
  exp::submit(q, [&](sycl::handler& h) { exp::host_task(h, [&] { ran *= 10; }); });
  exp::host_task(q, [&](const sycl::interop_handle&) { ++ran; });
  q.wait();
  EXPECT_EQ(ran, 11);
}

TEST(enqueue_functions, execute_graphs) {
  sycl::queue q{sycl::property::queue::in_order()};
  int* const data = sycl::malloc_shared<int>(1, q);
  *data = 0;
  exp::command_graph g(q);
  g.begin_recording(q);
  exp::single_task(q, [=] { *data += 1; });
  g.end_recording();
  auto executable = g.finalize();
  exp::execute_graph(q, executable);
  exp::submit(q, [&](sycl::handler& h) { exp::execute_graph(h, executable); });
  q.wait();
  EXPECT_EQ(*data, 2);
  sycl::free(data, q);
}

}  // namespace
