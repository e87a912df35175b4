// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

namespace {

namespace khr = sycl::khr;

template <int Dimensions>
void check(sycl::queue& q, const sycl::nd_range<Dimensions>& r) {
  int* const wrong = sycl::malloc_shared<int>(2, q);
  wrong[0] = wrong[1] = 0;
  q.parallel_for(r, [=](sycl::nd_item<Dimensions> i) {
     const auto me = khr::this_nd_item<Dimensions>();
     const auto group = khr::this_group<Dimensions>();
     const auto sub_group = khr::this_sub_group();
     const auto mine = i.get_sub_group();
     const bool right = me.get_global_id() == i.get_global_id() &&
                        me.get_local_id() == i.get_local_id() &&
                        me.get_global_range() == i.get_global_range() &&
                        me.get_local_range() == i.get_local_range() && group == i.get_group() &&
                        group.get_group_range() == i.get_group_range() &&
                        sub_group.get_local_linear_id() == mine.get_local_linear_id() &&
                        sub_group.get_group_linear_id() == mine.get_group_linear_id() &&
                        sub_group.get_local_linear_range() == mine.get_local_linear_range();
     sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device> bad(wrong[0]),
         all(wrong[1]);
     if (!right) ++bad;
     ++all;
   }).wait();
  EXPECT_EQ(wrong[0], 0);
  EXPECT_EQ(wrong[1], static_cast<int>(r.get_global_range().size()));
  sycl::free(wrong, q);
}

TEST(work_item_queries, give_what_the_kernel_was_given) {
  sycl::queue q;
  check(q, sycl::nd_range<1>(64, 16));
  check(q, sycl::nd_range<1>(5, 1));
  check(q, sycl::nd_range<2>({6, 10}, {3, 5}));
  check(q, sycl::nd_range<3>({4, 6, 8}, {2, 3, 4}));
}

inline int number_in_group() {
  return static_cast<int>(sycl::ext::oneapi::this_work_item::get_nd_item<1>().get_local_id(0));
}

inline int sum_of_group(int value) {
  const auto group = sycl::ext::oneapi::this_work_item::get_work_group<1>();
  sycl::group_barrier(group);
  return sycl::reduce_over_group(group, value, sycl::plus<>());
}

TEST(work_item_queries, serve_functions_that_are_not_told_anything) {
  sycl::queue q;
  int* const data = sycl::malloc_shared<int>(48, q);
  q.parallel_for(sycl::nd_range<1>(48, 12), [=](sycl::nd_item<1> i) {
     data[i.get_global_id(0)] = sum_of_group(number_in_group());
   }).wait();
  for (int i = 0; i < 48; ++i) EXPECT_EQ(data[i], 66);
  q.parallel_for(sycl::nd_range<1>(48, 12), [=](sycl::nd_item<1> i) {
     const int before =
         sycl::ext::oneapi::experimental::this_nd_item<1>().get_local_id(0) == i.get_local_id(0)
             ? 1
             : 0;
     sycl::group_barrier(i.get_group());
     const bool same = sycl::ext::oneapi::experimental::this_group<1>() == i.get_group() &&
                       sycl::ext::oneapi::this_work_item::get_sub_group().get_local_linear_id() ==
                           sycl::ext::oneapi::experimental::this_sub_group().get_local_linear_id();
     data[i.get_global_id(0)] = before + (same ? 1 : 0) + number_in_group();
   }).wait();
  for (int i = 0; i < 48; ++i) EXPECT_EQ(data[i], 2 + i % 12) << "also after a barrier";
  sycl::free(data, q);
}

}  // namespace
