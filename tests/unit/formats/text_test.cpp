// SPDX-License-Identifier: Apache-2.0
#include <pianola/formats/text.hpp>

#include <array>
#include <limits>
#include <typeinfo>

#include <gtest/gtest.h>

#include <pianola/formats/file.hpp>
#include <pianola/formats/json_writer.hpp>
#include <pianola/model/error.hpp>

namespace {

using namespace pianola;
using namespace pianola::formats;

template <class T>
struct stencil {};

TEST(text, replaces_each_byte_that_is_no_utf8) {
  EXPECT_EQ(valid_utf8("a\xC3\xA9z"), "a\xC3\xA9z");
  EXPECT_EQ(valid_utf8("a\xFF\xC3"), "a\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(text, keeps_control_characters_off_a_line) {
  EXPECT_EQ(one_line("a\nb\x1b[31m\x7f\xC2\x9B\t"), "a b [31m   ");
  // A separator of lines; text from right to left, embedded and isolated. A dash and a no-break space are text.
  EXPECT_EQ(one_line("a\xE2\x80\xA8"
                     "b\xE2\x80\xAE"
                     "c\xE2\x81\xA6"
                     "d"),
            "a b c d");
  EXPECT_EQ(one_line("\xE2\x80\x94\xC2\xA0"), "\xE2\x80\x94\xC2\xA0");
}

TEST(text, shortens_in_the_middle_by_characters_and_not_by_bytes) {
  EXPECT_EQ(one_line("abcdefghijkl", 8), "ab...jkl");
  EXPECT_EQ(one_line("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(one_line("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", 8),
            "\xC3\xA9\xC3\xA9...\xC3\xA9\xC3\xA9\xC3\xA9");
}

TEST(text, demangles_type_names_and_leaves_plain_names_alone) {
  EXPECT_NE(demangled(typeid(stencil<float>).name()).find("stencil<float>"), std::string::npos);
  EXPECT_EQ(demangled("f"), "f") << "not float";
  EXPECT_EQ(demangled("jacobi"), "jacobi");
  EXPECT_EQ(demangled(""), "");
  EXPECT_EQ(demangled("_not a name"), "_not a name");
}

TEST(text, shortens_the_names_of_kernels_that_are_lambdas) {
  EXPECT_EQ(short_name("heat(sycl::queue&, int)::{lambda(sycl::handler&)#1}::operator()"
                       "(sycl::handler&) const::{lambda(sycl::item<2>)#2}"),
            "heat::lambda#1::lambda#2");
  EXPECT_EQ(short_name("(anonymous namespace)::blur"), "blur");
  EXPECT_EQ(short_name("demo::stencil<float>"), "demo::stencil<float>");
  EXPECT_EQ(
      short_name("demo::stencil<float, std::integral_constant<unsigned long, 1024ul> >::tile"),
      "demo::stencil<>::tile");
}

TEST(text, keeps_the_place_of_a_lambda_in_short_names) {
  EXPECT_EQ(short_name("(lambda at main.cpp:136:36)"), "lambda at main.cpp:136");
  EXPECT_EQ(short_name("main::'lambda'(sycl::id<1>) (lambda at main.cpp:136:36)"),
            "main::lambda at main.cpp:136");
  EXPECT_EQ(short_name("scaled<(lambda at a.cpp:1:2)>"), "scaled<lambda at a.cpp:1>");
  for (const char* name : {"(lambda at ", "(lambda at )", "(lambda at :)", "(lambda at x"})
    EXPECT_LE(short_name(name).size(), 48U) << name;
}

TEST(text, tells_places_in_sources_from_names) {
  for (const auto& [name, place, without] :
       {std::array{"memcpy at main.cpp:12", "main.cpp:12", "memcpy"},
        std::array{"main::'lambda'() (lambda at a.cpp:136:36)", "a.cpp:136:36",
                   "main::'lambda'() (lambda)"},
        std::array{"f<(lambda at a.cpp:1:2), (lambda at b.cpp:3:4)>", "b.cpp:3:4",
                   "f<(lambda), (lambda)>"},
        std::array{"f((lambda at my dir/k.cpp:4:1), int)", "my dir/k.cpp:4:1", "f((lambda), int)"},
        std::array{"fill at my file.cpp:7", "my file.cpp:7", "fill"},
        std::array{"look at me", "", "look at me"}, std::array{" at ", "", " at "},
        std::array{"x at :1", "", "x at :1"}, std::array{"x at a:", "", "x at a:"},
        std::array{"x at y at a:1", "a:1", "x at y"}, std::array{"", "", ""}}) {
    EXPECT_EQ(source_place(name), place);
    EXPECT_EQ(without_source_places(name), without);
  }
}

TEST(text, shortens_names_with_brackets_that_do_not_match) {
  for (const char* name :
       {"((((", "a<b<c", "{lambda(", "'lambda", "a::operator()(", "}>)", "{lambda(#"})
    EXPECT_LE(short_name(name).size(), 48U) << name;
}

TEST(text, writes_sizes_for_people) {
  EXPECT_EQ(bytes(0), "0 B");
  EXPECT_EQ(bytes(1023), "1023 B");
  EXPECT_EQ(bytes(4096), "4 KiB");
  EXPECT_EQ(bytes(1536 * 1024), "1.5 MiB");
  EXPECT_EQ(bytes(UINT64_MAX), "16 EiB");
}

TEST(text, tells_times_in_three_digits) {
  EXPECT_EQ(seconds(0), "0 s");
  EXPECT_EQ(seconds(3.5e-10), "0.35 ns");
  EXPECT_EQ(seconds(1.234e-5), "12.3 us");
  EXPECT_EQ(seconds(9.9999e-7), "1.00 us") << "and not 1000 ns";
  EXPECT_EQ(seconds(0.0015), "1.50 ms");
  EXPECT_EQ(seconds(0.15), "150 ms");
  EXPECT_EQ(seconds(99.99), "100 s");
  EXPECT_EQ(seconds(123456), "123456 s");
}

TEST(text, writes_boxes_in_the_dimensions_of_the_user) {
  const model::box b{{{0, 2, 4}}, {{1, 8, 16}}};
  EXPECT_EQ(box_text(b, 1), "[4,16)");
  EXPECT_EQ(box_text(b, 2), "[2,8)x[4,16)");
  EXPECT_EQ(box_text(b, 3), "[0,1)x[2,8)x[4,16)");
}

TEST(json_writer, escapes_what_json_cannot_hold) {
  json_writer json;
  json.text("a\"\\\n\x01\xFF");
  EXPECT_EQ(json.finish(), "\"a\\\"\\\\\\n\\u0001\xEF\xBF\xBD\"\n");
}

TEST(json_writer, escapes_what_steers_terminals_and_turns_text_around) {
  json_writer json;
  json.text(
      "\x7F\xC2\x9B"
      "31m\xE2\x80\xAE \xE2\x80\x94\xC2\xA0");
  EXPECT_EQ(json.finish(), "\"\\u007f\\u009b31m\\u202e \xE2\x80\x94\xC2\xA0\"\n");
}

TEST(json_writer, refuses_numbers_that_json_cannot_hold) {
  json_writer json;
  EXPECT_THROW(json.number(std::numeric_limits<double>::infinity(), "a bandwidth"),
               model::user_error);
}

TEST(json_writer, puts_each_member_on_a_line_where_asked_to) {
  json_writer json;
  json.open_object(json_writer::layout::lines).key("a").open_array().number(1).number(2).close();
  json.key("b").open_array(json_writer::layout::lines).close().close();
  EXPECT_EQ(json.finish(), "{\n  \"a\": [1, 2],\n  \"b\": []\n}\n");
}

TEST(file, says_why_it_cannot_be_read) {
  const auto error_of = [](const std::string& path) -> std::string {
    try {
      (void)read_file(path);
    } catch (const model::user_error& e) {
      return e.what();
    }
    return {};
  };
  EXPECT_EQ(error_of("/nonexistent/graph.json"),
            "/nonexistent/graph.json: cannot be opened: No such file or directory");
  EXPECT_EQ(error_of("/"), "/: cannot be read: Is a directory");
}

TEST(file, is_refused_beyond_the_limit) {
  try {
    (void)read_file("/dev/zero", 1 << 20);
    FAIL();
  } catch (const model::user_error& e) {
    EXPECT_STREQ(e.what(), "/dev/zero: is larger than 1 MiB, the most that is read");
  }
}

TEST(file, says_why_it_cannot_be_written) {
  EXPECT_THROW(write_file("/nonexistent/x", "text"), model::user_error);
  EXPECT_THROW(write_file("/dev/full", "text"), model::user_error);
}

}  // namespace
