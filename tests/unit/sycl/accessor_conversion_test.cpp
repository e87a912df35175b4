// SPDX-License-Identifier: Apache-2.0
// Which accessors convert to which: the table in docs/accessor-variants.md, in both directions.
#include <gtest/gtest.h>

#include <sycl/accessor.hpp>
#include <sycl/buffer.hpp>
#include <type_traits>

namespace {

using sycl::access_mode;
using V = sycl::accessor_variant;

template <V Variant, class T = int, access_mode M = access_mode::read_write, int D = 2>
using of = sycl::accessor<T, D, M, sycl::target::device, Variant>;

template <V From, V To>
constexpr bool converts = std::is_convertible<of<From>, of<To>>::value;

// From, then to false_t, true_t, ranged_placeholder, ranged, unranged_placeholder, unranged, raw.
template <V From, bool... Expected>
constexpr bool row() {
  const bool is[] = {converts<From, V::false_t>,
                     converts<From, V::true_t>,
                     converts<From, V::ranged_placeholder>,
                     converts<From, V::ranged>,
                     converts<From, V::unranged_placeholder>,
                     converts<From, V::unranged>,
                     converts<From, V::raw>};
  const bool expected[] = {Expected...};
  static_assert(sizeof...(Expected) == 7);
  for (int i = 0; i < 7; ++i)
    if (is[i] != expected[i]) return false;
  return true;
}

constexpr bool o = true, x = false;
static_assert(row<V::false_t, o, x, x, o, x, x, o>());
static_assert(row<V::true_t, o, o, o, o, x, x, o>());
static_assert(row<V::ranged_placeholder, o, o, o, o, x, x, o>());
static_assert(row<V::ranged, o, x, x, o, x, x, o>());
static_assert(row<V::unranged_placeholder, o, o, o, o, o, o, o>());
static_assert(row<V::unranged, o, x, x, o, x, o, o>());
static_assert(row<V::raw, x, x, x, x, x, x, o>());

// Modes and const-ness (SYCL 2020, 4.7.6.9.5), alone and together with a change of variant.
constexpr V standard = V::false_t;
using read_write = of<standard, int, access_mode::read_write>;
using read = of<standard, int, access_mode::read>;
using read_const = of<standard, const int, access_mode::read>;
using write = of<standard, int, access_mode::write>;
static_assert(std::is_convertible<read_write, read>::value);
static_assert(std::is_convertible<read_write, read_const>::value);
static_assert(std::is_convertible<read, read_const>::value);
static_assert(std::is_convertible<read_const, read>::value);
static_assert(!std::is_convertible<read, read_write>::value);
static_assert(!std::is_convertible<read_const, read_write>::value);
static_assert(!std::is_convertible<read_write, write>::value);
static_assert(!std::is_convertible<write, read_write>::value);
static_assert(!std::is_convertible<write, read>::value);
static_assert(!std::is_convertible<read_write, of<standard, unsigned, access_mode::read>>::value);
static_assert(!std::is_convertible<read_write, of<standard, int, access_mode::read, 1>>::value);

static_assert(
    std::is_convertible<of<V::unranged>, of<V::raw, const int, access_mode::read>>::value);
static_assert(std::is_convertible<of<V::unranged>, of<V::ranged, int, access_mode::read>>::value);
static_assert(!std::is_convertible<of<V::ranged>, of<V::unranged, int, access_mode::read>>::value);
static_assert(!std::is_convertible<of<V::raw>, of<V::unranged, int, access_mode::read>>::value);

// The raw accessor converts in mode, not in variant.
static_assert(std::is_convertible<of<V::raw>, of<V::raw, const int, access_mode::read>>::value);

TEST(accessor_conversion, of_a_placeholder_keeps_its_state) {
  sycl::buffer<int, 2> b(sycl::range<2>(2, 2));
  const of<V::unranged_placeholder> from(b);
  const of<V::ranged_placeholder> placeholder = from;
  EXPECT_TRUE(placeholder.is_placeholder());
  const read_const standard_accessor = from;
  EXPECT_TRUE(standard_accessor.is_placeholder());
  const of<V::unranged> bound;
  const read_write from_bound = bound;
  EXPECT_FALSE(from_bound.is_placeholder());
}

}  // namespace
