// SPDX-License-Identifier: Apache-2.0
// Which elements of the storage an access to a view asks for.
#include <gtest/gtest.h>

#include <sycl/detail/accessor/bind.hpp>
#include <sycl/sycl.hpp>

namespace {

using pianola::model::box;
using sycl::access_mode;

template <class T, int D>
pianola::runtime::accessor_request request(sycl::buffer<T, D>& b, sycl::range<D> part,
                                           sycl::id<D> offset) {
  return sycl::detail::make_request(b, access_mode::read_write, false, part, offset);
}

TEST(buffer_view, a_buffer_asks_for_the_access_range_padded_on_the_left) {
  sycl::buffer<int> line{10};
  EXPECT_EQ(request<>(line, sycl::range<1>(3), sycl::id<1>(2)).elements,
            (box{{{0, 0, 2}}, {{1, 1, 5}}}));
  sycl::buffer<int, 2> plane{{4, 5}};
  EXPECT_EQ(request(plane, sycl::range<2>(2, 3), sycl::id<2>(1, 2)).elements,
            (box{{{0, 1, 2}}, {{1, 3, 5}}}));
  sycl::buffer<int, 3> cube{{4, 5, 6}};
  const auto r = request(cube, sycl::range<3>(1, 2, 3), sycl::id<3>(3, 2, 1));
  EXPECT_EQ(r.elements, (box{{{3, 2, 1}}, {{4, 4, 4}}}));
  EXPECT_EQ(r.byte_offset, 0U);
}

TEST(buffer_view, a_sub_buffer_asks_for_its_elements_translated) {
  sycl::buffer<int, 2> plane{{4, 5}};
  sycl::buffer<int, 2> rows(plane, {1, 0}, {2, 5});
  const auto r = request(rows, sycl::range<2>(1, 2), sycl::id<2>(1, 3));
  EXPECT_EQ(r.elements, (box{{{0, 2, 3}}, {{1, 3, 5}}}));
  EXPECT_EQ(r.byte_offset, 5 * sizeof(int));
  sycl::buffer<int, 2> row_part(plane, {3, 2}, {1, 3});
  EXPECT_EQ(request(row_part, sycl::range<2>(1, 1), sycl::id<2>(0, 1)).elements,
            (box{{{0, 3, 3}}, {{1, 4, 4}}}));
}

TEST(buffer_view, a_reinterpreted_buffer_asks_for_a_covering_box) {
  sycl::buffer<int, 2> plane{{4, 8}};
  auto bytes = plane.reinterpret<char, 1>(sycl::range<1>(128));
  // Bytes 6..9 lie in the ints 1 and 2 of row 0.
  EXPECT_EQ(request(bytes, sycl::range<1>(4), sycl::id<1>(6)).elements,
            (box{{{0, 0, 1}}, {{1, 1, 3}}}));
  // Two rows are touched: both of them.
  EXPECT_EQ(request(bytes, sycl::range<1>(8), sycl::id<1>(28)).elements,
            (box{{{0, 0, 0}}, {{1, 2, 8}}}));
  auto reshaped = plane.reinterpret<int, 2>({8, 4});
  EXPECT_EQ(request(reshaped, sycl::range<2>(1, 2), sycl::id<2>(1, 1)).elements,
            (box{{{0, 0, 5}}, {{1, 1, 7}}}));
  sycl::buffer<int, 2> rows(plane, {2, 0}, {2, 8});
  auto halves = rows.reinterpret<short, 1>(sycl::range<1>(32));
  const auto r = request(halves, sycl::range<1>(3), sycl::id<1>(16));
  EXPECT_EQ(r.elements, (box{{{0, 3, 0}}, {{1, 4, 2}}}));
  EXPECT_EQ(r.byte_offset, 64U);
}

TEST(buffer_view, a_placeholder_of_a_view_asks_for_the_same_as_a_bound_accessor) {
  sycl::buffer<int, 2> plane{{4, 8}};
  sycl::buffer<int, 2> rows(plane, {2, 0}, {2, 8});
  auto halves = rows.reinterpret<short, 2>({4, 8});
  const sycl::accessor<short, 2> placeholder{halves, sycl::range<2>{2, 3}, sycl::id<2>{1, 2}};
  const auto again = sycl::detail::accessor_access::request_of(placeholder);
  const auto bound = request(halves, sycl::range<2>(2, 3), sycl::id<2>(1, 2));
  EXPECT_EQ(again.elements, bound.elements);
  EXPECT_EQ(again.byte_offset, bound.byte_offset);
  EXPECT_EQ(again.buffer, bound.buffer);
  const sycl::accessor<int, 2> of_rows{rows};
  EXPECT_EQ(sycl::detail::accessor_access::request_of(of_rows).elements,
            (box{{{0, 2, 0}}, {{1, 4, 8}}}));
}

TEST(buffer_view, equal_views_share_their_number_and_no_other_buffer_gets_it) {
  sycl::buffer<int> a{8};
  sycl::buffer<int> b{8};
  sycl::buffer<int> a1(a, 1, 2), a2(a, 1, 5), a3(a, 2, 2), b1(b, 1, 2);
  using access = sycl::detail::buffer_access;
  EXPECT_EQ(access::view(a1).index, access::view(a2).index);
  EXPECT_NE(access::view(a1).index, access::view(a3).index);
  EXPECT_NE(access::view(a1).index, access::view(b1).index);
  EXPECT_EQ(access::view(a).index, 0U);
}

TEST(buffer_view, an_empty_access_asks_for_nothing) {
  sycl::buffer<int, 2> plane{{4, 8}};
  EXPECT_TRUE(request(plane, sycl::range<2>(0, 3), sycl::id<2>(1, 1)).elements.empty());
}

}  // namespace
