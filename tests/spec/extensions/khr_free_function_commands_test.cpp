// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <memory>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

namespace {

namespace khr = sycl::khr;

TEST(free_function_commands, launch_kernels_of_every_kind) {
  sycl::queue q{sycl::property::queue::in_order()};
  int* const data = sycl::malloc_shared<int>(60, q);
  khr::fill(q, data, 0, 60);
  khr::launch(q, 60, [=](sycl::id<1> i) { data[i] += 1; });
  khr::launch(q, {6, 10}, [=](sycl::item<2> i) { data[i.get_linear_id()] += 1; });
  khr::launch(q, {3, 4, 5}, [=](sycl::item<3> i) { data[i.get_linear_id()] += 1; });
  khr::launch_grouped(q, 60, 12, [=](sycl::nd_item<1> i) { data[i.get_global_linear_id()] += 1; });
  khr::launch_grouped(q, {6, 10}, {3, 5},
                      [=](sycl::nd_item<2> i) { data[i.get_global_linear_id()] += 1; });
  khr::launch_grouped(q, {3, 4, 5}, {3, 2, 1},
                      [=](sycl::nd_item<3> i) { data[i.get_global_linear_id()] += 1; });
  khr::launch_task(q, [=] { data[0] += 100; });
  q.wait();
  for (int i = 0; i < 60; ++i) ASSERT_EQ(data[i], i == 0 ? 106 : 6);
  sycl::free(data, q);
}

TEST(free_function_commands, work_with_a_handler) {
  sycl::queue q;
  sycl::buffer<int> data{sycl::range<1>(64)};
  khr::submit(q, [&](sycl::handler& h) {
    sycl::accessor a(data, h, sycl::write_only, sycl::no_init);
    khr::launch(h, 64, [=](sycl::id<1> i) { a[i] = static_cast<int>(i[0]); });
  });
  const sycl::event e = khr::submit_tracked(q, [&](sycl::handler& h) {
    sycl::accessor a(data, h, sycl::read_write);
    khr::launch_grouped(h, 64, 8, [=](sycl::nd_item<1> i) { a[i.get_global_id()] *= 2; });
  });
  khr::submit(q, [&](sycl::handler& h) {
    h.depends_on(e);
    sycl::accessor a(data, h, sycl::read_write);
    khr::launch_task(h, [=] { a[0] = 9; });
  });
  sycl::host_accessor a(data, sycl::read_only);
  EXPECT_EQ(a[0], 9);
  EXPECT_EQ(a[63], 126);
}

TEST(free_function_commands, reduce) {
  sycl::queue q{sycl::property::queue::in_order()};
  int* const sum = sycl::malloc_shared<int>(3, q);
  sum[0] = sum[1] = sum[2] = 0;
  khr::launch_reduce(
      q, 100, [=](sycl::id<1> i, auto& s) { s += static_cast<int>(i[0]); },
      sycl::reduction(sum, sycl::plus<>()));
  khr::launch_grouped_reduce(
      q, 100, 10, [=](sycl::nd_item<1>, auto& s) { s += 1; },
      sycl::reduction(sum + 1, sycl::plus<>()));
  khr::launch_reduce(
      q, {10, 10}, [=](sycl::id<2>, auto& s) { s += 2; }, sycl::reduction(sum + 2, sycl::plus<>()));
  q.wait();
  EXPECT_EQ(sum[0], 4950);
  EXPECT_EQ(sum[1], 100);
  EXPECT_EQ(sum[2], 200);
  sycl::free(sum, q);
}

TEST(free_function_commands, move_memory) {
  sycl::queue q{sycl::property::queue::in_order()};
  int* const a = sycl::malloc_shared<int>(16, q);
  int* const b = sycl::malloc_shared<int>(16, q);
  khr::memset(q, a, 0, 16 * sizeof(int));
  khr::fill(q, a, 4, 8);
  khr::copy(q, static_cast<const int*>(a), b, 16);
  khr::memcpy(q, b + 8, a, 4 * sizeof(int));
  khr::prefetch(q, a, 64);
  khr::mem_advise(q, a, 64, 0);
  q.wait();
  EXPECT_EQ(b[7], 4);
  EXPECT_EQ(b[11], 4);
  EXPECT_EQ(b[12], 0);
  khr::submit(q, [&](sycl::handler& h) { khr::memset(h, a, 0, 64); });
  khr::submit(q, [&](sycl::handler& h) { khr::fill(h, a, 3, 2); });
  khr::submit(q, [&](sycl::handler& h) { khr::copy(h, static_cast<const int*>(a), b, 4); });
  khr::submit(q, [&](sycl::handler& h) { khr::memcpy(h, b + 4, a, 8); });
  khr::submit(q, [&](sycl::handler& h) { khr::prefetch(h, a, 8); });
  khr::submit(q, [&](sycl::handler& h) { khr::mem_advise(h, a, 8, 0); });
  q.wait();
  EXPECT_EQ(b[1], 3);
  EXPECT_EQ(b[2], 0);
  EXPECT_EQ(b[5], 3);
  sycl::free(a, q);
  sycl::free(b, q);
}

TEST(free_function_commands, copy_and_fill_through_accessors) {
  sycl::queue q{sycl::property::queue::in_order()};
  std::vector<int> from(10), to(10);
  std::iota(from.begin(), from.end(), 1);
  const std::shared_ptr<int> shared(new int[10](), std::default_delete<int[]>());
  sycl::buffer<int> first{sycl::range<1>(10)}, second{sycl::range<1>(10)};
  khr::copy(q, from.data(), sycl::accessor(first, sycl::write_only, sycl::no_init));
  khr::copy(q, sycl::accessor(first, sycl::read_only), sycl::accessor(second, sycl::write_only));
  khr::copy(q, sycl::accessor(second, sycl::read_only), to.data());
  khr::copy(q, sycl::accessor(second, sycl::read_only), shared);
  khr::update_host(q, sycl::accessor(second, sycl::read_only));
  q.wait();
  EXPECT_EQ(to, from);
  EXPECT_EQ(shared.get()[9], 10);
  khr::fill(q, sycl::accessor(first, sycl::write_only), 6);
  khr::submit(q, [&](sycl::handler& h) {
    khr::copy(h, sycl::accessor(first, h, sycl::read_only), to.data());
  });
  khr::submit(q, [&](sycl::handler& h) {
    khr::copy(h, sycl::accessor(first, h, sycl::read_only),
              sycl::accessor(second, h, sycl::write_only));
  });
  khr::submit(
      q, [&](sycl::handler& h) { khr::fill(h, sycl::accessor(first, h, sycl::write_only), 8); });
  khr::submit(q, [&](sycl::handler& h) {
    khr::copy(h, shared, sycl::accessor(first, h, sycl::write_only));
  });
  khr::copy(q, shared, sycl::accessor(first, sycl::write_only));
  khr::submit(
      q, [&](sycl::handler& h) { khr::update_host(h, sycl::accessor(first, h, sycl::read_only)); });
  q.wait();
  EXPECT_EQ(to[9], 6);
  sycl::host_accessor a(first, sycl::read_only), b(second, sycl::read_only);
  EXPECT_EQ(a[0], 1);
  EXPECT_EQ(b[0], 6);
}

TEST(free_function_commands, barriers_order_what_is_out_of_order) {
  sycl::queue q;
  int* const data = sycl::malloc_shared<int>(1, q);
  *data = 0;
  for (int i = 0; i < 10; ++i) {
    const sycl::event e =
        khr::submit_tracked(q, [&](sycl::handler& h) { h.single_task([=] { *data += 1; }); });
    switch (i % 4) {
      case 0:
        khr::command_barrier(q);
        break;
      case 1:
        khr::event_barrier(q, {e});
        break;
      case 2:
        khr::submit(q, [](sycl::handler& h) { khr::command_barrier(h); });
        break;
      default:
        khr::submit(q, [&](sycl::handler& h) { khr::event_barrier(h, {e}); });
    }
  }
  q.wait();
  EXPECT_EQ(*data, 10);
  sycl::free(data, q);
}

}  // namespace
