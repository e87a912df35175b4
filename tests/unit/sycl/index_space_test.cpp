// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sycl/kernel/group.hpp>
#include <sycl/kernel/group_barrier.hpp>
#include <sycl/kernel/h_item.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/index_factory.hpp>
#include <sycl/kernel/item.hpp>
#include <sycl/kernel/memory_enums.hpp>
#include <sycl/kernel/nd_item.hpp>
#include <sycl/kernel/nd_range.hpp>
#include <sycl/kernel/private_memory.hpp>
#include <sycl/kernel/range.hpp>
#include <sycl/kernel/sub_group.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using factory = sycl::detail::index_factory;
using pianola::glue::group_context;

template <class T>
constexpr bool plain = std::is_trivially_copyable<T>::value && std::is_standard_layout<T>::value;

static_assert(plain<sycl::range<1>> && sizeof(sycl::range<1>) == sizeof(std::size_t), "");
static_assert(plain<sycl::range<3>> && sizeof(sycl::range<3>) == 3 * sizeof(std::size_t), "");
static_assert(plain<sycl::id<2>> && sizeof(sycl::id<2>) == 2 * sizeof(std::size_t), "");
static_assert(plain<sycl::item<1, false>> &&
                  sizeof(sycl::item<1, false>) == 2 * sizeof(std::size_t),
              "");
static_assert(plain<sycl::item<2, true>> && sizeof(sycl::item<2, true>) == 6 * sizeof(std::size_t),
              "");
static_assert(plain<sycl::nd_range<3>> && plain<sycl::nd_item<3>> && plain<sycl::group<3>> &&
                  plain<sycl::h_item<3>>,
              "");
static_assert(plain<sycl::sub_group>, "");
static_assert(!std::is_default_constructible<sycl::item<1>>::value, "");
static_assert(!std::is_default_constructible<sycl::nd_item<1>>::value, "");
static_assert(!std::is_default_constructible<sycl::group<1>>::value, "");
static_assert(!std::is_default_constructible<sycl::sub_group>::value, "");
static_assert(!std::is_default_constructible<sycl::h_item<1>>::value, "");
static_assert(std::is_convertible<sycl::id<1>, std::size_t>::value, "");
static_assert(!std::is_convertible<sycl::id<2>, std::size_t>::value, "");
static_assert(std::is_convertible<sycl::item<1>, std::size_t>::value, "");
static_assert(!std::is_convertible<sycl::item<2>, std::size_t>::value, "");
static_assert(!std::is_convertible<sycl::range<1>, std::size_t>::value, "");
static_assert(std::is_convertible<sycl::item<2, false>, sycl::item<2, true>>::value, "");
static_assert(!std::is_convertible<sycl::item<2, true>, sycl::item<2, false>>::value, "");
static_assert(std::is_same<sycl::access::mode, sycl::access_mode>::value, "");
static_assert(std::is_same<sycl::access::target, sycl::target>::value, "");
static_assert(sycl::target::global_buffer == sycl::target::device, "");
static_assert(sycl::memory_scope::work_item < sycl::memory_scope::system, "");

// Everything here is usable in constant expressions.
constexpr sycl::range<3> constant = sycl::range<3>(2, 3, 4) * 2 + sycl::range<3>(1, 0, 0);
static_assert(constant[0] == 5 && constant.get(1) == 6 && constant[2] == 8 &&
                  constant.size() == 240,
              "");
static_assert(factory::make_item<2, true>({4, 5}, {12, 23}, {10, 20}).get_linear_id() == 2 * 5 + 3,
              "");
static_assert(factory::make_nd_item<2>({4, 6}, {2, 3}, {1, 1}, {1, 2}).get_global_linear_id() ==
                  3 * 6 + 5,
              "");

TEST(Range, KeepsItsSizesInOrderAndKnowsItsProduct) {
  sycl::range<3> r{2, 3, 5};
  EXPECT_EQ(r.get(0), 2u);
  EXPECT_EQ(r[1], 3u);
  EXPECT_EQ(r[2], 5u);
  EXPECT_EQ(r.size(), 30u);
  r[1] = 7;
  EXPECT_EQ(r.size(), 70u);
  EXPECT_EQ(sycl::range<2>().size(), 0u);
  EXPECT_EQ((sycl::range<2>(6, 7).size()), 42u);
}

TEST(Range, IsDeducedFromItsArguments) {
  int n = 3;
  static_assert(std::is_same<decltype(sycl::range{4}), sycl::range<1>>::value, "");
  static_assert(std::is_same<decltype(sycl::range(n)), sycl::range<1>>::value, "");
  static_assert(std::is_same<decltype(sycl::range{4, 5}), sycl::range<2>>::value, "");
  static_assert(std::is_same<decltype(sycl::range{4, 5, 6}), sycl::range<3>>::value, "");
  static_assert(std::is_same<decltype(sycl::nd_range{sycl::range{4, 5}, sycl::range{2, 1}}),
                             sycl::nd_range<2>>::value,
                "");
  sycl::range<1> from_int{n};
  EXPECT_EQ(from_int[0], 3u);
}

enum unscoped { three = 3 };

struct size_like {
  operator std::size_t() const { return 9; }
};

TEST(Range, OfOneDimensionIsMadeFromAnythingThatConvertsToSize) {
  EXPECT_EQ(sycl::range<1>(three)[0], 3u);
  EXPECT_EQ(sycl::range<1>(size_like{})[0], 9u);
  EXPECT_EQ(sycl::range<1>(sycl::id<1>(8))[0], 8u);
  EXPECT_EQ(sycl::id<1>(size_like{})[0], 9u);
  EXPECT_EQ(sycl::id<1>(2.9)[0], 2u);
}

template <class V>
V vec(std::size_t a, std::size_t b, std::size_t c) {
  return V(a, b, c);
}

template <class V>
class IndexVector : public ::testing::Test {};
using index_vectors = ::testing::Types<sycl::range<3>, sycl::id<3>>;
TYPED_TEST_SUITE(IndexVector, index_vectors);

#define EXPECT_BINARY(op)                                                       \
  {                                                                             \
    const TypeParam both = a op b, right = a op 2, left = 29 op b;              \
    for (int d = 0; d < 3; ++d) {                                               \
      EXPECT_EQ(both[d], static_cast<std::size_t>(a.get(d) op b.get(d)))        \
          << #op << " in dimension " << d;                                      \
      EXPECT_EQ(right[d], static_cast<std::size_t>(a.get(d) op std::size_t{2})) \
          << #op << " scalar on the right";                                     \
      EXPECT_EQ(left[d], static_cast<std::size_t>(std::size_t{29} op b.get(d))) \
          << #op << " scalar on the left";                                      \
    }                                                                           \
  }

TYPED_TEST(IndexVector, AppliesEveryBinaryOperatorPerDimension) {
  const TypeParam a(17, 2, 40), b(3, 2, 5);
  EXPECT_BINARY(+)
  EXPECT_BINARY(-)
  EXPECT_BINARY(*)
  EXPECT_BINARY(/)
  EXPECT_BINARY(%)
  EXPECT_BINARY(<<)
  EXPECT_BINARY(>>)
  EXPECT_BINARY(&)
  EXPECT_BINARY(|)
  EXPECT_BINARY(^)
  EXPECT_BINARY(<)
  EXPECT_BINARY(>)
  EXPECT_BINARY(<=)
  EXPECT_BINARY(>=)
}

TYPED_TEST(IndexVector, AppliesLogicalOperatorsPerDimension) {
  const TypeParam a(0, 2, 0), b(3, 0, 0);
  EXPECT_TRUE((a && b) == vec<TypeParam>(0, 0, 0));
  EXPECT_TRUE((a || b) == vec<TypeParam>(1, 1, 0));
  EXPECT_TRUE((a && 1) == vec<TypeParam>(0, 1, 0));
  EXPECT_TRUE((0 || b) == vec<TypeParam>(1, 0, 0));
}

#define EXPECT_ASSIGN(op, assign)          \
  {                                        \
    TypeParam x = a, y = a;                \
    TypeParam& rx = (x assign b);          \
    TypeParam& ry = (y assign 2);          \
    EXPECT_EQ(&rx, &x);                    \
    EXPECT_EQ(&ry, &y);                    \
    EXPECT_TRUE(x == (a op b)) << #assign; \
    EXPECT_TRUE(y == (a op 2)) << #assign; \
  }

TYPED_TEST(IndexVector, AssignsThroughEveryCompoundOperator) {
  const TypeParam a(17, 2, 40), b(3, 2, 5);
  EXPECT_ASSIGN(+, +=)
  EXPECT_ASSIGN(-, -=)
  EXPECT_ASSIGN(*, *=)
  EXPECT_ASSIGN(/, /=)
  EXPECT_ASSIGN(%, %=)
  EXPECT_ASSIGN(<<, <<=)
  EXPECT_ASSIGN(>>, >>=)
  EXPECT_ASSIGN(&, &=)
  EXPECT_ASSIGN(|, |=)
  EXPECT_ASSIGN(^, ^=)
}

TYPED_TEST(IndexVector, StepsUpAndDownBeforeAndAfter) {
  TypeParam a(1, 2, 3);
  EXPECT_TRUE(a++ == vec<TypeParam>(1, 2, 3));
  EXPECT_TRUE(a == vec<TypeParam>(2, 3, 4));
  EXPECT_TRUE(++a == vec<TypeParam>(3, 4, 5));
  EXPECT_TRUE(a-- == vec<TypeParam>(3, 4, 5));
  EXPECT_TRUE(--a == vec<TypeParam>(1, 2, 3));
  EXPECT_TRUE(+a == a);
  EXPECT_EQ((-a)[1], std::size_t(0) - 2);
}

TYPED_TEST(IndexVector, ComparesEveryDimension) {
  const TypeParam a(1, 2, 3);
  EXPECT_TRUE(a == vec<TypeParam>(1, 2, 3));
  EXPECT_FALSE(a == vec<TypeParam>(0, 2, 3));
  EXPECT_FALSE(a == vec<TypeParam>(1, 0, 3));
  EXPECT_FALSE(a == vec<TypeParam>(1, 2, 0));
  EXPECT_TRUE(a != vec<TypeParam>(1, 2, 0));
  EXPECT_FALSE(a != vec<TypeParam>(1, 2, 3));
}

TEST(Id, OfOneDimensionMixesWithIntegersOfEveryType) {
  const sycl::id<1> i = 5;
  const int n = 2;
  const unsigned u = 2;
  const long l = 2;
  static_assert(std::is_same<decltype(i + n), sycl::id<1>>::value, "");
  static_assert(std::is_same<decltype(n + i), sycl::id<1>>::value, "");
  EXPECT_EQ(std::size_t(i + n), 7u);
  EXPECT_EQ(std::size_t(1 + i), 6u);
  EXPECT_EQ(std::size_t(i * u), 10u);
  EXPECT_EQ(std::size_t(i - l), 3u);
  EXPECT_EQ(std::size_t(i % n), 1u);
  EXPECT_TRUE(i == 5);
  EXPECT_TRUE(5u == i);
  EXPECT_TRUE(i != n);
  EXPECT_TRUE(n != i);
  EXPECT_FALSE(i == 4);
  EXPECT_TRUE(i < 6 && i > 4);
  EXPECT_FALSE(i < n);
  EXPECT_TRUE(3 <= i);
  EXPECT_TRUE(i % 2 == 1);
  EXPECT_TRUE(i < std::size_t{9});
  if (i < 5 || i > 5) ADD_FAILURE() << "5 is neither below nor above 5";
}

TEST(Id, OfOneDimensionConvertsToAndFromSize) {
  const std::size_t from = sycl::id<1>(7);
  EXPECT_EQ(from, 7u);
  sycl::id<1> to = 3;
  to = 4;
  EXPECT_EQ(to[0], 4u);
  const int narrow = static_cast<int>(to);
  EXPECT_EQ(narrow, 4);
  const double values[] = {0, 10, 20, 30, 40};
  EXPECT_EQ(values[to], 40);
  EXPECT_EQ(*(values + to), 40);
  to += 1;
  to -= sycl::id<1>(3);
  EXPECT_EQ(to.get(0), 2u);
}

TEST(Id, OfOneDimensionTimesAFractionIsAFraction) {
  const sycl::id<1> i = 5;
  static_assert(std::is_same<decltype(i * 0.5), double>::value, "");
  EXPECT_EQ(i * 0.5, 2.5);
  EXPECT_EQ(0.5 + i, 5.5);
  EXPECT_TRUE(i < 5.5);
}

TEST(Id, IsDeducedFromNumbersRangesAndItems) {
  static_assert(std::is_same<decltype(sycl::id{4}), sycl::id<1>>::value, "");
  static_assert(std::is_same<decltype(sycl::id{4, 5}), sycl::id<2>>::value, "");
  static_assert(std::is_same<decltype(sycl::id{4, 5, 6}), sycl::id<3>>::value, "");
  static_assert(std::is_same<decltype(sycl::id{sycl::range{4, 5}}), sycl::id<2>>::value, "");
  static_assert(
      std::is_same<decltype(sycl::id{std::declval<sycl::item<3, true>>()}), sycl::id<3>>::value,
      "");
  static_assert(
      std::is_same<decltype(sycl::id{std::declval<sycl::item<1, false>>()}), sycl::id<1>>::value,
      "");
}

TEST(Id, ConvertsFromARangeAndFromAnItem) {
  const sycl::id<3> from_range = sycl::range<3>(1, 2, 3);
  EXPECT_TRUE(from_range == sycl::id<3>(1, 2, 3));
  const sycl::id<2> from_item = factory::make_item<2, true>({4, 5}, {12, 23}, {10, 20});
  EXPECT_TRUE(from_item == sycl::id<2>(12, 23));
  const sycl::id<1> from_line = factory::make_item<1, false>(5, 3);
  EXPECT_EQ(from_line[0], 3u);
}

TEST(Id, AddsARange) {
  EXPECT_TRUE(sycl::id<2>(1, 2) + sycl::range<2>(10, 20) == sycl::id<2>(11, 22));
  EXPECT_TRUE(sycl::range<1>(4) * sycl::id<1>(3) == 12);
  EXPECT_TRUE(sycl::id<1>(3) < sycl::range<1>(4));
}

TEST(NdRange, CountsItsGroups) {
  const sycl::nd_range<2> r{{8, 12}, {2, 4}};
  EXPECT_TRUE(r.get_group_range() == sycl::range<2>(4, 3));
  EXPECT_TRUE(r.get_global_range() == sycl::range<2>(8, 12));
  EXPECT_TRUE(r.get_local_range() == sycl::range<2>(2, 4));
  EXPECT_TRUE(r.get_offset() == sycl::id<2>(0, 0));
  EXPECT_TRUE(r == sycl::nd_range<2>({8, 12}, {2, 4}));
  EXPECT_TRUE(r != sycl::nd_range<2>({8, 12}, {2, 4}, {1, 0}));
  EXPECT_TRUE(r != sycl::nd_range<2>({8, 12}, {2, 2}));
  EXPECT_TRUE(r != sycl::nd_range<2>({8, 8}, {2, 4}));
}

TEST(NdRange, WithAZeroLocalRangeHasNoGroups) {
  EXPECT_EQ((sycl::nd_range<1>(8, 0).get_group_range()[0]), 0u);
}

TEST(Item, LinearisesRowByRow) {
  EXPECT_EQ((factory::make_item<1, false>(9, 4).get_linear_id()), 4u);
  std::size_t expected = 0;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 5; ++j)
      EXPECT_EQ((factory::make_item<2, false>({2, 5}, {i, j}).get_linear_id()), expected++);
  expected = 0;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 5; ++k)
        EXPECT_EQ((factory::make_item<3, true>({2, 3, 5}, {i, j, k}).get_linear_id()), expected++);
}

TEST(Item, WithOffsetSubtractsItFromTheLinearIdOnly) {
  const auto it = factory::make_item<3, true>({2, 3, 5}, {11, 22, 34}, {10, 20, 30});
  EXPECT_EQ(it.get_linear_id(), (1u * 3 + 2) * 5 + 4);
  EXPECT_EQ(it.get_id(0), 11u);
  EXPECT_EQ(it[2], 34u);
  EXPECT_TRUE(it.get_id() == sycl::id<3>(11, 22, 34));
  EXPECT_TRUE(it.get_offset() == sycl::id<3>(10, 20, 30));
  EXPECT_TRUE(it.get_range() == sycl::range<3>(2, 3, 5));
  EXPECT_EQ(it.get_range(1), 3u);
}

TEST(Item, OfOneDimensionIsAnIndex) {
  const auto it = factory::make_item<1, false>(9, 4);
  const int values[] = {0, 1, 2, 3, 44};
  EXPECT_EQ(values[it], 44);
  EXPECT_EQ(it + 1, 5u);
  EXPECT_TRUE(it < 5u);
}

TEST(Item, WithoutOffsetConvertsToOneWithOffsetZero) {
  const sycl::item<2, true> it = factory::make_item<2, false>({4, 5}, {3, 2});
  EXPECT_TRUE(it.get_offset() == sycl::id<2>(0, 0));
  EXPECT_EQ(it.get_linear_id(), 17u);
}

TEST(Item, ComparesByValue) {
  const auto it = factory::make_item<1, true>(9, 4, 1);
  EXPECT_TRUE(it == (factory::make_item<1, true>(9, 4, 1)));
  EXPECT_TRUE(it != (factory::make_item<1, true>(9, 5, 1)));
  EXPECT_TRUE(it != (factory::make_item<1, true>(8, 4, 1)));
  EXPECT_TRUE(it != (factory::make_item<1, true>(9, 4, 2)));
}

TEST(NdItem, AddsTheOffsetToGlobalIdsOnly) {
  const auto it =
      factory::make_nd_item<3>({4, 6, 8}, {2, 3, 4}, {1, 0, 1}, {1, 2, 3}, {100, 200, 300});
  EXPECT_TRUE(it.get_global_id() == sycl::id<3>(103, 202, 307));
  EXPECT_EQ(it.get_global_id(0), 103u);
  EXPECT_EQ(it.get_global_id(1), 202u);
  EXPECT_EQ(it.get_global_id(2), 307u);
  EXPECT_EQ(it.get_global_linear_id(), (3u * 6 + 2) * 8 + 7);
  EXPECT_TRUE(it.get_local_id() == sycl::id<3>(1, 2, 3));
  EXPECT_EQ(it.get_local_id(1), 2u);
  EXPECT_EQ(it.get_local_linear_id(), (1u * 3 + 2) * 4 + 3);
  EXPECT_TRUE(it.get_offset() == sycl::id<3>(100, 200, 300));
}

TEST(NdItem, KnowsItsGroupAndRanges) {
  const auto it = factory::make_nd_item<2>({4, 6}, {2, 3}, {1, 0}, {0, 1});
  EXPECT_EQ(it.get_group(0), 1u);
  EXPECT_EQ(it.get_group(1), 0u);
  EXPECT_EQ(it.get_group_linear_id(), 2u);
  EXPECT_TRUE(it.get_group_range() == sycl::range<2>(2, 2));
  EXPECT_EQ(it.get_group_range(1), 2u);
  EXPECT_TRUE(it.get_global_range() == sycl::range<2>(4, 6));
  EXPECT_EQ(it.get_global_range(1), 6u);
  EXPECT_TRUE(it.get_local_range() == sycl::range<2>(2, 3));
  EXPECT_EQ(it.get_local_range(0), 2u);
  EXPECT_TRUE(it.get_nd_range() == sycl::nd_range<2>({4, 6}, {2, 3}));
  EXPECT_TRUE(it.get_group() == factory::make_group<2>({4, 6}, {2, 3}, {1, 0}));
}

TEST(NdItem, ComparesByValue) {
  const auto it = factory::make_nd_item<1>(8, 4, 1, 2, 3);
  EXPECT_TRUE(it == factory::make_nd_item<1>(8, 4, 1, 2, 3));
  EXPECT_TRUE(it != factory::make_nd_item<1>(8, 4, 0, 2, 3));
  EXPECT_TRUE(it != factory::make_nd_item<1>(8, 4, 1, 1, 3));
  EXPECT_TRUE(it != factory::make_nd_item<1>(8, 4, 1, 2, 0));
  EXPECT_TRUE(it != factory::make_nd_item<1>(16, 4, 1, 2, 3));
}

TEST(Group, LinearisesGroupsAndWorkItemsRowByRow) {
  const auto g = factory::make_group<3>({4, 6, 10}, {2, 2, 5}, {1, 2, 1}, {1, 0, 3});
  EXPECT_TRUE(g.get_group_range() == sycl::range<3>(2, 3, 2));
  EXPECT_EQ(g.get_group_linear_id(), (1u * 3 + 2) * 2 + 1);
  EXPECT_EQ(g.get_group_linear_range(), 12u);
  EXPECT_EQ(g.get_local_linear_id(), (1u * 2 + 0) * 5 + 3);
  EXPECT_EQ(g.get_local_linear_range(), 20u);
  EXPECT_EQ(g[1], 2u);
  EXPECT_EQ(g.get_group_id(2), 1u);
  EXPECT_TRUE(g.get_group_id() == sycl::id<3>(1, 2, 1));
  EXPECT_EQ(g.get_local_id(2), 3u);
  EXPECT_TRUE(g.get_local_range() == g.get_max_local_range());
  EXPECT_EQ(g.get_group_range(0), 2u);
  EXPECT_EQ(g.get_local_range(2), 5u);
}

TEST(Group, IsLedByItsFirstWorkItem) {
  EXPECT_TRUE(factory::make_group<2>({4, 6}, {2, 3}, {1, 1}, {0, 0}).leader());
  EXPECT_FALSE(factory::make_group<2>({4, 6}, {2, 3}, {0, 0}, {0, 1}).leader());
  EXPECT_FALSE(factory::make_group<2>({4, 6}, {2, 3}, {0, 0}, {1, 0}).leader());
}

TEST(Group, IsEqualForAllItsWorkItemsAndDiffersFromItsNeighbours) {
  const auto g = factory::make_group<1>(8, 4, 1, 0);
  EXPECT_TRUE(g == factory::make_group<1>(8, 4, 1, 3));
  EXPECT_TRUE(g != factory::make_group<1>(8, 4, 0, 0));
  EXPECT_TRUE(g != factory::make_group<1>(8, 2, 1, 0));
}

TEST(Group, RunsEveryWorkItemOfAHierarchicalScopeOnce) {
  const auto g = factory::make_group<3>({4, 6, 8}, {2, 3, 4}, {1, 1, 0});
  std::vector<std::size_t> seen;
  g.parallel_for_work_item([&](sycl::h_item<3> h) {
    seen.push_back(h.get_local().get_linear_id());
    EXPECT_TRUE(h.get_global_id() == sycl::id<3>(2, 3, 0) + h.get_local_id());
    EXPECT_TRUE(h.get_physical_local_id() == h.get_logical_local_id());
  });
  ASSERT_EQ(seen.size(), 24u);
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], i);
}

TEST(HItem, FoldsALargerLogicalRangeOntoTheWorkGroup) {
  const auto g = factory::make_group<1>(8, 4, 1);
  std::vector<std::size_t> physical;
  g.parallel_for_work_item(6, [&](sycl::h_item<1> h) {
    EXPECT_EQ(h.get_local_range(0), 6u);
    EXPECT_EQ(h.get_logical_local_range(0), 6u);
    EXPECT_EQ(h.get_physical_local_range(0), 4u);
    EXPECT_EQ(h.get_global_range(0), 8u);
    EXPECT_EQ(h.get_global_id(0), 4 + h.get_physical_local_id(0));
    physical.push_back(h.get_physical_local().get_linear_id());
  });
  EXPECT_EQ(physical, (std::vector<std::size_t>{0, 1, 2, 3, 0, 1}));
}

TEST(PrivateMemory, LivesAcrossWorkItemScopes) {
  const auto g = factory::make_group<2>({2, 3}, {2, 3}, {0, 0});
  sycl::private_memory<std::size_t, 2> mine(g);
  g.parallel_for_work_item(
      [&](sycl::h_item<2> h) { mine(h) = 10 * h.get_local_id(0) + h.get_local_id(1); });
  g.parallel_for_work_item(
      [&](sycl::h_item<2> h) { EXPECT_EQ(mine(h), 10 * h.get_local_id(0) + h.get_local_id(1)); });
}

#if !defined(__PIANOLACC__)  // in compiled mode sub-groups exist in kernels only
TEST(SubGroup, IsARunOfWorkItemsAndOnlyTheLastIsSmaller) {
  // 3 x 7 = 21 work-items: sub-groups of 8, 8 and 5.
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 7; ++j) {
      const std::size_t linear = i * 7 + j;
      const sycl::sub_group s =
          factory::make_nd_item<2>({3, 7}, {3, 7}, {0, 0}, {i, j}).get_sub_group();
      EXPECT_EQ(s.get_group_linear_id(), linear / 8);
      EXPECT_EQ(s.get_local_linear_id(), linear % 8);
      EXPECT_EQ(s.get_group_id()[0], linear / 8);
      EXPECT_EQ(s.get_local_id()[0], linear % 8);
      EXPECT_EQ(s.get_group_linear_range(), 3u);
      EXPECT_EQ(s.get_group_range()[0], 3u);
      EXPECT_EQ(s.get_local_linear_range(), linear < 16 ? 8u : 5u);
      EXPECT_EQ(s.get_local_range()[0], linear < 16 ? 8u : 5u);
      EXPECT_EQ(s.get_max_local_range()[0], 8u);
      EXPECT_EQ(s.leader(), linear % 8 == 0);
    }
  EXPECT_EQ(factory::make_sub_group(2, 3).get_max_local_range()[0], 3u);
  EXPECT_TRUE(factory::make_sub_group(1, 16) == factory::make_sub_group(7, 16));
  EXPECT_TRUE(factory::make_sub_group(1, 16) != factory::make_sub_group(8, 16));
}

struct barrier_log {
  int group = 0;
  int sub_group = 0;
};

TEST(Barrier, ReachesTheLauncherThroughTheContext) {
  barrier_log log;
  const group_context context{
      [](const group_context& c) { ++static_cast<barrier_log*>(c.scheduler)->group; },
      [](const group_context& c) { ++static_cast<barrier_log*>(c.scheduler)->sub_group; }, nullptr,
      &log, pianola::glue::sub_group_size};
  const auto it = factory::make_nd_item<1>(8, 4, 1, 2, 0, &context);
  sycl::group_barrier(it.get_group());
  EXPECT_EQ(log.group, 1);
  sycl::group_barrier(it.get_group(), sycl::memory_scope::device);
  EXPECT_EQ(log.group, 2);
  it.barrier();
  it.barrier(sycl::access::fence_space::local_space);
  EXPECT_EQ(log.group, 4);
  EXPECT_EQ(log.sub_group, 0);
  sycl::group_barrier(it.get_sub_group());
  EXPECT_EQ(log.sub_group, 1);
  EXPECT_EQ(log.group, 4);
  it.mem_fence<sycl::access::mode::read>(sycl::access::fence_space::local_space);
  EXPECT_EQ(log.group, 4);
}

TEST(Barrier, OfAGroupWithoutContextReturnsAtOnce) {
  const auto it = factory::make_nd_item<1>(8, 1, 1, 0);
  sycl::group_barrier(it.get_group());
  sycl::group_barrier(it.get_sub_group());
  it.barrier();
}

#endif

}  // namespace
