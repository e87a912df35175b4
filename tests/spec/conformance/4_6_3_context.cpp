// SPDX-License-Identifier: Apache-2.0
// 4.6.3: the context class.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <type_traits>
#include <vector>

#include "errors.hpp"

namespace {

namespace info = sycl::info::context;

TEST(context, is_constructed_over_a_device_devices_or_a_platform) {
  const sycl::device d;
  const auto ignore = [](sycl::exception_list) {};
  const std::vector<sycl::device> one{d};
  EXPECT_EQ(sycl::context().get_devices(), one);
  EXPECT_EQ(sycl::context(ignore).get_devices(), one);
  EXPECT_EQ(sycl::context(d).get_devices(), one);
  EXPECT_EQ(sycl::context(d, ignore).get_devices(), one);
  EXPECT_EQ(sycl::context(d.get_platform()).get_devices(), d.get_platform().get_devices());
  EXPECT_EQ(sycl::context(d.get_platform(), ignore).get_devices(), d.get_platform().get_devices());
  EXPECT_EQ(sycl::context(one).get_devices(), one);
  EXPECT_EQ(sycl::context(one, ignore).get_devices(), one);
  EXPECT_EQ(sycl::context(sycl::property_list{}).get_platform(), d.get_platform());
}

TEST(context, holds_all_devices_of_a_platform_for_queues_of_each) {
  const sycl::context c{sycl::platform()};
  for (const sycl::device& d : c.get_devices()) {
    sycl::queue q(c, d);
    EXPECT_EQ(q.get_context(), c);
    EXPECT_EQ(q.get_device(), d);
    int* p = sycl::malloc_shared<int>(1, d, c);
    ASSERT_NE(p, nullptr);
    q.single_task([=] { *p = 5; }).wait();
    EXPECT_EQ(*p, 5);
    sycl::free(p, c);
  }
}

TEST(context, refuses_no_devices_and_devices_of_several_platforms) {
  EXPECT_EQ(code_of([] { sycl::context c{std::vector<sycl::device>{}}; }), sycl::errc::invalid);
  const auto platforms = sycl::platform::get_platforms();
  if (platforms.size() > 1) {
    EXPECT_EQ(code_of([&] {
                sycl::context c{std::vector<sycl::device>{platforms[0].get_devices()[0],
                                                          platforms[1].get_devices()[0]}};
              }),
              sycl::errc::invalid);
  }
}

TEST(context, has_the_common_reference_semantics) {
  const sycl::context a, b;
  const sycl::context copy = a;
  EXPECT_TRUE(copy == a && a != b);
  EXPECT_EQ(std::hash<sycl::context>()(copy), std::hash<sycl::context>()(a));
}

TEST(context, answers_its_queries) {
  const sycl::context c{sycl::platform()};
  EXPECT_EQ(c.get_info<info::platform>(), sycl::platform());
  EXPECT_EQ(c.get_info<info::devices>(), c.get_devices());
  EXPECT_EQ(c.get_backend(), sycl::platform().get_backend());
  const auto has = [](const auto& all, auto one) {
    for (const auto x : all)
      if (x == one) return true;
    return false;
  };
  EXPECT_TRUE(
      has(c.get_info<info::atomic_memory_order_capabilities>(), sycl::memory_order::relaxed));
  EXPECT_TRUE(
      has(c.get_info<info::atomic_fence_order_capabilities>(), sycl::memory_order::acq_rel));
  EXPECT_TRUE(
      has(c.get_info<info::atomic_memory_scope_capabilities>(), sycl::memory_scope::work_group));
  EXPECT_TRUE(
      has(c.get_info<info::atomic_fence_scope_capabilities>(), sycl::memory_scope::work_group));
  static_assert(std::is_same_v<info::devices::return_type, std::vector<sycl::device>>);
  static_assert(std::is_same_v<info::atomic_fence_scope_capabilities::return_type,
                               std::vector<sycl::memory_scope>>);
}

}  // namespace
