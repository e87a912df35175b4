// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <mutex>
#include <set>
#include <sycl/buffer.hpp>
#include <sycl/command_graph.hpp>
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

template <class... Properties>
std::set<std::uint64_t> keys_of() {
  return {sycl::is_property<Properties>::key...};
}

struct of_the_program {};

// An address would differ where an object file hides its names (-fvisibility=hidden) and the library looks for the property.
TEST(property_traits, name_the_properties_that_the_library_looks_for) {
  namespace graph = sycl::ext::oneapi::experimental::property;
  const auto keys =
      keys_of<sycl::property::queue::in_order, sycl::property::queue::enable_profiling,
              sycl::ext::oneapi::property::queue::priority_low,
              sycl::ext::oneapi::property::queue::priority_normal,
              sycl::ext::oneapi::property::queue::priority_high,
              sycl::ext::pianola::property::graph::multi_device,
              sycl::ext::pianola::property::graph::objective,
              sycl::ext::pianola::property::graph::place, graph::graph::updatable,
              graph::node::depends_on, graph::node::depends_on_all_leaves, policy::page_size<1>,
              policy::page_size<2>, policy::page_size<3>>();
  EXPECT_EQ(keys.size(), 14U);
  EXPECT_EQ(keys.count(0), 0U);
}

}  // namespace

template <>
struct sycl::is_property<of_the_program> : std::true_type {};

namespace {

TEST(property_traits, of_the_program_itself_need_no_name) {
  const sycl::property_list list{of_the_program(), sycl::property::queue::in_order()};
  EXPECT_TRUE(list.has_property<of_the_program>());
  EXPECT_FALSE(
      sycl::property_list{sycl::property::queue::in_order()}.has_property<of_the_program>());
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
