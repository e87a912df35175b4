// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <sycl/sycl.hpp>

namespace {

template <class T, sycl::memory_order Order = sycl::memory_order::relaxed>
using ref = sycl::atomic_ref<T, Order, sycl::memory_scope::device>;

template <class T>
class atomic_numbers : public testing::Test {};
using numbers = testing::Types<int, unsigned, std::int64_t, std::uint64_t, std::int16_t,
                               std::uint8_t, float, double>;
TYPED_TEST_SUITE(atomic_numbers, numbers);

TYPED_TEST(atomic_numbers, add_up_what_all_work_items_add) {
  using T = TypeParam;
  constexpr std::size_t items = 1000;
  T value = T(5), down = T(5);
  {
    sycl::queue q;
    sycl::buffer<T> up_buffer(&value, sycl::range<1>(1)), down_buffer(&down, sycl::range<1>(1));
    q.submit([&](sycl::handler& h) {
      sycl::accessor up(up_buffer, h), falling(down_buffer, h);
      h.parallel_for(sycl::range<1>(items), [=](sycl::id<1> i) {
        ref<T>(up[0]) += static_cast<T>(i[0] % 3);
        ref<T>(falling[0]).fetch_sub(static_cast<T>(1));
      });
    });
  }
  T wanted = T(5), wanted_down = T(5);
  for (std::size_t i = 0; i < items; ++i) {
    wanted = static_cast<T>(wanted + static_cast<T>(i % 3));
    wanted_down = static_cast<T>(wanted_down - T(1));
  }
  EXPECT_EQ(value, wanted);
  EXPECT_EQ(down, wanted_down);
}

TYPED_TEST(atomic_numbers, keep_the_least_and_the_greatest) {
  using T = TypeParam;
  T least = T(50), greatest = T(50);
  {
    sycl::queue q;
    sycl::buffer<T> low(&least, sycl::range<1>(1)), high(&greatest, sycl::range<1>(1));
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(low, h), b(high, h);
      h.parallel_for(sycl::nd_range<1>(96, 32), [=](sycl::nd_item<1> it) {
        const T x = static_cast<T>((it.get_global_linear_id() * 37) % 96 + 3);
        ref<T>(a[0]).fetch_min(x);
        ref<T>(b[0]).fetch_max(x);
      });
    });
  }
  EXPECT_EQ(least, T(3));
  EXPECT_EQ(greatest, T(98));
}

TYPED_TEST(atomic_numbers, exchange_and_compare) {
  using T = TypeParam;
  T object = T(1);
  const ref<T, sycl::memory_order::seq_cst> a(object);
  EXPECT_EQ(a.exchange(T(2)), T(1));
  T expected = T(7);
  EXPECT_FALSE(a.compare_exchange_strong(expected, T(3)));
  EXPECT_EQ(expected, T(2));
  EXPECT_TRUE(a.compare_exchange_strong(expected, T(3), sycl::memory_order::acq_rel,
                                        sycl::memory_order::acquire));
  while (!a.compare_exchange_weak(expected, T(4))) expected = T(3);
  EXPECT_EQ(a.load(sycl::memory_order::acquire), T(4));
  a.store(T(6), sycl::memory_order::release);
  EXPECT_EQ(static_cast<T>(a), T(6));
  EXPECT_EQ(a = T(8), T(8));
  EXPECT_EQ(a += T(2), T(10));
  EXPECT_EQ(a -= T(3), T(7));
  EXPECT_EQ(object, T(7));
}

TEST(atomic_ref, counts_and_combines_bits_of_integers) {
  unsigned object = 0xf0;
  const ref<unsigned> a(object);
  EXPECT_EQ(a++, 0xf0U);
  EXPECT_EQ(++a, 0xf2U);
  EXPECT_EQ(a--, 0xf2U);
  EXPECT_EQ(--a, 0xf0U);
  EXPECT_EQ(a.fetch_or(0x0f), 0xf0U);
  EXPECT_EQ(a.fetch_and(0x3c), 0xffU);
  EXPECT_EQ(a.fetch_xor(0xff), 0x3cU);
  EXPECT_EQ(a |= 1, 0xc3U);
  EXPECT_EQ(a &= 0x42, 0x42U);
  EXPECT_EQ(a ^= 0x40, 0x02U);
}

TEST(atomic_ref, moves_pointers_by_elements) {
  int array[8] = {};
  int* object = array;
  const ref<int*> a(object);
  EXPECT_EQ(a.fetch_add(3), array);
  EXPECT_EQ(a += 2, array + 5);
  EXPECT_EQ(a++, array + 5);
  EXPECT_EQ(--a, array + 5);
  EXPECT_EQ(a.fetch_sub(5), array + 5);
  EXPECT_EQ(a.load(), array);
}

TEST(atomic_ref, has_the_types_and_default_orders_of_the_specification) {
  using a = ref<int, sycl::memory_order::acq_rel>;
  static_assert(std::is_same_v<a::value_type, int> && std::is_same_v<a::difference_type, int>);
  static_assert(a::default_read_order == sycl::memory_order::acquire);
  static_assert(a::default_write_order == sycl::memory_order::release);
  static_assert(a::default_read_modify_write_order == sycl::memory_order::acq_rel);
  static_assert(a::default_scope == sycl::memory_scope::device);
  static_assert(a::required_alignment == 4 && a::is_always_lock_free);
  static_assert(std::is_same_v<ref<int*>::difference_type, std::ptrdiff_t>);
  static_assert(!std::is_copy_assignable_v<a> && std::is_copy_constructible_v<a>);
  static_assert(!std::is_convertible_v<int&, a>);
}

// Local memory, and an order of work-items that only atomics make: everybody takes a ticket.
TEST(atomic_ref, hands_out_tickets_in_local_memory) {
  constexpr std::size_t items = 64, groups = 4;
  std::vector<int> tickets(items * groups);
  {
    sycl::queue q;
    sycl::buffer<int> out(tickets.data(), sycl::range<1>(tickets.size()));
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(out, h, sycl::write_only, sycl::no_init);
      sycl::local_accessor<int, 1> counter(sycl::range<1>(1), h);
      h.parallel_for(sycl::nd_range<1>(items * groups, items), [=](sycl::nd_item<1> it) {
        if (it.get_local_linear_id() == 0) counter[0] = 0;
        sycl::group_barrier(it.get_group());
        sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::work_group,
                         sycl::access::address_space::local_space>
            next(counter[0]);
        a[it.get_group(0) * items + static_cast<std::size_t>(next++)] =
            static_cast<int>(it.get_local_linear_id());
      });
    });
  }
  for (std::size_t g = 0; g < groups; ++g) {
    std::sort(tickets.begin() + g * items, tickets.begin() + (g + 1) * items);
    for (std::size_t i = 0; i < items; ++i) EXPECT_EQ(tickets[g * items + i], static_cast<int>(i));
  }
}

// The last work-group of all reads what the others wrote: a release and an acquire fence.
TEST(atomic_fence, publishes_what_other_work_groups_wrote) {
  constexpr std::size_t groups = 50;
  int total = 0, done = 0;
  std::vector<int> parts(groups);
  {
    sycl::queue q;
    sycl::buffer<int> total_buffer(&total, sycl::range<1>(1)),
        done_buffer(&done, sycl::range<1>(1));
    sycl::buffer<int> parts_buffer(parts.data(), sycl::range<1>(groups));
    q.submit([&](sycl::handler& h) {
      sycl::accessor sum(total_buffer, h), count(done_buffer, h), part(parts_buffer, h);
      h.parallel_for(sycl::nd_range<1>(groups * 8, 8), [=](sycl::nd_item<1> it) {
        const std::size_t g = it.get_group(0);
        const int mine =
            sycl::reduce_over_group(it.get_group(), static_cast<int>(g), sycl::plus<int>());
        if (!it.get_group().leader()) return;
        part[g] = mine;
        sycl::atomic_fence(sycl::memory_order::release, sycl::memory_scope::device);
        if (ref<int>(count[0]).fetch_add(1) + 1 != static_cast<int>(groups)) return;
        sycl::atomic_fence(sycl::memory_order::acquire, sycl::memory_scope::device);
        for (std::size_t i = 0; i < groups; ++i) sum[0] += part[i];
      });
    });
  }
  EXPECT_EQ(total, static_cast<int>(8 * groups * (groups - 1) / 2));
}

}  // namespace
