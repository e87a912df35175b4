// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <mutex>
#include <sycl/buffer.hpp>
#include <sycl/properties.hpp>
#include <sycl/queue.hpp>

namespace {

namespace buffer_property = sycl::property::buffer;
namespace policy = sycl::ext::pianola::property::buffer;

TEST(property_list, finds_properties_by_type) {
  std::mutex m;
  const sycl::property_list list{buffer_property::use_mutex(m), sycl::property::queue::in_order()};
  EXPECT_TRUE(list.has_property<sycl::property::queue::in_order>());
  EXPECT_FALSE(list.has_property<sycl::property::queue::enable_profiling>());
  EXPECT_EQ(list.get_property<buffer_property::use_mutex>().get_mutex_ptr(), &m);
}

TEST(property_list, getting_an_absent_property_throws_invalid) {
  const sycl::property_list list;
  try {
    static_cast<void>(list.get_property<buffer_property::use_host_ptr>());
    FAIL();
  } catch (const sycl::exception& e) {
    EXPECT_EQ(e.code(), sycl::errc::invalid);
  }
  EXPECT_THROW(static_cast<void>(list.get_property<sycl::property::no_init>()), sycl::exception);
}

TEST(property_list, no_init_is_remembered) {
  const sycl::property_list list = sycl::no_init;
  EXPECT_TRUE(list.has_property<sycl::property::no_init>());
  EXPECT_FALSE(list.empty());
  EXPECT_NO_THROW(static_cast<void>(list.get_property<sycl::property::no_init>()));
}

TEST(property_list, copies_share_their_properties) {
  sycl::property_list copy;
  {
    const sycl::property_list list{policy::page_size<2>({4, 8})};
    copy = list;
  }
  EXPECT_EQ(copy.get_property<policy::page_size<2>>().get_range(), sycl::range<2>(4, 8));
}

TEST(property_list, other_names_of_a_property_find_it) {
  const sycl::property_list list{buffer_property::AdaptiveCpp_page_size<1>(16),
                                 buffer_property::hipSYCL_buffer_writes_back(true)};
  ASSERT_TRUE(list.has_property<policy::page_size<1>>());
  EXPECT_EQ(list.get_property<policy::page_size<1>>().get_range(), sycl::range<1>(16));
  EXPECT_TRUE(list.has_property<buffer_property::hipSYCL_page_size<1>>());
  EXPECT_EQ(list.get_property<buffer_property::hipSYCL_page_size<1>>().get_range().get(0), 16U);
  EXPECT_FALSE(list.has_property<policy::page_size<2>>());
  EXPECT_TRUE(list.get_property<policy::writes_back>().is_enabled());
}

TEST(property_traits, know_what_is_a_property_of_what) {
  using buffer = sycl::buffer<int, 2>;
  using accessor = sycl::accessor<int>;
  static_assert(sycl::is_property_v<sycl::property::no_init>);
  static_assert(sycl::is_property_v<policy::page_size<3>>);
  static_assert(!sycl::is_property_v<int>);
  static_assert(sycl::is_property_of_v<sycl::property::queue::in_order, sycl::queue>);
  static_assert(!sycl::is_property_of_v<sycl::property::queue::in_order, buffer>);
  static_assert(sycl::is_property_of_v<buffer_property::use_host_ptr, buffer>);
  static_assert(!sycl::is_property_of_v<buffer_property::use_host_ptr, accessor>);
  static_assert(sycl::is_property_of_v<sycl::property::no_init, accessor>);
  static_assert(sycl::is_property_of_v<policy::page_size<2>, buffer>);
  static_assert(!sycl::is_property_of_v<policy::page_size<1>, buffer>);
}

}  // namespace
