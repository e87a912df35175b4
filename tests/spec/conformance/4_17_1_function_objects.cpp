// SPDX-License-Identifier: Apache-2.0
// 4.17.1: function objects.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <limits>
#include <type_traits>

#include "checked.hpp"

namespace {

struct with_a_type {
  int operator()() const {
    CHECK(sycl::plus<int>()(6, 3) == 9);
    CHECK(sycl::multiplies<int>()(6, 3) == 18);
    CHECK(sycl::bit_and<int>()(6, 3) == 2);
    CHECK(sycl::bit_or<int>()(6, 3) == 7);
    CHECK(sycl::bit_xor<int>()(6, 3) == 5);
    CHECK(sycl::logical_and<bool>()(true, false) == false);
    CHECK(sycl::logical_or<bool>()(true, false) == true);
    CHECK(sycl::minimum<int>()(6, 3) == 3);
    CHECK(sycl::maximum<int>()(6, 3) == 6);
    CHECK(sycl::minimum<float>()(-0.5f, 2.f) == -0.5f);
    CHECK(sycl::plus<sycl::vec<int, 2>>()({1, 2}, {3, 4}).y() == 6);
    CHECK(sycl::minimum<sycl::vec<int, 2>>()({1, 4}, {3, 2}).y() == 2);
    CHECK(sycl::maximum<sycl::marray<float, 3>>()({1.f, 4.f, 2.f}, {3.f, 2.f, 2.f})[0] == 3.f);
    CHECK(sycl::maximum<sycl::vec<unsigned char, 1>>()({5}, {3})[0] == 5);
    return 0;
  }
};

struct transparent {
  int operator()() const {
    CHECK(sycl::plus<>()(6, 3L) == 9);
    CHECK(sycl::multiplies<>()(2, 1.5) == 3.0);
    CHECK(sycl::bit_and<>()(6u, 3u) == 2u);
    CHECK(sycl::bit_or<>()(6, 3) == 7);
    CHECK(sycl::bit_xor<>()(6, 3) == 5);
    CHECK(sycl::logical_and<>()(1, 0) == false);
    CHECK(sycl::logical_or<>()(1, 0) == true);
    CHECK(sycl::minimum<>()(6, 3) == 3);
    CHECK(sycl::maximum<>()(6, 3) == 6);
    const sycl::vec<int, 2> v(1, 4), w(3, 2);
    CHECK(sycl::minimum<>()(v, w)[0] == 1 && sycl::maximum<>()(v, w)[0] == 3);
    CHECK(sycl::minimum<>()(v, w)[1] == 2 && sycl::minimum<>()(v.swizzle<1, 0>(), w)[0] == 3);
    return 0;
  }
};

TEST(function_objects, with_a_type_compute_in_it) { checked::everywhere<with_a_type>(); }

TEST(function_objects, without_a_type_take_any) {
  static_assert(std::is_same_v<sycl::plus<>, sycl::plus<void>>);
  static_assert(std::is_same_v<decltype(sycl::plus<>()(1, 2L)), long>);
  static_assert(std::is_same_v<decltype(sycl::multiplies<>()(1, 2.0)), double>);
  checked::everywhere<transparent>();
}

TEST(function_objects, have_identities) {
  static_assert(sycl::has_known_identity_v<sycl::plus<int>, int>);
  static_assert(sycl::has_known_identity<sycl::multiplies<>, float>::value);
  static_assert(!sycl::has_known_identity_v<sycl::plus<int>, void*>);
  EXPECT_EQ((sycl::known_identity_v<sycl::plus<int>, int>), 0);
  EXPECT_EQ((sycl::known_identity_v<sycl::multiplies<int>, int>), 1);
  EXPECT_EQ((sycl::known_identity_v<sycl::bit_and<int>, int>), ~0);
  EXPECT_EQ((sycl::known_identity_v<sycl::bit_or<int>, int>), 0);
  EXPECT_EQ((sycl::known_identity_v<sycl::logical_and<bool>, bool>), true);
  EXPECT_EQ((sycl::known_identity_v<sycl::logical_or<bool>, bool>), false);
  EXPECT_EQ((sycl::known_identity<sycl::minimum<short>, short>::value),
            std::numeric_limits<short>::max());
  EXPECT_EQ((sycl::known_identity_v<sycl::maximum<float>, float>),
            -std::numeric_limits<float>::infinity());
}

}  // namespace
