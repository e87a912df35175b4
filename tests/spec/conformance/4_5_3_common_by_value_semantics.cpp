// SPDX-License-Identifier: Apache-2.0
// 4.5.3: common by-value semantics: regular types whose copies are independent, on the host and in kernels.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <type_traits>
#include <utility>

namespace {

template <class T>
void check_special_members() {
  static_assert(std::is_copy_constructible_v<T> && std::is_copy_assignable_v<T>);
  static_assert(std::is_move_constructible_v<T> && std::is_move_assignable_v<T>);
  static_assert(std::is_destructible_v<T>);
  static_assert(sycl::is_device_copyable_v<T>);
}

template <class T>
void check(T a, T other) {
  check_special_members<T>();
  const T copy(a);
  EXPECT_TRUE(copy == a);
  EXPECT_FALSE(copy != a);
  T assigned(other);
  EXPECT_TRUE(assigned != a);
  EXPECT_FALSE(assigned == a);
  assigned = a;
  EXPECT_TRUE(assigned == a);
  const T moved(std::move(assigned));
  EXPECT_TRUE(moved == a);
  a = other;
  EXPECT_TRUE(a == other);
  EXPECT_TRUE(copy != a) << "a copy changed with its original";
}

TEST(by_value_semantics, of_ids_ranges_and_nd_ranges) {
  check(sycl::id<1>(1), sycl::id<1>(2));
  check(sycl::id<2>(1, 2), sycl::id<2>(2, 1));
  check(sycl::id<3>(1, 2, 3), sycl::id<3>(1, 2, 4));
  check(sycl::range<1>(1), sycl::range<1>(2));
  check(sycl::range<2>(1, 2), sycl::range<2>(2, 1));
  check(sycl::range<3>(1, 2, 3), sycl::range<3>(1, 2, 4));
  check(sycl::nd_range<1>(4, 2), sycl::nd_range<1>(4, 4));
  check(sycl::nd_range<2>({4, 4}, {2, 2}), sycl::nd_range<2>({4, 4}, {2, 4}));
}

// The types that only kernels have.
TEST(by_value_semantics, of_items_and_groups) {
  sycl::queue q;
  int* const wrong = sycl::malloc_shared<int>(3, q);
  wrong[0] = wrong[1] = wrong[2] = 0;
  q.parallel_for(sycl::range<1>(2), [=](sycl::item<1> it) {
     const sycl::item<1> copy(it);
     sycl::item<1> assigned = it;
     assigned = copy;
     if (it.get_id(0) == 0) wrong[0] = !(assigned == it) + (copy != it);
   }).wait();
  q.parallel_for(sycl::nd_range<1>(4, 2), [=](sycl::nd_item<1> it) {
     const sycl::nd_item<1> copy(it);
     const sycl::group<1> group = it.get_group();
     sycl::group<1> same = copy.get_group();
     same = group;
     const sycl::sub_group sub_group = it.get_sub_group();
     const sycl::sub_group same_sub_group(sub_group);
     if (it.get_global_id(0) == 0) {
       wrong[1] = !(copy == it) + (copy != it);
       wrong[2] = !(same == group) + (same != group) + !(same_sub_group == sub_group) +
                  (same_sub_group != sub_group);
     }
   }).wait();
  EXPECT_EQ(wrong[0], 0);
  EXPECT_EQ(wrong[1], 0);
  EXPECT_EQ(wrong[2], 0);
  sycl::free(wrong, q);
}

TEST(by_value_semantics, of_vectors_and_arrays) {
  check_special_members<sycl::vec<int, 4>>();
  check_special_members<sycl::marray<float, 5>>();
  sycl::vec<int, 4> v(1, 2, 3, 4);
  const sycl::vec<int, 4> copy = v;
  v.x() = 9;
  EXPECT_EQ(copy.x(), 1);
  sycl::marray<float, 5> m(1.f);
  const sycl::marray<float, 5> same = m;
  m[4] = 2.f;
  EXPECT_EQ(same[4], 1.f);
}

}  // namespace
