// SPDX-License-Identifier: Apache-2.0
// sycl_ext_oneapi_device_global. Simulated devices, whose kernels are the processor's, have no variables of their own.
#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include <cstddef>
#include <type_traits>
#include <vector>

#include "device_global_units.hpp"
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
template <class T>
struct holder_of {
  static inline exp::device_global<T> member;
};
template <int N>
inline exp::device_global<int> other;
namespace {
exp::device_global<int> hidden;
}
exp::device_global<int> unwritten;
#if defined(__cpp_consteval)
exp::device_global<float> started{4.5};
exp::device_global<int[3]> filled{5, 2, 3};
exp::device_global<const point> fixed{7, 8};
exp::device_global<float> begun{2.5};
exp::device_global<int[3]> begun_row{5, 2, 6};
exp::device_global<float, decltype(exp::properties(exp::device_constant))> original{6.0F};
exp::device_global<float, decltype(exp::properties(exp::device_constant))> copied{original};
exp::device_global<int> converted{original};
exp::device_global<const double, decltype(exp::properties(exp::host_access_read))> other_copy{
    converted};
#endif

bool has_variables(const sycl::device& d) { return d.get_backend() != sycl::backend::simulated; }
bool has_variables(const sycl::queue& q) { return has_variables(q.get_device()); }

[[gnu::noinline]] int doubled(exp::device_global<int>& of) { return of = 2 * of; }
[[gnu::noinline]] int& fourth() { return row[3]; }

TEST(device_global, is_a_variable_of_kernels_that_the_host_copies_to_and_from) {
  sycl::queue q{sycl::property::queue::in_order()};
  if (!has_variables(q)) GTEST_SKIP() << "of other devices";
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
  if (!has_variables(q)) GTEST_SKIP() << "of other devices";
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
  if (!has_variables(q)) GTEST_SKIP() << "of other devices";
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

TEST(device_global, is_reached_through_functions_and_members_of_templates) {
  sycl::queue q{sycl::property::queue::in_order()};
  if (!has_variables(q)) GTEST_SKIP() << "of other devices";
  const int four = 4, zeros[4] = {};
  q.memcpy(number, &four);
  q.copy(zeros, row);
  q.single_task([=] {
    fourth() = doubled(number);
    holder_of<int>::member = fourth() + 1;
    other<2> = holder_of<int>::member.get() + 1;
    hidden = other<2> + 1;
  });
  int n = 0, last = 0, member = 0, second = 0, kept = 0;
  q.memcpy(&n, number);
  q.copy(row, &last, 1, 3);
  q.memcpy(&member, holder_of<int>::member);
  q.memcpy(&second, other<2>);
  q.memcpy(&kept, hidden).wait();
  EXPECT_EQ(n, 8);
  EXPECT_EQ(last, 8);
  EXPECT_EQ(member, 9);
  EXPECT_EQ(second, 10);
  EXPECT_EQ(kept, 11);
}

TEST(device_global, is_one_object_for_all_units) {
  namespace units = device_global_units;
  sycl::queue q{sycl::property::queue::in_order()};
  if (!has_variables(q)) GTEST_SKIP() << "of other devices";
  int* const added = sycl::malloc_shared<int>(1, q);
  const int one = 1;
  q.memcpy(units::shared, &one);
  q.single_task([=] { units::shared = units::shared + 1; });
  units::add_here(q, 20);
  q.single_task([=] { *added = units::add(300); });
  int read = 0;
  q.memcpy(&read, units::shared).wait();
  EXPECT_EQ(read, 322);
  EXPECT_EQ(*added, 322);
  sycl::free(added, q);
}

TEST(device_global, is_another_object_on_each_device_with_memory_of_its_own) {
  std::vector<sycl::queue> queues;
  for (const sycl::device& d : sycl::queue().get_device().get_platform().get_devices())
    if (has_variables(d)) queues.emplace_back(d, sycl::property::queue::in_order());
  if (queues.empty()) GTEST_SKIP() << "of other devices";
  std::vector<int> values(queues.size());
  for (std::size_t i = 0; i < queues.size(); ++i) {
    values[i] = static_cast<int>(10 * i);
    queues[i].memcpy(number, &values[i]).wait();
  }
  for (sycl::queue& q : queues) q.single_task([=] { number = number + 1; });
  for (std::size_t i = 0; i < queues.size(); ++i) {
    int read = 0;
    queues[i].memcpy(&read, number).wait();
    EXPECT_EQ(read, values[i] + 1) << "device " << i;
  }
}

#if defined(__cpp_consteval)
TEST(device_global, starts_with_its_values_in_kernels) {
  sycl::queue q;
  if (!has_variables(q)) GTEST_SKIP() << "of other devices";
  float* const sum = sycl::malloc_shared<float>(1, q);
  q.single_task([=] {
     *sum = begun.get() + static_cast<float>(begun_row[0] + begun_row[2]) +
            static_cast<float>(fixed.get().x + unwritten.get());
   }).wait();
  EXPECT_EQ(*sum, 2.5F + 11 + 7);
  sycl::free(sum, q);
}

TEST(device_global, starts_with_a_copy_of_another_one) {
  sycl::queue q;
  if (!has_variables(q)) GTEST_SKIP() << "of other devices";
  double* const values = sycl::malloc_shared<double>(3, q);
  q.single_task([=] {
     values[0] = copied.get();
     values[1] = converted.get();
     values[2] = other_copy.get();
   }).wait();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values[i], 6) << i;
  double read = 0;
  q.memcpy(&read, other_copy).wait();
  EXPECT_EQ(read, 6);
  sycl::free(values, q);
}

TEST(device_global, may_start_with_values) {
  sycl::queue q;
  if (!has_variables(q)) GTEST_SKIP() << "of other devices";
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
TEST(device_global, is_copied_to_and_from_by_nodes_that_are_added_to_a_graph) {
  sycl::queue q;
  if (!has_variables(q)) GTEST_SKIP() << "of other devices";
  int from = 20, to = 0;
  exp::command_graph graph{q};
  const auto write = graph.add([&](sycl::handler& h) { h.memcpy(number, &from); });
  const auto change =
      graph.add([&](sycl::handler& h) { h.single_task([=] { number = number + 2; }); },
                {exp::property::node::depends_on(write)});
  graph.add([&](sycl::handler& h) { h.memcpy(&to, number); },
            {exp::property::node::depends_on(change)});
  q.ext_oneapi_graph(graph.finalize()).wait();
  EXPECT_EQ(to, 22);
}

// An error by sycl_ext_oneapi_graph.
TEST(device_global, is_copied_to_and_from_by_nodes_of_a_graph) {
  sycl::queue q{sycl::property::queue::in_order()};
  if (!has_variables(q)) GTEST_SKIP() << "of other devices";
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
  if (has_variables(q)) GTEST_SKIP() << "of simulated devices";
  int value = 0;
  EXPECT_EQ(error_code_of([&] { q.memcpy(number, &value); }), sycl::errc::feature_not_supported);
  EXPECT_EQ(error_code_of([&] { q.memcpy(&value, number); }), sycl::errc::feature_not_supported);
}

}  // namespace
