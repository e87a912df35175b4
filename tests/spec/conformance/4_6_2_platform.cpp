// SPDX-License-Identifier: Apache-2.0
// 4.6.2: the platform class.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

namespace {

template <class Descriptor, class Result>
constexpr bool returns = std::is_same_v<typename Descriptor::return_type, Result>;
namespace info = sycl::info::platform;
static_assert(returns<info::profile, std::string> && returns<info::version, std::string> &&
              returns<info::name, std::string> && returns<info::vendor, std::string> &&
              returns<info::extensions, std::vector<std::string>>);

TEST(platform, of_the_default_device_is_the_default) {
  const sycl::platform p;
  EXPECT_EQ(p, sycl::device().get_platform());
  EXPECT_EQ(p.get_backend(), sycl::device().get_backend());
  const sycl::platform copy = p;
  EXPECT_TRUE(copy == p && !(copy != p));
  EXPECT_EQ(std::hash<sycl::platform>()(copy), std::hash<sycl::platform>()(p));
}

TEST(platform, list_holds_every_device_once) {
  const auto platforms = sycl::platform::get_platforms();
  EXPECT_NE(std::find(platforms.begin(), platforms.end(), sycl::platform()), platforms.end());
  std::vector<sycl::device> found;
  for (const sycl::platform& p : platforms) {
    EXPECT_FALSE(p.get_devices().empty());
    for (const sycl::device& d : p.get_devices()) {
      EXPECT_EQ(d.get_platform(), p);
      EXPECT_EQ(d.get_backend(), p.get_backend());
      EXPECT_EQ(std::count(found.begin(), found.end(), d), 0);
      found.push_back(d);
    }
  }
  EXPECT_EQ(found.size(), sycl::device::get_devices().size());
}

TEST(platform, lists_devices_by_type) {
  for (const sycl::platform& p : sycl::platform::get_platforms()) {
    using type = sycl::info::device_type;
    EXPECT_EQ(p.get_devices(type::all), p.get_devices());
    for (const sycl::device& d : p.get_devices(type::cpu)) EXPECT_TRUE(d.is_cpu());
    for (const sycl::device& d : p.get_devices(type::gpu)) EXPECT_TRUE(d.is_gpu());
    EXPECT_TRUE(p.get_devices(type::host).empty());
  }
}

TEST(platform, has_the_aspects_that_all_its_devices_have) {
  for (const sycl::platform& p : sycl::platform::get_platforms())
    for (int i = 0; i <= static_cast<int>(sycl::aspect::ext_intel_matrix); ++i) {
      const auto a = static_cast<sycl::aspect>(i);
      bool all = true;
      for (const sycl::device& d : p.get_devices()) all = all && d.has(a);
      EXPECT_EQ(p.has(a), all) << i;
    }
}

TEST(platform, answers_its_queries) {
  for (const sycl::platform& p : sycl::platform::get_platforms()) {
    EXPECT_EQ(p.get_info<info::profile>(), "FULL_PROFILE");
    EXPECT_FALSE(p.get_info<info::name>().empty());
    EXPECT_FALSE(p.get_info<info::vendor>().empty());
    EXPECT_TRUE(p.get_info<info::extensions>().empty());
    EXPECT_FALSE(p.has_extension("cl_khr_fp64"));
  }
}

}  // namespace
