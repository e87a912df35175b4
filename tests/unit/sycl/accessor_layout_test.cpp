// SPDX-License-Identifier: Apache-2.0
// The table of sizes in docs/accessor-variants.md.
// compiled alone: others have its short names, too.
#include <gtest/gtest.h>

#include <sycl/accessor.hpp>
#include <sycl/host_accessor.hpp>
#include <sycl/local_accessor.hpp>
#include <type_traits>

namespace {

using sycl::access_mode;
using sycl::accessor_variant;
using sycl::target;

template <int D, accessor_variant V, class T = float, target G = target::device>
using of = sycl::accessor<T, D, access_mode::read_write, G, V>;

template <accessor_variant V, std::size_t S0, std::size_t S1, std::size_t S2, std::size_t S3>
constexpr bool has_sizes() {
  return sizeof(of<0, V>) == S0 && sizeof(of<1, V>) == S1 && sizeof(of<2, V>) == S2 &&
         sizeof(of<3, V>) == S3;
}

static_assert(has_sizes<accessor_variant::raw, 8, 8, 8, 8>());
static_assert(has_sizes<accessor_variant::unranged, 8, 16, 24, 32>());
static_assert(has_sizes<accessor_variant::ranged, 8, 24, 48, 72>());
static_assert(has_sizes<accessor_variant::unranged_placeholder, 24, 32, 40, 48>());
static_assert(has_sizes<accessor_variant::ranged_placeholder, 24, 40, 64, 88>());
static_assert(has_sizes<accessor_variant::false_t, 24, 40, 64, 88>());
static_assert(has_sizes<accessor_variant::true_t, 24, 40, 64, 88>());

static_assert(sizeof(sycl::local_accessor<float, 0>) == 8);
static_assert(sizeof(sycl::local_accessor<float, 1>) == 16);
static_assert(sizeof(sycl::local_accessor<float, 2>) == 24);
static_assert(sizeof(sycl::local_accessor<float, 3>) == 32);

template <class T>
constexpr bool is_trivial_to_copy() {
  return std::is_trivially_copyable<T>::value && std::is_trivially_copy_constructible<T>::value &&
         std::is_trivially_copy_assignable<T>::value && std::is_trivially_destructible<T>::value &&
         std::is_default_constructible<T>::value;
}

template <accessor_variant V>
constexpr bool is_trivial_for_all_dimensions() {
  return is_trivial_to_copy<of<0, V>>() && is_trivial_to_copy<of<1, V>>() &&
         is_trivial_to_copy<of<2, V>>() && is_trivial_to_copy<of<3, V>>() &&
         is_trivial_to_copy<of<2, V, double, target::host_task>>();
}

static_assert(is_trivial_for_all_dimensions<accessor_variant::raw>());
static_assert(is_trivial_for_all_dimensions<accessor_variant::unranged>());
static_assert(is_trivial_for_all_dimensions<accessor_variant::ranged>());
static_assert(is_trivial_for_all_dimensions<accessor_variant::unranged_placeholder>());
static_assert(is_trivial_for_all_dimensions<accessor_variant::ranged_placeholder>());
static_assert(is_trivial_for_all_dimensions<accessor_variant::false_t>());
static_assert(is_trivial_for_all_dimensions<accessor_variant::true_t>());
static_assert(is_trivial_to_copy<sycl::local_accessor<int, 0>>());
static_assert(is_trivial_to_copy<sycl::local_accessor<const int, 3>>());

// The size depends on neither element type, nor mode, nor target.
static_assert(sizeof(of<2, accessor_variant::false_t, char>) == 64);
static_assert(sizeof(of<2, accessor_variant::false_t, double, target::host_task>) == 64);
static_assert(sizeof(sycl::accessor<const double, 2>) == 64);

TEST(accessor_layout, the_address_comes_first) {
  of<1, accessor_variant::unranged> a;
  const void* pointer = &a;
  EXPECT_EQ(sycl::detail::accessor_access::cookie(a), *static_cast<const std::uint64_t*>(pointer));
}

TEST(accessor_layout, a_default_constructed_accessor_is_empty) {
  const sycl::accessor<int, 2> a;
  EXPECT_TRUE(a.empty());
  EXPECT_FALSE(a.is_placeholder());
  EXPECT_EQ(a.size(), 0U);
  EXPECT_EQ(a.byte_size(), 0U);
  EXPECT_EQ(a.get_pointer(), nullptr);
  EXPECT_TRUE(a.begin() == a.end());
  const sycl::local_accessor<int, 1> l;
  EXPECT_TRUE(l.empty());
  const sycl::host_accessor<int, 3> h;
  EXPECT_TRUE(h.empty());
  const sycl::accessor<int, 0> zero;
  EXPECT_EQ(zero.size(), 0U);
}

}  // namespace
