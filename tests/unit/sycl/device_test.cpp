// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

TEST(device, there_is_one_and_the_default_one_is_listed) {
  const auto all = sycl::device::get_devices();
  ASSERT_FALSE(all.empty());
  bool found = false;
  for (const auto& d : all) found |= d == sycl::device();
  EXPECT_TRUE(found);
}

TEST(device, lists_by_type_agree_with_aspects) {
  for (const auto& d : sycl::device::get_devices(sycl::info::device_type::cpu))
    EXPECT_TRUE(d.is_cpu());
  for (const auto& d : sycl::device::get_devices(sycl::info::device_type::gpu))
    EXPECT_TRUE(d.is_gpu());
  EXPECT_TRUE(sycl::device::get_devices(sycl::info::device_type::host).empty());
  EXPECT_EQ(sycl::device::get_devices(sycl::info::device_type::automatic).size(), 1u);
}

TEST(device, the_default_selector_chooses_the_default_device) {
  EXPECT_EQ(sycl::device{sycl::default_selector_v}, sycl::device());
}

TEST(device, a_selector_with_negative_scores_throws_runtime) {
  EXPECT_EQ(error_code_of([] { sycl::device d{[](const sycl::device&) { return -1; }}; }),
            sycl::errc::runtime);
}

TEST(device, a_callable_selector_decides_by_score) {
  const auto all = sycl::device::get_devices();
  const sycl::device last = all.back();
  EXPECT_EQ((sycl::device{[&](const sycl::device& d) { return d == last ? 5 : 1; }}), last);
}

TEST(device, aspect_selectors_require_and_deny) {
  const sycl::device d{sycl::aspect_selector(sycl::aspect::fp64, sycl::aspect::queue_profiling)};
  EXPECT_TRUE(d.has(sycl::aspect::fp64));
  const sycl::device e{sycl::aspect_selector<sycl::aspect::usm_shared_allocations>()};
  EXPECT_TRUE(e.has(sycl::aspect::usm_shared_allocations));
  EXPECT_EQ(error_code_of([] { sycl::device f{sycl::aspect_selector(sycl::aspect::custom)}; }),
            sycl::errc::runtime);
  EXPECT_EQ(error_code_of([] { sycl::device f{sycl::aspect_selector({}, {sycl::aspect::fp64})}; }),
            sycl::errc::runtime);
}

TEST(device, selector_classes_of_sycl_1_2_1_work) {
  EXPECT_EQ(sycl::device(sycl::default_selector()), sycl::device());
  class mine : public sycl::device_selector {
    int operator()(const sycl::device&) const override { return 1; }
  };
  EXPECT_EQ(mine().select_device(), sycl::device());
}

TEST(device, graphs_are_supported_everywhere_except_for_their_update) {
  for (const auto& d : sycl::device::get_devices()) {
    EXPECT_TRUE(d.has(sycl::aspect::ext_oneapi_graph));
    EXPECT_TRUE(d.has(sycl::aspect::ext_oneapi_limited_graph));
  }
  EXPECT_EQ(SYCL_EXT_ONEAPI_GRAPH, 2);
}

TEST(device, information_has_the_types_of_the_standard) {
  const sycl::device d;
  namespace info = sycl::info::device;
  static_assert(std::is_same_v<decltype(d.get_info<info::name>()), std::string>);
  static_assert(std::is_same_v<decltype(d.get_info<info::max_compute_units>()), std::uint32_t>);
  static_assert(
      std::is_same_v<decltype(d.get_info<info::max_work_item_sizes<2>>()), sycl::range<2>>);
  static_assert(std::is_same_v<decltype(d.get_info<info::max_work_group_size>()), std::size_t>);
  static_assert(
      std::is_same_v<decltype(d.get_info<info::sub_group_sizes>()), std::vector<std::size_t>>);
  static_assert(std::is_same_v<decltype(d.get_info<info::aspects>()), std::vector<sycl::aspect>>);
  static_assert(std::is_same_v<decltype(d.get_info<info::platform>()), sycl::platform>);
  EXPECT_FALSE(d.get_info<info::name>().empty());
  EXPECT_FALSE(d.get_info<info::vendor>().empty());
  EXPECT_GE(d.get_info<info::max_compute_units>(), 1u);
  EXPECT_GE(d.get_info<info::max_work_group_size>(), 1u);
  EXPECT_GE(d.get_info<info::max_num_sub_groups>(), 1u);
  EXPECT_GT(d.get_info<info::global_mem_size>(), 0u);
  EXPECT_EQ(d.get_info<info::max_work_item_dimensions>(), 3u);
  EXPECT_EQ(d.get_info<info::address_bits>(), 64u);
  EXPECT_EQ(d.get_info<info::platform>(), d.get_platform());
  for (const sycl::aspect a : d.get_info<info::aspects>()) EXPECT_TRUE(d.has(a));
}

TEST(device, has_sub_devices_if_it_says_so_and_no_parent) {
  for (const auto& d : sycl::device::get_devices()) {
    EXPECT_EQ(error_code_of([&] { d.get_info<sycl::info::device::parent_device>(); }),
              sycl::errc::invalid);
    if (!d.is_cpu()) {
      EXPECT_EQ(d.get_info<sycl::info::device::partition_max_sub_devices>(), 0u);
    }
    if (d.get_info<sycl::info::device::partition_max_sub_devices>() != 0) continue;
    EXPECT_EQ(error_code_of([&] {
                d.create_sub_devices<sycl::info::partition_property::partition_equally>(1);
              }),
              sycl::errc::feature_not_supported);
  }
}

TEST(device, equal_devices_have_equal_hashes) {
  EXPECT_EQ(std::hash<sycl::device>()(sycl::device()), std::hash<sycl::device>()(sycl::device()));
}

TEST(platform, every_device_is_of_exactly_one) {
  std::size_t devices = 0;
  for (const auto& p : sycl::platform::get_platforms()) {
    EXPECT_FALSE(p.get_info<sycl::info::platform::name>().empty());
    for (const auto& d : p.get_devices()) {
      EXPECT_EQ(d.get_platform(), p);
      EXPECT_EQ(d.get_backend(), p.get_backend());
      ++devices;
    }
  }
  EXPECT_EQ(devices, sycl::device::get_devices().size());
  EXPECT_EQ(sycl::platform(), sycl::device().get_platform());
}

TEST(context, copies_are_equal_and_others_are_not) {
  const sycl::context a, b;
  const sycl::context c = a;
  EXPECT_EQ(a, c);
  EXPECT_NE(a, b);
  EXPECT_EQ(std::hash<sycl::context>()(a), std::hash<sycl::context>()(c));
}

TEST(context, knows_its_devices) {
  const sycl::device d;
  const sycl::context c{d};
  EXPECT_EQ(c.get_devices(), std::vector<sycl::device>{d});
  EXPECT_EQ(c.get_info<sycl::info::context::devices>(), c.get_devices());
  EXPECT_EQ(c.get_platform(), d.get_platform());
  EXPECT_EQ(sycl::context(d.get_platform()).get_devices(), d.get_platform().get_devices());
}

TEST(context, must_have_devices_of_one_platform) {
  EXPECT_EQ(error_code_of([] { sycl::context c{std::vector<sycl::device>{}}; }),
            sycl::errc::invalid);
  const auto platforms = sycl::platform::get_platforms();
  if (platforms.size() < 2) GTEST_SKIP() << "there is one platform; set PIANOLA_DEVICES";
  EXPECT_EQ(error_code_of([&] {
              sycl::context c{std::vector<sycl::device>{platforms[0].get_devices()[0],
                                                        platforms[1].get_devices()[0]}};
            }),
            sycl::errc::invalid);
}

}  // namespace
