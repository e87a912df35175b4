// SPDX-License-Identifier: Apache-2.0
// 4.5.4: properties.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <mutex>

#include "errors.hpp"

namespace {

TEST(properties, are_told_from_other_types) {
  static_assert(sycl::is_property<sycl::property::queue::in_order>::value);
  static_assert(sycl::is_property_v<sycl::property::queue::enable_profiling>);
  static_assert(sycl::is_property_v<sycl::property::buffer::use_host_ptr>);
  static_assert(sycl::is_property_v<sycl::property::buffer::use_mutex>);
  static_assert(sycl::is_property_v<sycl::property::buffer::context_bound>);
  static_assert(sycl::is_property_v<sycl::property::no_init>);
  static_assert(!sycl::is_property_v<int>);
  static_assert(!sycl::is_property_v<sycl::queue>);
}

TEST(properties, are_of_certain_classes) {
  using namespace sycl::property;
  static_assert(sycl::is_property_of<queue::in_order, sycl::queue>::value);
  static_assert(sycl::is_property_of_v<queue::enable_profiling, sycl::queue>);
  static_assert(!sycl::is_property_of_v<queue::in_order, sycl::buffer<int, 1>>);
  static_assert(sycl::is_property_of_v<sycl::property::buffer::use_mutex, sycl::buffer<float, 2>>);
  static_assert(!sycl::is_property_of_v<sycl::property::buffer::use_mutex, sycl::queue>);
  static_assert(sycl::is_property_of_v<no_init, sycl::accessor<int, 1>>);
  static_assert(sycl::is_property_of_v<no_init, sycl::host_accessor<int, 1>>);
}

TEST(properties, are_there_as_they_were_given) {
  const sycl::queue plain;
  EXPECT_FALSE(plain.has_property<sycl::property::queue::in_order>());
  EXPECT_FALSE(plain.is_in_order());
  const sycl::queue both{sycl::property_list{sycl::property::queue::in_order(),
                                             sycl::property::queue::enable_profiling()}};
  EXPECT_TRUE(both.has_property<sycl::property::queue::in_order>());
  EXPECT_TRUE(both.has_property<sycl::property::queue::enable_profiling>());
  EXPECT_TRUE(both.is_in_order());
  (void)both.get_property<sycl::property::queue::in_order>();
  // Copies have them too.
  const sycl::queue copy = both;
  EXPECT_TRUE(copy.has_property<sycl::property::queue::enable_profiling>());
}

TEST(properties, that_were_not_given_are_an_error) {
  const sycl::queue q;
  EXPECT_EQ(code_of([&] { (void)q.get_property<sycl::property::queue::in_order>(); }),
            sycl::errc::invalid);
}

TEST(properties, may_be_given_as_a_list_of_none) {
  const sycl::property_list none;
  const sycl::property_list also_none{};
  const sycl::queue q(none);
  const sycl::buffer<int, 1> b(sycl::range<1>(1), also_none);
  EXPECT_FALSE(q.has_property<sycl::property::queue::in_order>());
  EXPECT_FALSE(b.has_property<sycl::property::buffer::use_host_ptr>());
}

}  // namespace
