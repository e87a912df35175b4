// SPDX-License-Identifier: Apache-2.0
// AdaptiveCpp's scoped parallelism, version 2.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <cstdint>
#include <numeric>
#include <vector>

namespace {

class scoped_parallelism : public ::testing::Test {
 protected:
  template <class T>
  T* make(std::size_t count) {
    T* const data = sycl::malloc_device<T>(count, q);
    q.fill(data, T(), count).wait();
    owned.push_back(data);
    return data;
  }
  template <class T>
  std::vector<T> read(const T* data, std::size_t count) {
    std::vector<T> all(count);
    q.copy(data, all.data(), count).wait();
    return all;
  }
  void TearDown() override {
    for (void* p : owned) sycl::free(p, q);
  }

  sycl::queue q;
  std::vector<void*> owned;
};

TEST_F(scoped_parallelism, reduces_a_group_in_a_tree) {
  constexpr std::size_t size = 64, groups = 5;
  int* const in = make<int>(size * groups);
  int* const out = make<int>(groups);
  q.parallel_for(sycl::range<1>(size * groups), [=](sycl::id<1> i) {
     in[i] = static_cast<int>(i[0] * 3);
   }).wait();
  q.parallel(sycl::range<1>(groups), sycl::range<1>(size), [=](auto g) {
     static_assert(decltype(g)::fence_scope == sycl::memory_scope::work_group);
     sycl::memory_environment(g, sycl::require_local_mem<int[size]>(), [&](auto& scratch) {
       sycl::distribute_items_and_wait(
           g, [&](sycl::s_item<1> i) { scratch[i.get_local_id(g, 0)] = in[i.get_global_id(0)]; });
       for (std::size_t half = size / 2; half > 0; half /= 2)
         sycl::distribute_items_and_wait(g, [&](sycl::s_item<1> i) {
           const std::size_t l = i.get_innermost_local_id(0);
           if (l < half) scratch[l] += scratch[l + half];
         });
       sycl::single_item(g, [&] { out[g.get_group_id(0)] = scratch[0]; });
     });
   }).wait();
  const auto sums = read(out, groups);
  for (std::size_t g = 0; g < groups; ++g) {
    int expected = 0;
    for (std::size_t i = 0; i < size; ++i) expected += static_cast<int>((g * size + i) * 3);
    EXPECT_EQ(sums[g], expected);
  }
}

TEST_F(scoped_parallelism, visits_every_item_once_however_deep_groups_are_nested) {
  for (const std::size_t width : {8, 10}) {
    const sycl::range<2> groups(2, 3), size(4, width);
    const std::size_t count = groups.size() * size.size();
    int* const seen = make<int>(count);
    int* const wrong = make<int>(1);
    q.submit([&](sycl::handler& h) {
       h.parallel(groups, size, [=](auto g) {
         sycl::distribute_groups_and_wait(g, [&](auto part) {
           sycl::distribute_groups(part, [&](auto single) {
             static_assert(decltype(single)::fence_scope == sycl::memory_scope::work_item);
             sycl::distribute_groups(single, [&](auto deeper) {
               sycl::distribute_items(deeper, [&](sycl::s_item<2> i) {
                 seen[i.get_global_linear_id()] += 1;
                 const auto in_group = i.get_local_id(g);
                 const auto in_part = i.get_local_id(part);
                 bool right =
                     deeper.get_logical_local_linear_range() == 1 &&
                     i.get_innermost_local_linear_id() == 0 &&
                     i.get_global_id() == g.get_group_id() * size + in_group &&
                     i.get_global_range() == groups * size &&
                     in_group == part.get_group_id() * part.get_logical_local_range() + in_part &&
                     part.get_group_range() * part.get_logical_local_range() == size &&
                     i.get_local_range(g) == size;
                 if (!right) *wrong = 1;
               });
             });
           });
         });
       });
     }).wait();
    EXPECT_EQ(read(seen, count), std::vector<int>(count, 1));
    EXPECT_EQ(read(wrong, 1)[0], 0);
  }
}

TEST_F(scoped_parallelism, keeps_private_memory_of_items_and_initialises_what_is_asked_for) {
  constexpr std::size_t size = 16;
  int* const out = make<int>(3 * size);
  const sycl::event before = q.single_task([=] { out[0] = 100; });
  q.parallel(sycl::range<1>(3), sycl::range<1>(size), before, [=](auto g) {
     sycl::memory_environment(
         g, sycl::require_local_mem<int[2][3]>(7), sycl::require_private_mem<int>(5),
         sycl::require_local_mem<int>(2), [&](auto& grid, auto& own, int& factor) {
           sycl::distribute_items(g, [&](sycl::s_item<1> i) {
             own(i) += static_cast<int>(i.get_global_id(0)) * factor;
           });
           sycl::group_barrier(g);
           sycl::distribute_groups(g, [&](auto part) {
             sycl::distribute_items(part, [&](sycl::s_item<1> i) { own(i) += grid[1][2]; });
           });
           sycl::distribute_items(
               g, [&](sycl::s_item<1> i) { out[i.get_global_linear_id()] += own(i); });
         });
     sycl::private_memory_environment<int>(g, [&](auto& own) {
       sycl::distribute_items(g, [&](sycl::s_item<1> i) { own(i) = 1; });
       sycl::distribute_items(g, [&](sycl::s_item<1> i) { out[i.get_global_id(0)] += own(i); });
     });
   }).wait();
  const auto got = read(out, 3 * size);
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ(got[i], static_cast<int>(5 + 2 * i + 7 + 1 + (i == 0 ? 100 : 0)));
}

TEST_F(scoped_parallelism, takes_kernels_that_take_the_group_by_reference_and_runs_no_empty_ones) {
  int* const ran = make<int>(2);
  q.fill(ran, 0, 2).wait();
  q.parallel(sycl::range<1>(1), sycl::range<1>(8), [=](auto& g) {
     sycl::single_item(g, [&] { ran[0] = 1; });
   }).wait();
  q.parallel(sycl::range<1>(0), sycl::range<1>(0), [=](auto&) { ran[1] = 1; }).wait();
  EXPECT_EQ(read(ran, 2), (std::vector<int>{1, 0}));
}

TEST_F(scoped_parallelism, says_what_really_runs) {
  std::uint64_t* const out = make<std::uint64_t>(4);
  q.parallel(sycl::range<1>(1), sycl::range<1>(32), [=](auto g) {
     sycl::single_item_and_wait(g, [&] {
       out[0] = g.get_logical_local_linear_range();
       out[1] = g.get_physical_local_linear_range();
       out[2] = g.get_physical_local_linear_id();
       out[3] = g.leader();
     });
   }).wait();
  const auto got = read(out, 4);
  EXPECT_EQ(got[0], 32u);
  EXPECT_GE(got[1], 1u);
  EXPECT_LT(got[2], got[1]);
  EXPECT_EQ(got[3], 1u);
}

}  // namespace
