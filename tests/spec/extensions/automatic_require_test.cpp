// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

namespace vendor = sycl::vendor::hipsycl;

TEST(automatic_require, requires_the_accessor_until_it_ends) {
  sycl::queue q;
  sycl::buffer<int> data{sycl::range<1>(10)};
  {
    sycl::host_accessor a(data, sycl::write_only, sycl::no_init);
    for (int i = 0; i < 10; ++i) a[i] = i;
  }
  sycl::accessor a(data, sycl::read_write);
  const auto add = [&] {
    q.submit([&](sycl::handler& h) { h.parallel_for(10, [=](sycl::id<1> i) { a[i] += 1; }); });
  };
  {
    auto requirement = vendor::automatic_require(q, a);
    EXPECT_TRUE(requirement.is_required());
    add();
    q.parallel_for(10, [=](sycl::id<1> i) { a[i] += 1; });
    requirement.release();
    EXPECT_FALSE(requirement.is_required());
    EXPECT_EQ(error_code_of(add), sycl::errc::kernel_argument);
    requirement.reacquire();
    requirement.reacquire();
    add();
    auto moved = std::move(requirement);
    EXPECT_TRUE(moved.is_required());
    add();
  }
  EXPECT_EQ(error_code_of(add), sycl::errc::kernel_argument);
  q.wait();
  sycl::host_accessor result(data, sycl::read_only);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(result[i], i + 4);
}

TEST(automatic_require, is_for_its_queue_and_the_queues_copies) {
  sycl::queue q, other;
  sycl::buffer<int> data{sycl::range<1>(10)};
  sycl::accessor a(data, sycl::write_only, sycl::no_init);
  auto requirement = vendor::automatic_require(q, a);
  const auto set = [&](sycl::queue where) {
    where.parallel_for(10, [=](sycl::id<1> i) { a[i] = 3; });
  };
  EXPECT_EQ(error_code_of([&] { set(other); }), sycl::errc::kernel_argument);
  set(sycl::queue(q));
  q.wait();
  sycl::host_accessor result(data, sycl::read_only);
  EXPECT_EQ(result[9], 3);
}

}  // namespace
