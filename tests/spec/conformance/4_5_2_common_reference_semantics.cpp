// SPDX-License-Identifier: Apache-2.0
// 4.5.2: common reference semantics: copies stand for the same object, are equal, and hash alike.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <functional>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace {

template <class T>
void check(T a, T other) {
  static_assert(std::is_copy_constructible_v<T> && std::is_copy_assignable_v<T>);
  static_assert(std::is_move_constructible_v<T> && std::is_move_assignable_v<T>);
  static_assert(std::is_destructible_v<T>);
  static_assert(
      std::is_same_v<decltype(std::declval<const T&>() == std::declval<const T&>()), bool>);
  static_assert(
      std::is_same_v<decltype(std::declval<const T&>() != std::declval<const T&>()), bool>);
  const T copy(a);
  EXPECT_TRUE(copy == a);
  EXPECT_FALSE(copy != a);
  EXPECT_EQ(std::hash<T>()(copy), std::hash<T>()(a));
  T assigned(other);
  EXPECT_TRUE(assigned == other);
  EXPECT_FALSE(assigned == a);
  EXPECT_TRUE(assigned != a);
  assigned = a;
  EXPECT_TRUE(assigned == a);
  T moved(std::move(assigned));
  EXPECT_TRUE(moved == a);
  T move_assigned(other);
  move_assigned = std::move(moved);
  EXPECT_TRUE(move_assigned == copy);
  EXPECT_EQ(std::hash<T>()(move_assigned), std::hash<T>()(copy));
  // Reflexive, symmetric and transitive, also after the original is gone.
  a = other;
  EXPECT_TRUE(move_assigned == copy && copy == move_assigned);
  EXPECT_FALSE(copy == a);
  std::unordered_map<T, int> map;
  map[copy] = 1;
  map[other] = 2;
  EXPECT_EQ(map.at(move_assigned), 1);
}

TEST(reference_semantics, of_queues) { check(sycl::queue(), sycl::queue()); }

TEST(reference_semantics, of_contexts) {
  const sycl::device device;
  check(sycl::context(device), sycl::context(device));
}

TEST(reference_semantics, of_events) {
  sycl::queue q;
  check(q.single_task([] {}), q.single_task([] {}));
}

TEST(reference_semantics, of_buffers) {
  check(sycl::buffer<int, 1>(sycl::range<1>(4)), sycl::buffer<int, 1>(sycl::range<1>(4)));
  check(sycl::buffer<float, 3>(sycl::range<3>(4, 1, 1)),
        sycl::buffer<float, 3>(sycl::range<3>(4, 1, 1)));
}

TEST(reference_semantics, of_devices_and_platforms) {
  const sycl::device a, b;
  EXPECT_TRUE(a == b);
  EXPECT_EQ(std::hash<sycl::device>()(a), std::hash<sycl::device>()(b));
  EXPECT_TRUE(a.get_platform() == b.get_platform());
  EXPECT_EQ(std::hash<sycl::platform>()(a.get_platform()),
            std::hash<sycl::platform>()(b.get_platform()));
  const auto devices = sycl::device::get_devices();
  for (size_t i = 0; i < devices.size(); ++i) {
    for (size_t j = 0; j < devices.size(); ++j) EXPECT_EQ(devices[i] == devices[j], i == j);
  }
}

TEST(reference_semantics, of_host_accessors) {
  sycl::buffer<int, 1> a(sycl::range<1>(4)), b(sycl::range<1>(4));
  check(sycl::host_accessor<int, 1>(a), sycl::host_accessor<int, 1>(b));
}

TEST(reference_semantics, of_accessors_and_local_accessors) {
  sycl::queue q;
  sycl::buffer<int, 1> a(sycl::range<1>(4)), b(sycl::range<1>(4));
  q.submit([&](sycl::handler& h) {
    check(sycl::accessor<int, 1>(a, h), sycl::accessor<int, 1>(b, h));
    check(sycl::local_accessor<int, 1>(4, h), sycl::local_accessor<int, 1>(4, h));
    h.parallel_for(sycl::nd_range<1>(1, 1), [](sycl::nd_item<1>) {});
  });
  q.wait();
}

TEST(reference_semantics, actions_on_a_copy_are_actions_on_the_original) {
  sycl::queue q;
  int* const data = sycl::malloc_shared<int>(1, q);
  *data = 0;
  {
    sycl::queue copy = q;
    copy.single_task([=] { *data = 1; });
  }
  q.wait();
  EXPECT_EQ(*data, 1);
  sycl::buffer<int, 1> b(sycl::range<1>(1));
  sycl::buffer<int, 1> same = b;
  q.submit([&](sycl::handler& h) {
    sycl::accessor access(same, h, sycl::write_only, sycl::no_init);
    h.single_task([=] { access[0] = 5; });
  });
  EXPECT_EQ(b.get_host_access(sycl::read_only)[0], 5);
  sycl::free(data, q);
}

}  // namespace
