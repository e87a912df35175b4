// SPDX-License-Identifier: Apache-2.0
// 4.15.1: barriers and fences; 3.8: what they promise about memory.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <algorithm>

namespace {

constexpr size_t groups = 8, items = 16;

struct barriers_and_fences : testing::Test {
  sycl::queue q;
  int* const data = sycl::malloc_shared<int>(groups * items, q);
  void SetUp() override { std::fill(data, data + groups * items, 0); }
  void TearDown() override { sycl::free(data, q); }
};

// Each item reads what its neighbour wrote before the barrier, again and again.
TEST_F(barriers_and_fences, a_group_barrier_makes_writes_of_the_group_visible) {
  int* const out = data;
  q.submit([&](sycl::handler& h) {
     sycl::local_accessor<int, 1> local(items, h);
     h.parallel_for(sycl::nd_range<1>(groups * items, items), [=](sycl::nd_item<1> it) {
       const size_t i = it.get_local_id(0);
       int value = static_cast<int>(i);
       for (int round = 0; round < 10; ++round) {
         local[i] = value;
         sycl::group_barrier(it.get_group());
         value = local[(i + 1) % items];
         sycl::group_barrier(it.get_group(), sycl::memory_scope::work_group);
       }
       out[it.get_global_id(0)] = value;
     });
   }).wait();
  for (size_t i = 0; i < groups * items; ++i)
    EXPECT_EQ(data[i], static_cast<int>((i + 10) % items));
}

TEST_F(barriers_and_fences, a_group_barrier_covers_global_memory) {
  int* const out = data;
  q.parallel_for(sycl::nd_range<1>(groups * items, items), [=](sycl::nd_item<1> it) {
     const size_t first = it.get_group(0) * items, i = it.get_local_id(0);
     out[first + i] = static_cast<int>(i);
     sycl::group_barrier(it.get_group(), sycl::memory_scope::device);
     const int value = out[first + items - 1 - i];
     sycl::group_barrier(it.get_group());
     out[first + i] = value;
   }).wait();
  for (size_t i = 0; i < groups * items; ++i)
    EXPECT_EQ(data[i], static_cast<int>(items - 1 - i % items));
}

TEST_F(barriers_and_fences, a_sub_group_has_a_barrier_of_its_own) {
  int* const out = data;
  q.submit([&](sycl::handler& h) {
     sycl::local_accessor<int, 1> local(items, h);
     h.parallel_for(sycl::nd_range<1>(groups * items, items), [=](sycl::nd_item<1> it) {
       const sycl::sub_group s = it.get_sub_group();
       const size_t first = it.get_local_id(0) - s.get_local_linear_id();
       local[it.get_local_id(0)] = static_cast<int>(s.get_local_linear_id());
       sycl::group_barrier(s);
       const size_t last = s.get_local_linear_range() - 1;
       out[it.get_global_id(0)] = local[first + last - s.get_local_linear_id()] +
                                  static_cast<int>(s.get_local_linear_id()) -
                                  static_cast<int>(last);
     });
   }).wait();
  for (size_t i = 0; i < groups * items; ++i) EXPECT_EQ(data[i], 0);
}

// The old member function, deprecated.
TEST_F(barriers_and_fences, the_barrier_of_an_item_is_one_of_its_group) {
  int* const out = data;
  q.submit([&](sycl::handler& h) {
     sycl::local_accessor<int, 1> local(items, h);
     h.parallel_for(sycl::nd_range<1>(groups * items, items), [=](sycl::nd_item<1> it) {
       local[it.get_local_id(0)] = static_cast<int>(it.get_global_id(0));
       it.barrier(sycl::access::fence_space::local_space);
       out[it.get_global_id(0)] = local[items - 1 - it.get_local_id(0)];
     });
   }).wait();
  for (size_t i = 0; i < groups * items; ++i) {
    EXPECT_EQ(data[i], static_cast<int>(i / items * items + items - 1 - i % items));
  }
}

// One item publishes with a release fence, another one acquires: the data is there once the flag is.
TEST_F(barriers_and_fences, fences_order_relaxed_accesses_around_them) {
  int* const out = data;
  q.parallel_for(sycl::nd_range<1>(items, items), [=](sycl::nd_item<1> it) {
     sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device,
                      sycl::access::address_space::global_space>
         flag(out[0]);
     if (it.get_local_id(0) == 0) {
       out[1] = 42;
       sycl::atomic_fence(sycl::memory_order::release, sycl::memory_scope::device);
       flag.store(1);
     }
     sycl::group_barrier(it.get_group());
     if (it.get_local_id(0) == items - 1) {
       const int seen = flag.load();
       sycl::atomic_fence(sycl::memory_order::acquire, sycl::memory_scope::device);
       out[2] = seen * out[1];
     }
   }).wait();
  EXPECT_EQ(data[2], 42);
}

TEST_F(barriers_and_fences, fences_take_every_order_and_scope) {
  int* const out = data;
  q.single_task([=] {
     for (const auto scope : {sycl::memory_scope::work_item, sycl::memory_scope::sub_group,
                              sycl::memory_scope::work_group, sycl::memory_scope::device,
                              sycl::memory_scope::system}) {
       for (const auto order :
            {sycl::memory_order::relaxed, sycl::memory_order::acquire, sycl::memory_order::release,
             sycl::memory_order::acq_rel, sycl::memory_order::seq_cst}) {
         sycl::atomic_fence(order, scope);
         out[0] += 1;
       }
     }
   }).wait();
  EXPECT_EQ(data[0], 25);
}

}  // namespace
