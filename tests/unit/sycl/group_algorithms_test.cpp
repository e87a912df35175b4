// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include <sycl/sycl.hpp>

namespace pianola::test {

// The device's own; kernel_properties_test.cpp has others.
inline std::vector<std::uint32_t> device_sub_group_sizes() { return {0}; }

template <int D, class Kernel>
void launch(std::uint32_t, const sycl::nd_range<D>& space, const Kernel& kernel) {
  sycl::queue q;
  q.parallel_for(space, kernel).wait_and_throw();
}

}  // namespace pianola::test

#include <pianola/test/group_algorithm_cases.hpp>

namespace {

TEST(function_objects, have_the_identities_of_the_specification) {
  static_assert(sycl::has_known_identity_v<sycl::plus<>, float>);
  static_assert(sycl::known_identity_v<sycl::plus<int>, const int> == 0);
  static_assert(sycl::known_identity_v<sycl::multiplies<>, double> == 1.0);
  static_assert(sycl::known_identity_v<sycl::bit_and<std::uint8_t>, std::uint8_t> == 0xff);
  static_assert(sycl::known_identity_v<sycl::bit_and<int>, int> == -1);
  static_assert(sycl::known_identity_v<sycl::bit_or<>, int> == 0);
  static_assert(sycl::known_identity_v<sycl::logical_and<bool>, bool>);
  static_assert(!sycl::known_identity_v<sycl::logical_or<bool>, bool>);
  static_assert(sycl::known_identity_v<sycl::minimum<int>, int> == std::numeric_limits<int>::max());
  static_assert(sycl::known_identity_v<sycl::maximum<float>, float> ==
                -std::numeric_limits<float>::infinity());
  static_assert(!sycl::has_known_identity_v<sycl::bit_or<float>, float>);
  static_assert(!sycl::has_known_identity_v<sycl::plus<>, group_algorithm_cases::pixel>);
  static_assert(!sycl::has_known_identity_v<group_algorithm_cases::compose, int>);
  EXPECT_EQ(sycl::plus<>()(1, 2.5), 3.5);
  EXPECT_EQ(sycl::minimum<>()(3, 2), 2);
  EXPECT_EQ(sycl::maximum<int>()(3, 2), 3);
  EXPECT_TRUE(sycl::logical_or<>()(0, 2));
}

TEST(group_traits, know_groups_from_other_types) {
  static_assert(sycl::is_group_v<sycl::group<1>> && sycl::is_group_v<sycl::group<3>> &&
                sycl::is_group_v<sycl::sub_group>);
  static_assert(!sycl::is_group_v<int> && !sycl::is_group_v<sycl::nd_item<1>>);
}

}  // namespace
