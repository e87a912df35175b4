// SPDX-License-Identifier: Apache-2.0
// 4.17.2: group functions: traits, broadcast and barrier.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <cstdint>
#include <vector>

#include "group_shapes.hpp"

namespace {

using namespace group_shapes;

// 4.17.2.1
TEST(is_group, tells_groups_from_other_types) {
  static_assert(sycl::is_group_v<sycl::group<1>> && sycl::is_group_v<sycl::group<3>>);
  static_assert(sycl::is_group_v<sycl::sub_group>);
  static_assert(!sycl::is_group_v<sycl::nd_item<1>> && !sycl::is_group_v<int>);
  SUCCEED();
}

struct large {
  int values[9];
};
bool operator==(const large& a, const large& b) {
  for (int i = 0; i < 9; ++i)
    if (a.values[i] != b.values[i]) return false;
  return true;
}

template <class T>
T make(int n) {
  return T(n);
}
template <>
large make<large>(int n) {
  large l{};
  for (int i = 0; i < 9; ++i) l.values[i] = n * 10 + i;
  return l;
}
template <>
sycl::vec<int, 3> make<sycl::vec<int, 3>>(int n) {
  return {n, n + 1, n + 2};
}
template <>
sycl::marray<double, 2> make<sycl::marray<double, 2>>(int n) {
  return {n * 0.5, n * 0.25};
}
template <class T>
bool equal(const T& a, const T& b) {
  return a == b;
}
bool equal(const sycl::vec<int, 3>& a, const sycl::vec<int, 3>& b) { return sycl::all(a == b); }
bool equal(const sycl::marray<double, 2>& a, const sycl::marray<double, 2>& b) {
  return a[0] == b[0] && a[1] == b[1];
}

template <class T>
struct group_broadcast_of : ::testing::Test {
  template <class Which>
  void expect_values(Which which) {
    sycl::queue q;
    for (const shape& s : all) {
      struct results {
        T of_first, of_linear, of_id;
      };
      const auto got = run<results>(q, s, which, [](const sycl::nd_item<2>& i, const auto& g) {
        const T own = make<T>(value_at(i, g));
        const auto last = g.get_local_linear_range() - 1;
        auto id = g.get_local_id();
        for (int d = 0; d < g.dimensions; ++d) id[d] = g.get_local_range()[d] / 2;
        return results{sycl::group_broadcast(g, own), sycl::group_broadcast(g, own, last),
                       sycl::group_broadcast(g, own, id)};
      });
      for (std::size_t i = 0; i < got.results.size(); ++i) {
        const std::size_t size = got.places[i].size;
        const std::size_t middle =
            std::is_same_v<Which, use_sub_group> ? size / 2 : s.y / 2 * s.x + s.x / 2;
        const auto expected = [&](std::size_t rank) {
          return make<T>(value_of(got.mate(i, rank), s));
        };
        ASSERT_TRUE(equal(got.results[i].of_first, expected(0)));
        ASSERT_TRUE(equal(got.results[i].of_linear, expected(size - 1)));
        ASSERT_TRUE(equal(got.results[i].of_id, expected(middle)));
      }
    }
  }
};
using broadcast_types = ::testing::Types<int, std::uint8_t, std::int64_t, float, double, sycl::half,
                                         sycl::vec<int, 3>, sycl::marray<double, 2>, large>;
TYPED_TEST_SUITE(group_broadcast_of, broadcast_types);

TYPED_TEST(group_broadcast_of, a_work_groups_item_reaches_all) {
  this->expect_values(use_work_group());
}
TYPED_TEST(group_broadcast_of, a_sub_groups_item_reaches_all) {
  this->expect_values(use_sub_group());
}

// 4.17.2.3
TEST(group_barrier, makes_writes_to_local_and_global_memory_visible) {
  sycl::queue q;
  for (const shape& s : all) {
    const std::size_t items = s.y * s.x;
    int* const data = sycl::malloc_device<int>(s.groups * items, q);
    int* const bad = sycl::malloc_device<int>(1, q);
    q.fill(bad, 0, 1).wait();
    q.submit([&](sycl::handler& h) {
       sycl::local_accessor<int> local(items, h);
       h.parallel_for(range_of(s), [=](sycl::nd_item<2> i) {
         const std::size_t own = i.get_local_linear_id(), next = (own + 1) % items;
         int* const mine = data + i.get_group_linear_id() * items;
         for (int round = 0; round < 3; ++round) {
           local[own] = static_cast<int>(own) + round;
           mine[own] = static_cast<int>(own) * 2 + round;
           sycl::group_barrier(i.get_group(), round == 1 ? sycl::memory_scope::device
                                                         : sycl::memory_scope::work_group);
           if (local[next] != static_cast<int>(next) + round ||
               mine[next] != static_cast<int>(next) * 2 + round)
             *bad = 1;
           sycl::group_barrier(i.get_group());
         }
       });
     }).wait();
    int found = 1;
    q.copy(bad, &found, 1).wait();
    EXPECT_EQ(found, 0);
    sycl::free(data, q);
    sycl::free(bad, q);
  }
}

TEST(group_barrier, of_a_sub_group_makes_its_writes_visible) {
  sycl::queue q;
  for (const shape& s : all) {
    int* const bad = sycl::malloc_device<int>(1, q);
    q.fill(bad, 0, 1).wait();
    q.submit([&](sycl::handler& h) {
       sycl::local_accessor<int> local(s.y * s.x, h);
       h.parallel_for(range_of(s), [=](sycl::nd_item<2> i) {
         const sycl::sub_group g = i.get_sub_group();
         const std::size_t own = i.get_local_linear_id();
         const std::size_t first = own - g.get_local_linear_id();
         const std::size_t next =
             first + (g.get_local_linear_id() + 1) % g.get_local_linear_range();
         local[own] = static_cast<int>(own * 3);
         sycl::group_barrier(g);
         if (local[next] != static_cast<int>(next * 3)) *bad = 1;
       });
     }).wait();
    int found = 1;
    q.copy(bad, &found, 1).wait();
    EXPECT_EQ(found, 0);
    sycl::free(bad, q);
  }
}

// 4.9.1.7
TEST(async_work_group_copy, moves_elements_both_ways_with_and_without_a_stride) {
  sycl::queue q;
  constexpr std::size_t items = 20, groups = 3, count = 33;
  using sycl::access::address_space;
  using sycl::access::decorated;
  int* const source = sycl::malloc_device<int>(groups * count * 2, q);
  int* const target = sycl::malloc_device<int>(groups * count * 3, q);
  q.fill(target, -1, groups * count * 3).wait();
  q.parallel_for(sycl::range<1>(groups * count * 2), [=](sycl::id<1> i) {
     source[i] = static_cast<int>(i[0]);
   }).wait();
  q.submit([&](sycl::handler& h) {
     sycl::local_accessor<int> local(2 * count, h);
     h.parallel_for(sycl::nd_range<1>(groups * items, items), [=](sycl::nd_item<1> i) {
       const std::size_t g = i.get_group(0);
       const auto global = [](int* p) {
         return sycl::address_space_cast<address_space::global_space, decorated::yes>(p);
       };
       const auto first = local.get_multi_ptr<decorated::yes>();
       const auto second = first + count;
       const auto a = i.async_work_group_copy(first, global(source + g * count), count);
       const auto b =
           // The type of the elements may be given.
           i.get_group().async_work_group_copy<int>(second, global(source + g * count * 2), count,
                                                    2);
       i.wait_for(a, b);
       for (std::size_t k = i.get_local_id(0); k < count; k += items) local[k] += local[count + k];
       sycl::group_barrier(i.get_group());
       const sycl::device_event done =
           i.async_work_group_copy(global(target + g * count * 3), first, count, 3);
       done.wait();
     });
   }).wait();
  std::vector<int> got(groups * count * 3);
  q.copy(target, got.data(), got.size()).wait();
  for (std::size_t g = 0; g < groups; ++g)
    for (std::size_t k = 0; k < count * 3; ++k)
      EXPECT_EQ(got[g * count * 3 + k],
                k % 3 != 0 ? -1 : static_cast<int>(g * count + k / 3 + g * count * 2 + k / 3 * 2));
  sycl::free(source, q);
  sycl::free(target, q);
}

}  // namespace
