// SPDX-License-Identifier: Apache-2.0
// host only: other devices have no such variables
// sycl_ext_oneapi_device_global, of the CPU.
#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include <cstddef>
#include <type_traits>
#include <vector>

#include "expect_error.hpp"

namespace {

namespace exp = sycl::ext::oneapi::experimental;

struct point {
  int x, y;
};

exp::device_global<int> number;
exp::device_global<int[4]> row;
exp::device_global<int[2][3]> table;
exp::device_global<point, decltype(exp::properties(exp::device_image_scope))> place;
exp::device_global<int, decltype(exp::properties(exp::host_access_read))> only_read;
exp::device_global<const int> constant;
exp::device_global<const int[2]> constants;
struct holder {
  static exp::device_global<float> member;
};
exp::device_global<float> holder::member;
#if defined(__cpp_consteval)
exp::device_global<float> started{4.5};
exp::device_global<int[3]> filled{5, 2, 3};
exp::device_global<const point> fixed{7, 8};
#endif

bool on_cpu(const sycl::queue& q) { return q.get_backend() == sycl::backend::openmp; }

TEST(device_global, is_a_variable_of_kernels_that_the_host_copies_to_and_from) {
  sycl::queue q{sycl::property::queue::in_order()};
  if (!on_cpu(q)) GTEST_SKIP() << "of the CPU only";
  int read = 1;
  q.memcpy(&read, number).wait();
  EXPECT_EQ(read, 0) << "zero at first";
  const int five = 5;
  q.memcpy(number, &five);
  q.single_task([=] {
    number = number + 2;
    number.get() *= 10;
  });
  q.memcpy(&read, number, sizeof(int), 0).wait();
  EXPECT_EQ(read, 70);

  const int values[] = {1, 2, 3, 4};
  q.copy(values, row);
  q.copy(values, row, 2, 1);
  q.parallel_for(sycl::range<1>(4), [=](sycl::id<1> i) {
    row[static_cast<std::ptrdiff_t>(i[0])] += static_cast<int>(10 * i[0]);
  });
  std::vector<int> back(4);
  q.copy(row, back.data()).wait();
  EXPECT_EQ(back, (std::vector<int>{1, 11, 22, 34}));
  q.copy(row, back.data(), 1, 3).wait();
  EXPECT_EQ(back[0], 34);

  q.single_task([=] {
    for (int i = 0; i < 2; ++i)
      for (int k = 0; k < 3; ++k) table[i][k] = 10 * i + k;
    place.get().y = table[1][2];
    holder::member = 0.5F;
    *number.get_multi_ptr<sycl::access::decorated::no>() = 3;
    only_read = 9;
  });
  int flat[6];
  q.copy(table, flat);
  point p{1, 1};
  q.memcpy(&p, place);
  q.memcpy(&read, only_read).wait();
  EXPECT_EQ(flat[5], 12);
  EXPECT_EQ(p.x, 0);
  EXPECT_EQ(p.y, 12);
  EXPECT_EQ(read, 9);
}

TEST(device_global, is_copied_by_command_groups_and_after_events) {
  sycl::queue q;
  if (!on_cpu(q)) GTEST_SKIP() << "of the CPU only";
  const int values[] = {6, 7};
  int back[2] = {};
  const sycl::event written = q.submit([&](sycl::handler& h) { h.copy(values, row, 2, 2); });
  const sycl::event read = q.copy(row, back, 2, 2, written);
  float f = 1;
  q.memcpy(&f, holder::member, sizeof(char), 3, std::vector<sycl::event>{read, written}).wait();
  q.wait();
  EXPECT_EQ(back[0], 6);
  EXPECT_EQ(back[1], 7);
}

TEST(device_global, of_a_constant_is_written_by_commands_alone) {
  sycl::queue q{sycl::property::queue::in_order()};
  if (!on_cpu(q)) GTEST_SKIP() << "of the CPU only";
  const int nine = 9, two[] = {3, 4};
  int* const sum = sycl::malloc_shared<int>(1, q);
  q.memcpy(constant, &nine);
  q.copy(two, constants);
  q.single_task([=] { *sum = constant + constants[0] + constants[1]; });
  int read = 0;
  q.memcpy(&read, constant).wait();
  EXPECT_EQ(read, 9);
  EXPECT_EQ(*sum, 16);
  static_assert(std::is_same_v<decltype(constant.get()), const int&>);
  sycl::free(sum, q);
}

TEST(device_global, has_properties) {
  using with = decltype(place);
  static_assert(with::has_property<exp::device_image_scope_key>());
  static_assert(!decltype(number)::has_property<exp::device_image_scope_key>());
  static_assert(std::is_same_v<decltype(only_read)::element_type, int>);
  static_assert(std::is_same_v<decltype(row)::element_type, int>);
  static_assert(exp::is_property_key_of_v<exp::host_access_key, with>);
  static_assert(!std::is_move_constructible_v<with> && !std::is_copy_assignable_v<with>);
}

#if defined(__cpp_consteval)
TEST(device_global, may_start_with_values) {
  sycl::queue q;
  if (!on_cpu(q)) GTEST_SKIP() << "of the CPU only";
  float f = 0;
  int three[3] = {};
  point p{};
  q.memcpy(&f, started).wait();
  q.copy(filled, three).wait();
  q.memcpy(&p, fixed).wait();
  EXPECT_EQ(f, 4.5F);
  EXPECT_EQ(three[0] * 100 + three[1] * 10 + three[2], 523);
  EXPECT_EQ(p.x * 10 + p.y, 78);
}
#endif

// An error by sycl_ext_oneapi_graph.
TEST(device_global, is_copied_to_and_from_by_nodes_of_a_graph) {
  sycl::queue q{sycl::property::queue::in_order()};
  if (!on_cpu(q)) GTEST_SKIP() << "of the CPU only";
  int from = 0, to = 0;
  exp::command_graph graph{q};
  graph.begin_recording(q);
  q.memcpy(number, &from);
  q.single_task([=] { number = number + 1; });
  q.memcpy(&to, number);
  graph.end_recording(q);
  const auto body = graph.finalize();
  for (from = 5; from < 8; ++from) {
    q.ext_oneapi_graph(body).wait();
    EXPECT_EQ(to, from + 1);
  }
}

TEST(device_global, refuses_bytes_that_it_does_not_have) {
  sycl::queue q;
  int values[5] = {};
  EXPECT_EQ(error_code_of([&] { q.copy(values, row, 5); }), sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { q.copy(values, row, 2, 3); }), sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { q.memcpy(values, number, 1, 4); }), sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { q.memcpy(values, number, 1, 5); }), sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { q.copy(row, values, static_cast<std::size_t>(-1), 1); }),
            sycl::errc::invalid);
}

TEST(device_global, is_refused_where_there_are_none) {
  sycl::queue q;
  if (on_cpu(q)) GTEST_SKIP() << "of other devices";
  int value = 0;
  EXPECT_EQ(error_code_of([&] { q.memcpy(number, &value); }), sycl::errc::feature_not_supported);
  EXPECT_EQ(error_code_of([&] { q.memcpy(&value, number); }), sycl::errc::feature_not_supported);
}

}  // namespace
