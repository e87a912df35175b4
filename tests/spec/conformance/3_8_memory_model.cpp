// SPDX-License-Identifier: Apache-2.0
// 3.8: the memory model: regions of memory, memory orders and scopes. 3.9.8: coordination and synchronization between
// work-items, commands and the host.
// also tests: 3.9.8
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <vector>

namespace {

using sycl::memory_order;
using sycl::memory_scope;

template <class T>
using device_atomic = sycl::atomic_ref<T, memory_order::relaxed, memory_scope::device,
                                       sycl::access::address_space::global_space>;

TEST(memory_regions, are_global_for_all_local_to_groups_and_private_to_items) {
  sycl::queue q;
  constexpr std::size_t items = 32, group = 8;
  int* const out = sycl::malloc_shared<int>(items + 1, q);
  out[items] = 0;
  q.submit([&](sycl::handler& h) {
     sycl::local_accessor<int> local(1, h);
     h.parallel_for(sycl::nd_range<1>(items, group), [=](sycl::nd_item<1> i) {
       int own = static_cast<int>(i.get_local_id(0));  // private
       if (own == 0) local[0] = 100 * static_cast<int>(i.get_group(0));
       sycl::group_barrier(i.get_group());
       own += local[0];
       out[i.get_global_id(0)] = own;
       device_atomic<int>(out[items]).fetch_add(1);
     });
   }).wait();
  for (std::size_t i = 0; i < items; ++i)
    EXPECT_EQ(out[i], static_cast<int>(100 * (i / group) + i % group));
  EXPECT_EQ(out[items], static_cast<int>(items));
  sycl::free(out, q);
}

TEST(memory_orders_and_scopes, are_told_by_devices_and_contexts) {
  for (const sycl::device& d : sycl::device::get_devices()) {
    const auto orders = d.get_info<sycl::info::device::atomic_memory_order_capabilities>();
    const auto scopes = d.get_info<sycl::info::device::atomic_memory_scope_capabilities>();
    const auto has = [](const auto& list, auto wanted) {
      for (const auto x : list)
        if (x == wanted) return true;
      return false;
    };
    EXPECT_TRUE(has(orders, memory_order::relaxed));
    for (const memory_scope s :
         {memory_scope::work_item, memory_scope::sub_group, memory_scope::work_group})
      EXPECT_TRUE(has(scopes, s));
    const auto fences = d.get_info<sycl::info::device::atomic_fence_order_capabilities>();
    for (const memory_order o : {memory_order::relaxed, memory_order::acquire,
                                 memory_order::release, memory_order::acq_rel})
      EXPECT_TRUE(has(fences, o));
    const sycl::context c(d);
    EXPECT_TRUE(has(c.get_info<sycl::info::context::atomic_memory_order_capabilities>(),
                    memory_order::relaxed));
    EXPECT_TRUE(has(c.get_info<sycl::info::context::atomic_memory_scope_capabilities>(),
                    memory_scope::work_group));
  }
}

// What one work-item has released, one that acquires it sees. The reader does not wait, which nothing promises to end.
TEST(memory_orders_and_scopes, order_data_between_release_and_acquire) {
  sycl::queue q;
  constexpr std::size_t pairs = 256;
  int* const memory = sycl::malloc_shared<int>(3 * pairs, q);
  for (std::size_t i = 0; i < 3 * pairs; ++i) memory[i] = 0;
  int *const data = memory, *const flag = memory + pairs, *const wrong = memory + 2 * pairs;
  using flag_ref = sycl::atomic_ref<int, memory_order::acq_rel, memory_scope::device>;
  q.parallel_for(sycl::nd_range<1>(2 * pairs, 16), [=](sycl::nd_item<1> i) {
     const std::size_t me = i.get_global_id(0), pair = me / 2;
     if (me % 2 == 0) {
       data[pair] = 42;
       flag_ref(flag[pair]).store(1, memory_order::release);
     } else if (flag_ref(flag[pair]).load(memory_order::acquire) == 1 && data[pair] != 42) {
       wrong[pair] = 1;
     }
   }).wait();
  for (std::size_t i = 0; i < pairs; ++i) {
    EXPECT_EQ(flag[i], 1);
    EXPECT_EQ(wrong[i], 0);
  }
  sycl::free(memory, q);
}

// A barrier of a group orders what its work-items did before it, in local and in global memory.
TEST(synchronization, of_work_items_is_by_barriers_of_their_group) {
  sycl::queue q;
  constexpr std::size_t items = 64, group = 16;
  int* const global = sycl::malloc_shared<int>(items, q);
  int* const result = sycl::malloc_shared<int>(items, q);
  q.submit([&](sycl::handler& h) {
     sycl::local_accessor<int> local(group, h);
     h.parallel_for(sycl::nd_range<1>(items, group), [=](sycl::nd_item<1> i) {
       const std::size_t at = i.get_global_id(0), mine = i.get_local_id(0);
       const std::size_t other = group - 1 - mine;
       global[at] = static_cast<int>(at);
       local[mine] = static_cast<int>(mine);
       sycl::group_barrier(i.get_group());
       result[at] = global[at - mine + other] * 100 + local[other];
     });
   }).wait();
  for (std::size_t i = 0; i < items; ++i) {
    const std::size_t other = group - 1 - i % group;
    EXPECT_EQ(result[i], static_cast<int>((i / group * group + other) * 100 + other));
  }
  sycl::free(global, q);
  sycl::free(result, q);
}

// The host's means: wait of a queue and of an event, an accessor for the host, the end of a buffer.
TEST(synchronization, of_host_and_commands_has_four_ways) {
  sycl::queue q;
  int* const value = sycl::malloc_shared<int>(1, q);
  q.single_task([=] { *value = 1; });
  q.wait();
  EXPECT_EQ(*value, 1);
  q.single_task([=] { *value = 2; }).wait();
  EXPECT_EQ(*value, 2);
  sycl::free(value, q);

  std::vector<int> data(8, 0);
  {
    sycl::buffer<int, 1> b(data);
    const auto add = [&](int what) {
      q.submit([&](sycl::handler& h) {
        sycl::accessor a(b, h, sycl::read_write);
        h.parallel_for(8, [=](sycl::id<1> i) { a[i] += what; });
      });
    };
    add(3);
    {
      const sycl::host_accessor a(b, sycl::read_only);
      EXPECT_EQ(a[7], 3);
    }
    add(4);
  }
  EXPECT_EQ(data[7], 7);
}

}  // namespace
