// SPDX-License-Identifier: Apache-2.0
#include <pianola/formats/json_reader.hpp>

#include <gtest/gtest.h>

#include <pianola/model/error.hpp>

namespace {

using pianola::formats::json_reader;
using pianola::formats::member;

// What reading throws; empty if it does not throw.
template <class F>
std::string error_of(std::string_view text, F&& read) {
  try {
    json_reader json(text, "file");
    read(json);
    json.end();
  } catch (const pianola::model::user_error& e) {
    EXPECT_EQ(e.code(), pianola::model::error_code::invalid);
    EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos) << e.what();
    return e.what();
  }
  return {};
}

std::string error_of_number(std::string_view text, std::uint64_t maximum = UINT64_MAX) {
  return error_of(text, [&](json_reader& json) { (void)json.whole_number(maximum); });
}
std::string error_of_string(std::string_view text) {
  return error_of(text, [](json_reader& json) { (void)json.string(); });
}

std::string string_of(std::string_view text) {
  json_reader json(text, "file");
  std::string s = json.string();
  json.end();
  return s;
}

TEST(json_reader, reads_the_largest_64_bit_number_and_rejects_the_next) {
  json_reader json("18446744073709551615", "file");
  EXPECT_EQ(json.whole_number(), UINT64_MAX);
  EXPECT_EQ(error_of_number("18446744073709551616"),
            "file: /: 18446744073709551616 is too large; at most 18446744073709551615 is possible");
}

TEST(json_reader, says_which_maximum_a_number_passes) {
  EXPECT_EQ(error_of_number("300", 255), "file: /: 300 is too large; at most 255 is possible");
  EXPECT_EQ(error_of_number("255", 255), "");
}

TEST(json_reader, rejects_what_is_not_a_whole_number_where_one_must_be) {
  EXPECT_EQ(error_of_number("1.5"), "file: /: expected a whole number, found 1.5");
  EXPECT_EQ(error_of_number("1.0"), "file: /: expected a whole number, found 1.0");
  EXPECT_EQ(error_of_number("1e300"), "file: /: expected a whole number, found 1e300");
  EXPECT_EQ(error_of_number("-1"), "file: /: expected a whole number of at least 0, found -1");
  EXPECT_EQ(error_of_number("\"1\""), "file: /: expected a whole number, found a string");
  EXPECT_EQ(error_of_number("null"), "file: /: expected a whole number, found null");
  EXPECT_EQ(error_of_number("true"), "file: /: expected a whole number, found a truth value");
  EXPECT_EQ(error_of_number("[]"), "file: /: expected a whole number, found an array");
}

TEST(json_reader, rejects_numbers_that_json_does_not_have) {
  for (const char* text : {"01", "-", "1.", "1e", "1e+", "--1", "+1", ".5", "0x10", "1 2", "NaN"})
    EXPECT_NE(error_of(text, [](json_reader& json) { (void)json.finite_number(); }), "") << text;
}

TEST(json_reader, reads_doubles_and_rejects_those_out_of_range) {
  json_reader json("-2.5e-3", "file");
  EXPECT_EQ(json.finite_number(), -2.5e-3);
  EXPECT_EQ(error_of("1e400", [](json_reader& j) { (void)j.finite_number(); }),
            "file: /: 1e400 is out of the range of a double");
}

TEST(json_reader, decodes_every_escape_of_a_string) {
  EXPECT_EQ(string_of(R"("a\"\\\/\b\f\n\r\tz")"), "a\"\\/\b\f\n\r\tz");
  EXPECT_EQ(string_of(R"("\u00e9\u20AC\ud83c\udfb9")"), "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x8E\xB9");
}

TEST(json_reader, rejects_strings_that_are_not_well_formed) {
  EXPECT_NE(error_of_string("\"\\ud83c\""), "");
  EXPECT_NE(error_of_string("\"\\udfb9\""), "");
  EXPECT_NE(error_of_string("\"\\ud83c\\u0041\""), "");
  EXPECT_NE(error_of_string("\"\\u00g0\""), "");
  EXPECT_NE(error_of_string("\"\\u0000\""), "") << "it would end a C string";
  EXPECT_NE(error_of_string("\"\\x\""), "");
  EXPECT_NE(error_of_string("\"line\nbreak\""), "");
  EXPECT_NE(error_of_string("\"no end"), "");
  EXPECT_NE(error_of_string("\"no end\\"), "");
  EXPECT_NE(error_of_string("\"no end\\u12"), "");
}

TEST(json_reader, rejects_what_is_not_utf8) {
  for (const char* bytes : {"\x80", "\xC3", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80",
                            "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xFF"})
    EXPECT_NE(error_of_string("\"" + std::string(bytes) + "\"").find("ill-formed UTF-8 byte"),
              std::string::npos);
  EXPECT_EQ(
      error_of_string("\"ab\xFF\""),
      "file: /: line 1, column 4: syntax error while parsing value - invalid string: ill-formed "
      "UTF-8 byte");
}

TEST(json_reader, names_line_and_column_of_a_syntax_error) {
  EXPECT_EQ(error_of("[1,\n  2 3]",
                     [](json_reader& json) {
                       json.array([&](std::uint64_t) { (void)json.whole_number(); });
                     }),
            "file: /: line 2, column 5: syntax error while parsing array - unexpected number "
            "literal; expected ']'");
}

TEST(json_reader, rejects_commas_that_nothing_follows) {
  const auto array = [](json_reader& json) {
    json.array([&](std::uint64_t) { (void)json.whole_number(); });
  };
  EXPECT_NE(error_of("[1,]", array), "");
  EXPECT_NE(error_of("[,1]", array), "");
  EXPECT_EQ(error_of("[]", array), "");
  static constexpr member members[] = {{"a"}};
  const auto object = [](json_reader& json) {
    json.object(members, [&](std::size_t) { (void)json.whole_number(); });
  };
  EXPECT_NE(error_of("{\"a\":1,}", object), "");
  EXPECT_EQ(error_of("{\"a\":1}", object), "");
}

constexpr member two_members[] = {{"count"}, {"values"}, {"note", false}};

struct counted {
  std::uint64_t count = 0;
  std::vector<std::uint64_t> values;
  std::string note;
};

counted read_counted(json_reader& json) {
  counted c;
  json.object(two_members, [&](std::size_t m) {
    if (m == 0) c.count = json.whole_number();
    if (m == 1)
      json.array([&](std::uint64_t) {
        c.values.push_back(json.whole_number());
        if (c.values.back() >= c.count) json.fail("not below count");
      });
    if (m == 2) c.note = json.string();
  });
  return c;
}
std::string error_of_counted(std::string_view text) {
  return error_of(text, [](json_reader& json) { (void)read_counted(json); });
}

TEST(json_reader, reads_members_in_any_order_but_required_ones_first) {
  json_reader json(R"({"note": "}]", "values": [0, 1, 2], "count": 3})", "file");
  const counted c = read_counted(json);
  json.end();
  EXPECT_EQ(c.count, 3U);
  EXPECT_EQ(c.values, (std::vector<std::uint64_t>{0, 1, 2}));
  EXPECT_EQ(c.note, "}]");
}

TEST(json_reader, names_the_path_of_a_value_that_was_held_back) {
  EXPECT_EQ(error_of_counted(R"({"values": [0, 7], "count": 3})"),
            "file: /values/1: not below count");
  EXPECT_EQ(
      error_of_counted(R"({"values": [0, 1 2], "count": 3})"),
      "file: /values: line 1, column 18: syntax error while parsing array - unexpected number "
      "literal; expected ']'");
}

TEST(json_reader, rejects_unknown_repeated_and_missing_members) {
  EXPECT_EQ(error_of_counted(R"({"cuont": 3})"), "file: /: unknown member \"cuont\"");
  EXPECT_EQ(error_of_counted(R"({"count": 3, "count": 3})"),
            "file: /: member \"count\" is repeated");
  EXPECT_EQ(error_of_counted(R"({"values": [], "values": []})"),
            "file: /: member \"values\" is repeated");
  EXPECT_EQ(error_of_counted(R"({"count": 3})"), "file: /: member \"values\" is missing");
  EXPECT_EQ(error_of_counted(R"({})"), "file: /: member \"count\" is missing");
}

TEST(json_reader, keeps_control_characters_of_the_text_out_of_messages) {
  EXPECT_EQ(error_of_counted("{\"a\\nb\\u001b[31m\": 3}"), "file: /: unknown member \"a b [31m\"");
}

TEST(json_reader, reports_every_truncation) {
  const std::string whole = R"({"values": [0, 1], "note": "\u0041", "count": 3})";
  EXPECT_EQ(error_of_counted(whole), "");
  for (std::size_t n = 0; n < whole.size(); ++n)
    EXPECT_NE(error_of_counted(std::string_view(whole).substr(0, n)), "") << n;
}

TEST(json_reader, rejects_text_behind_the_value) {
  EXPECT_EQ(error_of_number("1 x"), "file: /: line 1, column 3: expected the end of the file");
}

TEST(json_reader, says_that_an_empty_file_is_empty) {
  EXPECT_EQ(error_of_number(" \n "), "file: /: the file is empty; expected a JSON object");
}

TEST(json_reader, does_not_follow_deep_nesting) {
  const std::string deep(1000000, '[');
  EXPECT_NE(error_of_counted("{\"values\": " + deep).find("nested deeper than 64 levels"),
            std::string::npos);
  EXPECT_NE(error_of_counted("{\"count\": 1, \"values\": " + deep), "");
  EXPECT_NE(error_of_counted(deep), "");
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"values\":";
  EXPECT_NE(error_of_counted(objects), "");
}

TEST(json_reader, knows_the_version_of_a_format) {
  const auto read = [](json_reader& json) { json.format("pianola.graph/1"); };
  EXPECT_EQ(error_of("\"pianola.graph/1\"", read), "");
  EXPECT_EQ(error_of("\"pianola.graph/2\"", read),
            "file: /: unknown version \"pianola.graph/2\"; this program reads pianola.graph/1");
  EXPECT_EQ(error_of("\"pianola.plan/1\"", read),
            "file: /: expected \"pianola.graph/1\", found \"pianola.plan/1\"");
}

TEST(json_reader, reads_hexadecimal_numbers_of_up_to_16_digits) {
  json_reader json("\"0xFFffffffffffffff\"", "file");
  EXPECT_EQ(json.hexadecimal(), UINT64_MAX);
  for (const char* text :
       {"\"0x\"", "\"12\"", "\"0x1g\"", "\"0x10000000000000000\"", "12", "\"-0x1\""})
    EXPECT_NE(error_of(text, [](json_reader& j) { (void)j.hexadecimal(); }), "") << text;
}

}  // namespace
