// SPDX-License-Identifier: Apache-2.0
// 4.9.1: ranges and index space identifiers.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <type_traits>

namespace {

// 4.9.1.1, 4.9.1.3: the members that range and id have in common, for each number of dimensions.
template <class Index>
void check_common_members(Index a, Index b) {
  static_assert(std::is_same_v<decltype(a.get(0)), size_t>);
  static_assert(std::is_same_v<decltype(a[0]), size_t&>);
  static_assert(std::is_copy_constructible_v<Index> && std::is_copy_assignable_v<Index>);
  static_assert(std::is_move_constructible_v<Index> && std::is_move_assignable_v<Index>);
  const Index constant = a;
  for (int d = 0; d < Index::dimensions; ++d) {
    EXPECT_EQ(constant.get(d), a[d]);
    EXPECT_EQ(constant[d], a[d]);
  }
  EXPECT_TRUE(constant == a);
  EXPECT_FALSE(constant != a);
  EXPECT_TRUE(a != b);
  a[0] = 77;
  EXPECT_EQ(a.get(0), 77u);
  EXPECT_FALSE(constant == a);
}

template <class Index>
Index make(size_t x, size_t y, size_t z) {
  if constexpr (Index::dimensions == 1) {
    (void)y, (void)z;
    return Index(x);
  } else if constexpr (Index::dimensions == 2) {
    (void)z;
    return Index(x, y);
  } else {
    return Index(x, y, z);
  }
}

// Every binary operator in its three forms (two indices, index and number, number and index), and its assignment.
template <class Index>
void check_operators() {
  const size_t left[] = {12, 9, 70};
  const size_t right[] = {3, 5, 6};
  const Index a = make<Index>(left[0], left[1], left[2]);
  const Index b = make<Index>(right[0], right[1], right[2]);
  const size_t number = 4;
#define CHECK_OPERATOR(op)                                                  \
  {                                                                         \
    const Index both = a op b, after = a op number, before = number op b;   \
    for (int d = 0; d < Index::dimensions; ++d) {                           \
      EXPECT_EQ(both[d], static_cast<size_t>(left[d] op right[d])) << #op;  \
      EXPECT_EQ(after[d], static_cast<size_t>(left[d] op number)) << #op;   \
      EXPECT_EQ(before[d], static_cast<size_t>(number op right[d])) << #op; \
    }                                                                       \
  }
  CHECK_OPERATOR(+)
  CHECK_OPERATOR(-)
  CHECK_OPERATOR(*)
  CHECK_OPERATOR(/)
  CHECK_OPERATOR(%)
  CHECK_OPERATOR(<<)
  CHECK_OPERATOR(>>)
  CHECK_OPERATOR(&)
  CHECK_OPERATOR(|)
  CHECK_OPERATOR(^)
  CHECK_OPERATOR(&&)
  CHECK_OPERATOR(||)
  CHECK_OPERATOR(<)
  CHECK_OPERATOR(>)
  CHECK_OPERATOR(<=)
  CHECK_OPERATOR(>=)
#undef CHECK_OPERATOR
#define CHECK_ASSIGNMENT(op, assign)                                           \
  {                                                                            \
    Index by_index = a, by_number = a;                                         \
    EXPECT_EQ(&(by_index assign b), &by_index) << #assign;                     \
    EXPECT_EQ(&(by_number assign number), &by_number) << #assign;              \
    for (int d = 0; d < Index::dimensions; ++d) {                              \
      EXPECT_EQ(by_index[d], static_cast<size_t>(left[d] op right[d])) << #op; \
      EXPECT_EQ(by_number[d], static_cast<size_t>(left[d] op number)) << #op;  \
    }                                                                          \
  }
  CHECK_ASSIGNMENT(+, +=)
  CHECK_ASSIGNMENT(-, -=)
  CHECK_ASSIGNMENT(*, *=)
  CHECK_ASSIGNMENT(/, /=)
  CHECK_ASSIGNMENT(%, %=)
  CHECK_ASSIGNMENT(<<, <<=)
  CHECK_ASSIGNMENT(>>, >>=)
  CHECK_ASSIGNMENT(&, &=)
  CHECK_ASSIGNMENT(|, |=)
  CHECK_ASSIGNMENT(^, ^=)
#undef CHECK_ASSIGNMENT
  Index steps = a;
  const Index plus = +a, minus = -a, pre = ++steps, post = steps++, down = --steps,
              post_down = steps--;
  for (int d = 0; d < Index::dimensions; ++d) {
    EXPECT_EQ(plus[d], left[d]);
    EXPECT_EQ(minus[d], static_cast<size_t>(0) - left[d]);
    EXPECT_EQ(pre[d], left[d] + 1);
    EXPECT_EQ(post[d], left[d] + 1);
    EXPECT_EQ(down[d], left[d] + 1);
    EXPECT_EQ(post_down[d], left[d] + 1);
    EXPECT_EQ(steps[d], left[d]);
  }
}

TEST(range, has_its_members) {
  check_common_members(sycl::range<1>(3), sycl::range<1>(4));
  check_common_members(sycl::range<2>(3, 5), sycl::range<2>(3, 6));
  check_common_members(sycl::range<3>(3, 5, 7), sycl::range<3>(3, 5, 8));
  EXPECT_EQ(sycl::range<1>(3).size(), 3u);
  EXPECT_EQ(sycl::range<2>(3, 5).size(), 15u);
  EXPECT_EQ(sycl::range<3>(3, 5, 7).size(), 105u);
  static_assert(std::is_same_v<decltype(sycl::range(1)), sycl::range<1>>);
  static_assert(std::is_same_v<decltype(sycl::range(1, 2)), sycl::range<2>>);
  static_assert(std::is_same_v<decltype(sycl::range(1, 2, 3)), sycl::range<3>>);
}

TEST(range, has_its_operators) {
  check_operators<sycl::range<1>>();
  check_operators<sycl::range<2>>();
  check_operators<sycl::range<3>>();
}

TEST(id, has_its_members) {
  check_common_members(sycl::id<1>(3), sycl::id<1>(4));
  check_common_members(sycl::id<2>(3, 5), sycl::id<2>(3, 6));
  check_common_members(sycl::id<3>(3, 5, 7), sycl::id<3>(3, 5, 8));
  EXPECT_EQ(sycl::id<3>(), sycl::id<3>(0, 0, 0));
  EXPECT_EQ(sycl::id<2>(sycl::range<2>(4, 9)), sycl::id<2>(4, 9));
  const size_t number = sycl::id<1>(5);
  EXPECT_EQ(number, 5u);
  static_assert(std::is_same_v<decltype(sycl::id(1, 2)), sycl::id<2>>);
}

// Not of the specification: DPC++ has it, and programs such as Eigen use it.
TEST(id, converts_to_a_range_when_told_to) {
  const sycl::id<3> at(1, 2, 3);
  EXPECT_EQ((sycl::range<3>{at * sycl::range<3>(4, 5, 6)}), sycl::range<3>(4, 10, 18));
  EXPECT_EQ(sycl::range<2>(sycl::id<2>(7, 8)), sycl::range<2>(7, 8));
  static_assert(!std::is_convertible_v<sycl::id<2>, sycl::range<2>>);
  static_assert(!std::is_convertible_v<sycl::id<3>, sycl::range<3>>);
}

TEST(id, has_its_operators) {
  check_operators<sycl::id<1>>();
  check_operators<sycl::id<2>>();
  check_operators<sycl::id<3>>();
}

TEST(nd_range, without_arguments_is_empty) {
  const sycl::nd_range<2> space;
  EXPECT_TRUE(space == sycl::nd_range<2>({0, 0}, {0, 0}));
  EXPECT_TRUE(space.get_group_range() == sycl::range<2>(0, 0));
}

TEST(nd_range, has_its_members) {
  const sycl::nd_range<3> space(sycl::range<3>(8, 6, 4), sycl::range<3>(2, 3, 4));
  EXPECT_EQ(space.get_global_range(), sycl::range<3>(8, 6, 4));
  EXPECT_EQ(space.get_local_range(), sycl::range<3>(2, 3, 4));
  EXPECT_EQ(space.get_group_range(), sycl::range<3>(4, 2, 1));
  EXPECT_TRUE(space == sycl::nd_range<3>(space));
  EXPECT_TRUE(space != sycl::nd_range<3>(sycl::range<3>(8, 6, 4), sycl::range<3>(2, 3, 2)));
}

// 4.9.1.4: what an item says, seen from a kernel.
TEST(item, gives_its_place_and_range) {
  sycl::queue q;
  constexpr size_t rows = 5, columns = 7;
  size_t* const seen = sycl::malloc_shared<size_t>(rows * columns * 4, q);
  q.parallel_for(sycl::range<2>(rows, columns), [=](sycl::item<2> it) {
     const sycl::id<2> place = it;
     size_t* const out = seen + it.get_linear_id() * 4;
     out[0] = it.get_id(0);
     out[1] = place[1];
     out[2] = it.get_range(0) * 100 + it.get_range()[1];
     out[3] = it[0] == it.get_id()[0] && it[1] == it.get_id(1);
   }).wait();
  for (size_t i = 0; i < rows * columns; ++i) {
    EXPECT_EQ(seen[4 * i], i / columns);
    EXPECT_EQ(seen[4 * i + 1], i % columns);
    EXPECT_EQ(seen[4 * i + 2], rows * 100 + columns);
    EXPECT_EQ(seen[4 * i + 3], 1u);
  }
  sycl::free(seen, q);
}

// 4.9.1.4: items of a range with an offset, which SYCL 2020 deprecates.
TEST(item, with_an_offset_counts_its_place_from_there) {
  sycl::queue q;
  const sycl::range<2> range(3, 4);
  const sycl::id<2> offset(10, 20);
  std::size_t* const seen = sycl::malloc_shared<std::size_t>(range.size() * 3, q);
  q.submit([&](sycl::handler& h) {
     h.parallel_for(range, offset, [=](sycl::item<2> it) {
       std::size_t* const out = seen + it.get_linear_id() * 3;
       const sycl::item<2> copy = it;
       const sycl::item<2, true> same(it);
       out[0] = it.get_id(0) * 100 + it[1];
       out[1] = it.get_offset()[0] * 100 + it.get_offset()[1];
       out[2] = copy == it && !(copy != it) && same == it && it.get_range() == range;
     });
   }).wait();
  for (std::size_t i = 0; i < range.size(); ++i) {
    EXPECT_EQ(seen[3 * i], (10 + i / 4) * 100 + 20 + i % 4);
    EXPECT_EQ(seen[3 * i + 1], 1020u);
    EXPECT_EQ(seen[3 * i + 2], 1u);
  }
  sycl::free(seen, q);
}

TEST(item, equals_those_of_the_same_place_range_and_offset) {
  sycl::queue q;
  sycl::buffer<int, 1> b(sycl::range<1>(4));
  q.submit([&](sycl::handler& h) {
    sycl::accessor out(b, h, sycl::write_only, sycl::no_init);
    h.parallel_for(sycl::range<1>(4), [=](sycl::item<1, false> it) {
      const sycl::item<1, true> offset_of_zero = it;
      out[it] = it == it && offset_of_zero.get_id() == it.get_id() &&
                offset_of_zero.get_offset() == 0 && offset_of_zero.get_range() == 4 &&
                offset_of_zero.get_linear_id() == it.get_linear_id();
    });
  });
  for (const int result : b.get_host_access()) EXPECT_EQ(result, 1);
}

// 4.9.1.5: global, local and group numbers of an nd_item agree with each other in three dimensions.
TEST(nd_item, gives_its_place_in_the_range_and_in_the_group) {
  sycl::queue q;
  const sycl::range<3> global(4, 6, 8), local(2, 3, 4);
  int* const wrong = sycl::malloc_shared<int>(global.size(), q);
  for (size_t i = 0; i < global.size(); ++i) wrong[i] = -1;
  q.parallel_for(sycl::nd_range<3>(global, local), [=](sycl::nd_item<3> it) {
     int errors = 0;
     for (int d = 0; d < 3; ++d) {
       errors +=
           it.get_global_id(d) != it.get_group(d) * it.get_local_range(d) + it.get_local_id(d);
       errors += it.get_global_range(d) != it.get_group_range(d) * it.get_local_range(d);
       errors += it.get_global_id()[d] != it.get_global_id(d);
       errors += it.get_local_id()[d] != it.get_local_id(d);
       errors += it.get_group().get_group_id(d) != it.get_group(d);
     }
     errors += it.get_global_linear_id() !=
               (it.get_global_id(0) * 6 + it.get_global_id(1)) * 8 + it.get_global_id(2);
     errors += it.get_local_linear_id() !=
               (it.get_local_id(0) * 3 + it.get_local_id(1)) * 4 + it.get_local_id(2);
     errors +=
         it.get_group_linear_id() != (it.get_group(0) * 2 + it.get_group(1)) * 2 + it.get_group(2);
     errors += it.get_nd_range().get_global_range() != it.get_global_range();
     errors += it.get_nd_range().get_local_range() != it.get_local_range();
     wrong[it.get_global_linear_id()] = errors;
   }).wait();
  for (size_t i = 0; i < global.size(); ++i) EXPECT_EQ(wrong[i], 0) << i;
  sycl::free(wrong, q);
}

}  // namespace
