// SPDX-License-Identifier: Apache-2.0
// 4.15.4: atomic, deprecated.
#include <type_traits>

#include "checked.hpp"

namespace {

using sycl::atomic;
using space = sycl::access::address_space;

template <class A, class = void>
constexpr bool can_add = false;
template <class A>
constexpr bool can_add<A, std::void_t<decltype(std::declval<A&>().fetch_add(1))>> = true;
static_assert(can_add<atomic<int>> && can_add<atomic<unsigned long, space::local_space>> &&
              !can_add<atomic<float>>);

template <class T, space Space>
int check_operations(sycl::multi_ptr<T, Space, sycl::access::decorated::legacy> p) {
  atomic<T, Space> a(p);
  a.store(T(3));
  CHECK(a.load() == T(3) && a.exchange(T(5)) == T(3));
  CHECK(atomic_exchange(a, T(6)) == T(5));
  atomic_store(a, T(7), sycl::memory_order::relaxed);
  CHECK(atomic_load(a) == T(7));
  if constexpr (std::is_integral_v<T>) {
    T expected = 1;
    CHECK(!a.compare_exchange_strong(expected, 2) && expected == 7 &&
          a.compare_exchange_strong(expected, 8));
    CHECK(a.fetch_add(4) == 8 && a.fetch_sub(2) == 12 && a.fetch_and(14) == 10 &&
          a.fetch_or(5) == 10);
    CHECK(a.fetch_xor(3) == 15 && a.fetch_min(9) == 12 && a.fetch_max(20) == 9 && a.load() == 20);
    CHECK(atomic_fetch_add(a, T(1)) == 20 && atomic_fetch_sub(a, T(2)) == 21 &&
          atomic_fetch_and(a, T(17)) == 19);
    CHECK(atomic_fetch_or(a, T(2)) == 17 && atomic_fetch_xor(a, T(1)) == 19 &&
          atomic_fetch_min(a, T(3)) == 18);
    CHECK(atomic_fetch_max(a, T(4)) == 3 &&
          atomic_compare_exchange_strong(a, expected = T(4), T(5)) && a.load() == 5);
  }
  return 0;
}

template <class T>
void check_type() {
  int lines[2] = {-1, -1};
  {
    sycl::buffer<int> result(lines, 2);
    sycl::buffer<T> memory{sycl::range<1>(1)};
    sycl::queue().submit([&](sycl::handler& h) {
      sycl::accessor out(result, h, sycl::write_only, sycl::no_init);
      sycl::accessor global(memory, h);
      sycl::local_accessor<T> local(1, h);
      h.parallel_for(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1>) {
        out[0] = check_operations<T>(sycl::global_ptr<T>(global));
        out[1] = check_operations<T>(sycl::local_ptr<T>(local));
      });
    });
  }
  EXPECT_EQ(lines[0], 0);
  EXPECT_EQ(lines[1], 0);
}

TEST(atomic, has_the_operations_of_older_programs) {
  check_type<int>();
  check_type<unsigned>();
  check_type<long long>();
  check_type<float>();
}

TEST(atomic, loses_nothing_when_many_work_items_change_one_object) {
  int count = 0;
  {
    sycl::buffer<int> memory(&count, 1);
    sycl::queue().submit([&](sycl::handler& h) {
      sycl::accessor a(memory, h);
      h.parallel_for(1000,
                     [=](sycl::id<1>) { atomic<int>(sycl::global_ptr<int>(a)).fetch_add(1); });
    });
  }
  EXPECT_EQ(count, 1000);
}

TEST(atomic, is_what_accessors_with_access_mode_atomic_give) {
  int counts[4] = {}, sums[4] = {}, scalar = 0;
  {
    sycl::buffer<int> memory(counts, 4), results(sums, 4), single(&scalar, 1);
    sycl::queue().submit([&](sycl::handler& h) {
      auto a = memory.get_access<sycl::access::mode::atomic>(h);
      sycl::accessor<int, 0, sycl::access_mode::atomic> zero(single, h);
      sycl::accessor<int, 1, sycl::access::mode::atomic, sycl::access::target::local> local(1, h);
      sycl::accessor out(results, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::nd_range<1>(32, 8), [=](sycl::nd_item<1> it) {
        if (it.get_local_id(0) == 0) local[0].store(0);
        sycl::group_barrier(it.get_group());
        static_assert(std::is_same_v<decltype(a[0]), atomic<int>>);
        static_assert(std::is_same_v<decltype(local[0]), atomic<int, space::local_space>>);
        a[it.get_global_id(0) % 4].fetch_add(1);
        a[it.get_global_id() % sycl::id<1>(4)].fetch_add(1);
        atomic<int>(zero).fetch_max(static_cast<int>(it.get_global_id(0)));
        local[0].fetch_add(static_cast<int>(it.get_local_id(0)));
        sycl::group_barrier(it.get_group());
        if (it.get_local_id(0) == 0) out[it.get_group(0)] = local[0].load();
      });
    });
  }
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(counts[i], 16);
    EXPECT_EQ(sums[i], 28);
  }
  EXPECT_EQ(scalar, 31);
}

TEST(atomic, is_what_accessors_of_several_dimensions_give_one_subscript_after_another) {
  int counts[2][3][4] = {}, sums[2] = {};
  {
    sycl::buffer<int, 3> memory(&counts[0][0][0], sycl::range<3>(2, 3, 4));
    sycl::buffer<int> results(sums, 2);
    sycl::queue().submit([&](sycl::handler& h) {
      auto a = memory.get_access<sycl::access::mode::atomic>(h);
      sycl::accessor<int, 2, sycl::access::mode::atomic, sycl::access::target::local> local(
          sycl::range<2>(2, 2), h);
      sycl::accessor out(results, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::nd_range<1>(16, 8), [=](sycl::nd_item<1> it) {
        if (it.get_local_id(0) == 0) local[1][0].store(0);
        sycl::group_barrier(it.get_group());
        static_assert(std::is_same_v<decltype(a[0][0][0]), atomic<int>>);
        static_assert(std::is_same_v<decltype(local[0][0]), atomic<int, space::local_space>>);
        a[1][2][it.get_local_id(0) % 4].fetch_add(1);
        local[1][0].fetch_add(static_cast<int>(it.get_local_id(0)));
        sycl::group_barrier(it.get_group());
        if (it.get_local_id(0) == 0) out[it.get_group(0)] = local[sycl::id<2>(1, 0)].load();
      });
    });
  }
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(counts[1][2][i], 4);
    EXPECT_EQ(counts[0][2][i] + counts[1][1][i], 0);
  }
  EXPECT_EQ(sums[0], 28);
  EXPECT_EQ(sums[1], 28);
}

}  // namespace
