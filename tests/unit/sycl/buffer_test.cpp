// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <list>
#include <memory>
#include <numeric>
#include <sycl/sycl.hpp>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "expect_error.hpp"

namespace {

using ::testing::HasSubstr;

template <class T, int D>
std::vector<T> contents_of(sycl::buffer<T, D>& b) {
  const sycl::host_accessor a{b, sycl::read_only};
  return std::vector<T>(a.begin(), a.end());
}

TEST(buffer, knows_its_range_and_size) {
  const sycl::buffer<double, 3> b{{2, 3, 4}};
  EXPECT_EQ(b.get_range(), sycl::range<3>(2, 3, 4));
  EXPECT_EQ(b.size(), 24U);
  EXPECT_EQ(b.byte_size(), 24 * sizeof(double));
  EXPECT_EQ(b.get_count(), b.size());
  EXPECT_EQ(b.get_size(), b.byte_size());
  EXPECT_FALSE(b.is_sub_buffer());
}

TEST(buffer, starts_with_the_data_of_every_kind_of_source) {
  std::vector<int> v(6);
  std::iota(v.begin(), v.end(), 1);
  const std::vector<int> constant = v;
  std::vector<int> other = v;
  const std::list<int> list(v.begin(), v.end());
  sycl::buffer<int, 2> from_pointer(other.data(), {2, 3});
  sycl::buffer<int, 2> from_const_pointer(constant.data(), {2, 3});
  sycl::buffer<int> from_container(v);
  sycl::buffer<int> from_const_container(constant);
  sycl::buffer<int> from_iterators(list.begin(), list.end());
  const std::shared_ptr<int[]> shared(new int[6]);
  std::copy(v.begin(), v.end(), shared.get());
  sycl::buffer<int> from_shared_array(shared, 6);
  sycl::buffer<int> from_shared(std::make_shared<int>(7), 1);
  EXPECT_EQ(contents_of(from_pointer), constant);
  EXPECT_EQ(contents_of(from_const_pointer), constant);
  EXPECT_EQ(contents_of(from_container), constant);
  EXPECT_EQ(contents_of(from_const_container), constant);
  EXPECT_EQ(contents_of(from_iterators), constant);
  EXPECT_EQ(contents_of(from_shared_array), constant);
  EXPECT_EQ(contents_of(from_shared), std::vector<int>{7});
}

TEST(buffer, of_bool_is_made_from_a_vector_of_bool_by_iterators) {
  const std::vector<bool> bits{true, false, true};
  sycl::buffer<bool> b(bits.begin(), bits.end());
  EXPECT_EQ(contents_of(b), bits);
}

TEST(buffer, deduces_its_type) {
  std::vector<float> v(4);
  const float* constant = v.data();
  static_assert(std::is_same<decltype(sycl::buffer(v)), sycl::buffer<float, 1>>::value);
  static_assert(
      std::is_same<decltype(sycl::buffer(v.begin(), v.end())), sycl::buffer<float>>::value);
  static_assert(std::is_same<decltype(sycl::buffer(v.data(), sycl::range{2, 2})),
                             sycl::buffer<float, 2>>::value);
  static_assert(std::is_same<decltype(sycl::buffer(constant, sycl::range{1, 2, 2})),
                             sycl::buffer<float, 3>>::value);
  static_assert(std::is_same<decltype(sycl::buffer(std::make_shared<int>(), sycl::range{1})),
                             sycl::buffer<int>>::value);
}

TEST(buffer, copies_refer_to_the_same_storage_and_are_equal) {
  sycl::buffer<int> a{4};
  sycl::buffer<int> b = a;
  const sycl::buffer<int> other{4};
  EXPECT_TRUE(a == b);
  EXPECT_TRUE(a != other);
  const std::unordered_set<sycl::buffer<int>> set{a, b, other};
  EXPECT_EQ(set.size(), 2U);
  {
    const sycl::host_accessor w{a, sycl::write_only};
    w[2] = 17;
  }
  EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[2], 17);
}

TEST(buffer, that_was_moved_from_says_so) {
  sycl::buffer<int> a{4};
  const sycl::buffer<int> b = std::move(a);
  EXPECT_EQ(error_code_of([&] { sycl::host_accessor h{a}; }), sycl::errc::invalid);
  EXPECT_THAT(error_text_of([&] { a.set_write_back(); }), HasSubstr("moved from"));
  EXPECT_FALSE(a.has_property<sycl::property::buffer::use_host_ptr>());
}

TEST(buffer, of_zero_elements_can_be_used) {
  sycl::buffer<int> a{0};
  EXPECT_EQ(a.size(), 0U);
  const sycl::host_accessor h{a};
  EXPECT_TRUE(h.empty());
  std::vector<int> none;
  sycl::buffer<int> b(none);
  sycl::queue q;
  q.submit([&](sycl::handler& g) {
     sycl::accessor x{a, g};
     sycl::accessor y{b, g, sycl::read_only};
     g.single_task([=] { static_cast<void>(x.size() + y.size()); });
   }).wait();
  EXPECT_NO_THROW((sycl::host_accessor<int, 0>{a}));
}

TEST(buffer, without_host_data_may_be_constructed_from_a_null_pointer) {
  sycl::buffer<int> b(static_cast<int*>(nullptr), 3);
  {
    const sycl::host_accessor w{b, sycl::write_only, sycl::no_init};
    std::fill(w.begin(), w.end(), 5);
  }
  EXPECT_EQ(contents_of(b), (std::vector<int>{5, 5, 5}));
}

TEST(buffer, too_large_for_the_address_space_is_refused) {
  EXPECT_EQ(
      error_code_of([] { sycl::buffer<int, 2> b{{std::size_t{1} << 40, std::size_t{1} << 40}}; }),
      sycl::errc::memory_allocation);
}

TEST(buffer, keeps_its_properties) {
  std::mutex m;
  std::vector<int> v(3);
  const sycl::buffer<int> b(v, {sycl::property::buffer::use_mutex(m)});
  EXPECT_TRUE(b.has_property<sycl::property::buffer::use_mutex>());
  EXPECT_EQ(b.get_property<sycl::property::buffer::use_mutex>().get_mutex_ptr(), &m);
  EXPECT_FALSE(b.has_property<sycl::property::buffer::use_host_ptr>());
  EXPECT_EQ(error_code_of(
                [&] { static_cast<void>(b.get_property<sycl::property::buffer::use_host_ptr>()); }),
            sycl::errc::invalid);
}

TEST(sub_buffer, shares_its_part_of_the_storage) {
  std::vector<int> v(12);
  std::iota(v.begin(), v.end(), 0);
  sycl::buffer<int, 2> b(v.data(), {3, 4});
  sycl::buffer<int, 2> rows(b, {1, 0}, {2, 4});
  EXPECT_TRUE(rows.is_sub_buffer());
  EXPECT_EQ(contents_of(rows), (std::vector<int>{4, 5, 6, 7, 8, 9, 10, 11}));
  sycl::buffer<int, 2> part_of_a_row(b, {2, 1}, {1, 2});
  {
    const sycl::host_accessor w{part_of_a_row};
    w[0][1] = 100;
  }
  EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[2][2], 100);
  EXPECT_TRUE(rows != part_of_a_row);
  EXPECT_TRUE((rows == sycl::buffer<int, 2>(b, {1, 0}, {2, 4})));
}

TEST(sub_buffer, errors_say_what_is_wrong) {
  sycl::buffer<int, 2> b{{3, 4}};
  EXPECT_EQ(error_code_of([&] { sycl::buffer<int, 2> s(b, {0, 1}, {2, 3}); }), sycl::errc::invalid);
  EXPECT_THAT(error_text_of([&] { sycl::buffer<int, 2> s(b, {0, 1}, {2, 3}); }),
              HasSubstr("not contiguous"));
  EXPECT_THAT(error_text_of([&] { sycl::buffer<int, 2> s(b, {2, 0}, {2, 4}); }),
              HasSubstr("dimension 0: offset {2, 0}, range {2, 4}, buffer range {3, 4}"));
  sycl::buffer<int, 2> s(b, {1, 0}, {2, 4});
  EXPECT_EQ(error_code_of([&] { sycl::buffer<int, 2> t(s, {0, 0}, {1, 4}); }), sycl::errc::invalid);
  sycl::buffer<int, 3> cube{{2, 2, 2}};
  EXPECT_NO_THROW((sycl::buffer<int, 3>(cube, {1, 0, 0}, {1, 2, 2})));
  EXPECT_NO_THROW((sycl::buffer<int, 3>(cube, {1, 1, 0}, {1, 1, 1})));
  EXPECT_THROW((sycl::buffer<int, 3>(cube, {0, 0, 0}, {2, 1, 2})), sycl::exception);
}

TEST(reinterpret, shows_the_same_bytes) {
  std::vector<std::uint32_t> v{0x01020304, 0x05060708};
  sycl::buffer<std::uint32_t> b(v);
  auto bytes = b.reinterpret<unsigned char>();
  EXPECT_EQ(bytes.size(), 8U);
  EXPECT_EQ(sycl::host_accessor(bytes, sycl::read_only)[4], 8);
  auto matrix = b.reinterpret<std::uint16_t, 2>({2, 2});
  {
    const sycl::host_accessor w{matrix};
    w[1][0] = 0xffff;
  }
  EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[1], 0x0506ffffU);
  auto same = matrix.reinterpret<std::int16_t, 2>();
  EXPECT_EQ(same.get_range(), sycl::range<2>(2, 2));
  EXPECT_EQ(contents_of(same)[2], -1);
}

TEST(reinterpret, needs_the_same_number_of_bytes) {
  sycl::buffer<int> b{3};
  EXPECT_EQ(error_code_of([&] { b.reinterpret<char, 1>(sycl::range<1>(11)); }),
            sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { b.reinterpret<double>(); }), sycl::errc::invalid);
  sycl::buffer<int> odd(b, 1, 2);
  EXPECT_EQ(error_code_of([&] { odd.reinterpret<double>(); }), sycl::errc::invalid);
}

TEST(reinterpret, of_a_sub_buffer_is_a_sub_buffer) {
  std::vector<int> v(8);
  std::iota(v.begin(), v.end(), 0);
  sycl::buffer<int> b(v);
  sycl::buffer<int> s(b, 2, 4);
  auto r = s.reinterpret<int, 2>({2, 2});
  EXPECT_TRUE(r.is_sub_buffer());
  EXPECT_EQ(contents_of(r), (std::vector<int>{2, 3, 4, 5}));
}

}  // namespace
