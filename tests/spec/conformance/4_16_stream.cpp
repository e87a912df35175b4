// SPDX-License-Identifier: Apache-2.0
// 4.16: the stream class.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "errors.hpp"

namespace {

/// What a command group prints until it is complete.
template <class Group>
std::string printed(Group&& group) {
  testing::internal::CaptureStdout();
  {
    sycl::queue q;
    q.submit(group).wait();
  }
  return testing::internal::GetCapturedStdout();
}
/// What a work-item prints with body(stream).
#define PRINTED(...)                      \
  printed([&](sycl::handler& h) {         \
    const sycl::stream out(4096, 512, h); \
    h.single_task([=] { __VA_ARGS__; });  \
  })

std::vector<std::string> sorted_lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST(stream, prints_characters_and_text) {
  EXPECT_EQ(PRINTED(out << "text" << ' ' << 'c' << sycl::endl), "text c\n");
  EXPECT_EQ(PRINTED(const char* p = "pointer"; out << p << ""; out << "x" << sycl::flush),
            "pointerx");
  EXPECT_EQ(PRINTED(char own[] = "array"; own[0] = 'A'; out << own), "Array");
}

TEST(stream, prints_long_text_in_one_piece) {
  const std::string expected(600, 'z');
  EXPECT_EQ(PRINTED(char text[601]; for (int i = 0; i < 600; ++i) text[i] = 'z'; text[600] = '\0';
                    out << text << "\n"),
            expected + "\n");
}

TEST(stream, prints_integers_of_all_types) {
  EXPECT_EQ(
      PRINTED(out << -1 << ' ' << 2U << ' ' << -3L << ' ' << 4UL << ' ' << -5LL << ' ' << 6ULL),
      "-1 2 -3 4 -5 6");
  EXPECT_EQ(PRINTED(out << static_cast<short>(-7) << ' ' << static_cast<unsigned short>(8) << ' '
                        << static_cast<signed char>(-9) << ' ' << static_cast<unsigned char>(10)),
            "-7 8 -9 10");
  EXPECT_EQ(PRINTED(out << -9223372036854775807LL - 1 << ' ' << 18446744073709551615ULL),
            "-9223372036854775808 18446744073709551615");
  EXPECT_EQ(PRINTED(out << true << ' ' << false << ' ' << sycl::byte{200}), "true false 200");
}

TEST(stream, prints_floating_point_numbers) {
  EXPECT_EQ(
      PRINTED(out << 1.5F << ' ' << -0.1 << ' ' << 1e30 << ' ' << 100000.0 << ' ' << 1234567.0F),
      "1.5 -0.1 1e+30 100000 1.23457e+06");
  EXPECT_EQ(PRINTED(out << sycl::half(0.25F)), "0.25");
  EXPECT_EQ(PRINTED(const double zero = 0; out << 1 / zero << ' ' << -1 / zero), "inf -inf");
}

TEST(stream, prints_pointers) {
  EXPECT_EQ(PRINTED(out << reinterpret_cast<int*>(0xab) << ' ' << nullptr), "0xab 0x0");
}

TEST(stream, prints_vectors_and_arrays) {
  EXPECT_EQ(PRINTED(out << sycl::vec<int, 1>(1) << ' ' << sycl::vec<int, 2>(1, 2) << ' '
                        << sycl::vec<float, 3>(1.5F, 2, 3) << ' '
                        << sycl::vec<sycl::cl_uchar, 4>(1, 2, 3, 4)),
            "1 1, 2 1.5, 2, 3 1, 2, 3, 4");
  EXPECT_EQ(PRINTED(const sycl::vec<int, 4> v(1, 2, 3, 4); out << v.lo() << ' ' << v.hi()),
            "1, 2 3, 4");
  EXPECT_EQ(PRINTED(out << sycl::marray<double, 3>(0.5, 1, 2)), "0.5, 1, 2");
}

TEST(stream, prints_ids_ranges_and_items) {
  EXPECT_EQ(PRINTED(out << sycl::id<1>(1) << sycl::id<2>(1, 2) << sycl::id<3>(1, 2, 3)),
            "{1}{1, 2}{1, 2, 3}");
  EXPECT_EQ(PRINTED(out << sycl::range<2>(3, 4)), "{3, 4}");
  EXPECT_EQ(PRINTED(out << sycl::nd_range<1>(8, 4)),
            "nd_range(global_range: {8}, local_range: {4}, offset: {0})");
  EXPECT_EQ(printed([](sycl::handler& h) {
              const sycl::stream out(1024, 256, h);
              h.parallel_for(sycl::range<1>(1), [=](sycl::item<1, false> i) { out << i; });
            }),
            "item(range: {1}, id: {0})");
  EXPECT_EQ(sorted_lines(printed([](sycl::handler& h) {
              const sycl::stream out(4096, 256, h);
              h.parallel_for(sycl::nd_range<1>(2, 1), [=](sycl::nd_item<1> i) {
                out << i << ' ' << i.get_group() << sycl::endl;
              });
            })),
            (std::vector<std::string>{
                "nd_item(global_id: {0}, local_id: {0}) group(id: {0}, group_range: {2})",
                "nd_item(global_id: {1}, local_id: {0}) group(id: {1}, group_range: {2})"}));
}

TEST(stream, obeys_manipulators_of_integers) {
  EXPECT_EQ(PRINTED(out << sycl::hex << 255 << ' ' << sycl::showbase << 255 << ' ' << sycl::oct << 8
                        << ' ' << sycl::noshowbase << 8 << ' ' << sycl::dec << 8),
            "ff 0xff 010 10 8");
  EXPECT_EQ(PRINTED(out << sycl::hex << -1 << ' ' << static_cast<short>(-1)), "ffffffff ffff");
  EXPECT_EQ(
      PRINTED(out << sycl::showpos << 1 << ' ' << -1 << ' ' << 0.5 << ' ' << sycl::noshowpos << 1),
      "+1 -1 +0.5 1");
  EXPECT_EQ(PRINTED(out << sycl::setw(5) << 42 << '|' << 42 << sycl::setw(3) << 'x'),
            "   42|42  x");
}

TEST(stream, obeys_manipulators_of_floating_point_numbers) {
  EXPECT_EQ(PRINTED(out << sycl::setprecision(3) << 3.14159 << ' ' << sycl::fixed << 2.5 << ' '
                        << sycl::scientific << 12345.678 << ' ' << sycl::defaultfloat << 2.0),
            "3.14 2.500 1.235e+04 2");
  EXPECT_EQ(PRINTED(out << sycl::hexfloat << 1.0), "0x1p+0");
  EXPECT_EQ(PRINTED(out << sycl::fixed << sycl::setprecision(0) << 7.0), "7");
}

TEST(stream, keeps_manipulators_within_their_expression) {
  EXPECT_EQ(PRINTED(out << sycl::hex << 16; out << ' ' << 16), "10 16");
}

TEST(stream, keeps_the_expressions_of_a_work_item_in_order_and_together) {
  constexpr int items = 64;
  const std::string text = printed([](sycl::handler& h) {
    const sycl::stream out(1 << 16, 256, h);
    h.parallel_for(sycl::range<1>(items), [=](sycl::id<1> i) {
      out << "first of " << i[0] << sycl::endl;
      out << "second of " << i[0] << sycl::endl;
    });
  });
  std::vector<std::string> expected;
  for (int i = 0; i < items; ++i) {
    const std::string number = std::to_string(i);
    expected.push_back("first of " + number);
    expected.push_back("second of " + number);
    EXPECT_LT(text.find("first of " + number + "\n"), text.find("second of " + number + "\n"));
  }
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(sorted_lines(text), expected);
}

struct money {
  int amount;
};
const sycl::stream& operator<<(const sycl::stream& out, const money& m) {
  return out << m.amount << " coins";
}

TEST(stream, works_with_operators_of_the_program) {
  EXPECT_EQ(PRINTED(out << "I have " << money{3} << ", he has " << money{4} << sycl::endl),
            "I have 3 coins, he has 4 coins\n");
}

TEST(stream, prints_no_more_than_its_size) {
  const std::string text = printed([](sycl::handler& h) {
    const sycl::stream out(10, 10, h);
    h.parallel_for(sycl::range<1>(100), [=](sycl::id<1>) { out << "abc"; });
  });
  EXPECT_EQ(text, "abcabcabca");
}

TEST(stream, prints_with_others_and_with_accessors_and_reductions_in_one_command_group) {
  int sum = 0;
  const std::string text = printed([&](sycl::handler& h) {
    const sycl::stream one(256, 64, h), two(256, 64, h);
    h.single_task([=] {
      one << "one";
      two << "two";
    });
  });
  EXPECT_EQ(text, "onetwo");
  {
    sycl::buffer<int, 1> b(&sum, sycl::range<1>(1));
    const std::string lines = printed([&](sycl::handler& h) {
      const sycl::stream out(4096, 64, h);
      h.parallel_for(sycl::range<1>(4), sycl::reduction(b, h, sycl::plus<int>()),
                     [=](sycl::id<1> i, auto& to) {
                       to += static_cast<int>(i[0]);
                       out << i[0] << sycl::endl;
                     });
    });
    EXPECT_EQ(sorted_lines(lines), (std::vector<std::string>{"0", "1", "2", "3"}));
  }
  EXPECT_EQ(sum, 6);
}

TEST(stream, prints_each_time_that_a_graph_is_replayed) {
  namespace experimental = sycl::ext::oneapi::experimental;
  sycl::queue q;
  experimental::command_graph graph(q);
  graph.add([](sycl::handler& h) {
    const sycl::stream out(64, 64, h);
    h.single_task([=] { out << "again "; });
  });
  auto executable = graph.finalize();
  testing::internal::CaptureStdout();
  q.ext_oneapi_graph(executable).wait();
  q.ext_oneapi_graph(executable).wait();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "again again ");
}

TEST(stream, tells_its_sizes) {
  sycl::queue q;
  q.submit([](sycl::handler& h) {
    const sycl::stream out(1000, 80, h, sycl::property_list{});
    EXPECT_EQ(out.size(), 1000U);
    EXPECT_EQ(out.get_size(), 1000U);
    EXPECT_EQ(out.get_work_item_buffer_size(), 80U);
    EXPECT_EQ(out.get_max_statement_size(), 80U);
    EXPECT_FALSE(out.has_property<sycl::property::no_init>());
    EXPECT_EQ(code_of([&] { out.get_property<sycl::property::no_init>(); }), sycl::errc::invalid);
    const sycl::stream copy = out, other(1000, 80, h);
    EXPECT_TRUE(copy == out);
    EXPECT_TRUE(other != out);
    EXPECT_EQ(std::hash<sycl::stream>()(copy), std::hash<sycl::stream>()(out));
    h.single_task([] {});
  });
  q.wait();
}

static_assert(!std::is_default_constructible_v<sycl::stream>);
static_assert(std::is_trivially_copyable_v<sycl::stream>);

}  // namespace
