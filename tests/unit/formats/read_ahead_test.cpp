// SPDX-License-Identifier: Apache-2.0
// The reader lets the library run ahead, stops it and goes on in the middle of the text: nobody notices.
#include <pianola/formats/json_reader.hpp>

#include <functional>
#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <pianola/model/error.hpp>

#include "allocation_count.hpp"

namespace {

using nlohmann::json;
using pianola::formats::json_reader;
using pianola::formats::member;

// A format that refers to itself, with members of every kind. "weight" stands behind all others that are required,
// so texts that have it earlier make the reader go back.
json read_tree(json_reader& reader) {
  enum : std::size_t { name, children, good, nothing, weight };
  static constexpr member members[] = {
      {"name"}, {"children"}, {"good", false}, {"nothing", false}, {"weight"}};
  json tree = json::object();
  reader.object(members, [&](std::size_t m) {
    switch (m) {
      case name:
        tree["name"] = reader.string();
        break;
      case children:
        tree["children"] = json::array();
        reader.array([&](std::uint64_t) { tree["children"].push_back(read_tree(reader)); });
        break;
      case good:
        tree["good"] = reader.boolean();
        break;
      case nothing:
        if (!reader.null()) reader.fail("not null");
        tree["nothing"] = nullptr;
        break;
      default:
        tree["weight"] = reader.finite_number();
    }
  });
  return tree;
}

class generator {
 public:
  explicit generator(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t n) { return random_() % n; }

  std::string tree(unsigned depth) {
    std::vector<std::string> members = {"\"name\"" + colon() + "\"" + text() + "\"",
                                        "\"children\"" + colon() + children(depth),
                                        "\"weight\"" + colon() + number()};
    if (below(2) == 0) members.push_back("\"good\"" + colon() + (below(2) == 0 ? "true" : "false"));
    if (below(3) == 0) members.push_back("\"nothing\"" + colon() + "null");
    std::shuffle(members.begin(), members.end(), random_);
    return "{" + joined(members) + "}";
  }

 private:
  std::string children(unsigned depth) {
    std::vector<std::string> all;
    if (depth > 0)
      for (std::size_t n = below(12); n > 0; --n) all.push_back(tree(depth - 1));
    return "[" + joined(all) + "]";
  }
  std::string joined(const std::vector<std::string>& parts) {
    std::string all = blank();
    for (const std::string& part : parts) {
      if (&part != parts.data()) all += "," + blank();
      all += part + blank();
    }
    return all;
  }
  std::string colon() { return blank() + ":" + blank(); }
  std::string blank() {
    static constexpr const char* blanks[] = {"", "", " ", "\n", "  \t", "\r\n    "};
    return blanks[below(std::size(blanks))];
  }
  std::string text() {
    static constexpr const char* pieces[] = {"a",  ",",    ":",       " ",
                                             "]}", "\\\"", "\\u00e9", "\xC3\xA9"};
    std::string all;
    for (std::size_t n = below(below(20) == 0 ? 20000 : 8); n > 0; --n)
      all += pieces[below(std::size(pieces))];
    return all;
  }
  std::string number() {
    static constexpr const char* numbers[] = {"0",
                                              "1",
                                              "-1",
                                              "18446744073709551615",
                                              "18446744073709551616",
                                              "999999999999999999",
                                              "1000000000000000000",
                                              "-999999999999999999",
                                              "-2.5e-3",
                                              "1E+3",
                                              "7",
                                              "-0",
                                              "-0.0",
                                              "0.1",
                                              "1e-400",
                                              "4.9e-324",
                                              "1.7976931348623157e308"};
    return numbers[below(std::size(numbers))];
  }

  std::mt19937_64 random_;
};

TEST(read_ahead, gives_what_a_reader_of_trees_gives) {
  std::size_t longest = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::string text = generator(seed).tree(seed % 5);
    longest = std::max(longest, text.size());
    json_reader reader(text, "file");
    const json tree = read_tree(reader);
    reader.end();
    ASSERT_EQ(tree, json::parse(text)) << seed;
  }
  EXPECT_GT(longest, 100000U) << "all of them fit into what is read ahead at once";
}

TEST(read_ahead, takes_no_text_that_the_library_does_not_take) {
  generator g(1);
  int rejected = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::string text = generator(seed).tree(3);
    static constexpr std::string_view odd = "{}[]\",:\\-+.eE01tfnu \n\x7f\xFF\x80\x01";
    for (std::size_t n = 1 + g.below(2); n > 0; --n) {
      const std::size_t at = g.below(text.size());
      if (g.below(2) == 0)
        text[at] = odd[g.below(odd.size())];
      else
        text.erase(at, 1);
    }
    try {
      json_reader reader(text, "file");
      const json tree = read_tree(reader);
      reader.end();
      ASSERT_EQ(tree, json::parse(text)) << text;
    } catch (const pianola::model::user_error& e) {
      ++rejected;
    }
  }
  EXPECT_GT(rejected, 100);
}

TEST(read_ahead, knows_line_and_column_far_into_the_text) {
  std::string text = "[";
  for (int i = 0; i < 5000; ++i) text += "[1,\n 2],";
  text += "[1,\n 2 3]]";
  try {
    json_reader reader(text, "file");
    reader.array(
        [&](std::uint64_t) { reader.array([&](std::uint64_t) { (void)reader.whole_number(); }); });
    FAIL();
  } catch (const pianola::model::user_error& e) {
    EXPECT_STREQ(e.what(),
                 "file: /5000: line 5002, column 4: syntax error while parsing array - unexpected "
                 "number literal; expected ']'");
  }
}

TEST(read_ahead, names_a_separator_that_stands_where_it_must_not) {
  const auto error_of = [](const std::string& text) -> std::string {
    try {
      json_reader reader(text, "file");
      reader.array([&](std::uint64_t) { (void)reader.whole_number(); });
    } catch (const pianola::model::user_error& e) {
      return e.what();
    }
    return {};
  };
  // At the start, and where the library is started again: after an opening bracket and after a value.
  EXPECT_EQ(error_of("[ , 1]").substr(0, 25), "file: /: line 1, column 3");
  for (int count = 500; count < 520; ++count) {
    std::string text = "[";
    for (int i = 0; i < count; ++i) text += i == 0 ? "\n1" : ",\n1";
    EXPECT_EQ(error_of(text + " : 2]").substr(0, 25),
              "file: /: line " + std::to_string(count + 1) + ", column")
        << count;
    EXPECT_EQ(error_of(text + " ]"), "") << count;
  }
}

TEST(read_ahead, says_whose_fault_it_is_if_a_value_is_not_read) {
  json_reader elements("[1, 2]", "file");
  EXPECT_THROW(elements.array([](std::uint64_t) {}), pianola::model::internal_error);
  static constexpr member members[] = {{"a"}};
  json_reader values("{\"a\": 1}", "file");
  EXPECT_THROW(values.object(members, [](std::size_t) {}), pianola::model::internal_error);
}

#if PIANOLA_TEST_COUNTS_ALLOCATIONS
// The library allocates whenever it begins, and takes several times as long.
TEST(read_ahead, leaves_nothing_that_is_plain_to_the_library) {
  const auto allocated_for = [](const std::string& element) {
    std::string text = "[" + element;
    for (int i = 0; i < 50000; ++i) text += ", " + element;
    text += "]";
    static constexpr member members[] = {{"a"}, {"b", false}, {"c", false}};
    const std::size_t before = pianola::testing::allocated_bytes;
    json_reader reader(text, "file");
    reader.array([&](std::uint64_t) {
      reader.object(members, [&](std::size_t m) {
        if (m == 0) (void)reader.finite_number();
        if (m == 1) (void)reader.string();
        if (m == 2 && !reader.null()) (void)reader.boolean();
      });
    });
    reader.end();
    return pianola::testing::allocated_bytes - before;
  };
  constexpr std::size_t once = 50000;
  for (const char* element :
       {R"({"a":1})", R"({"a": -12, "b": "text"})", R"({"a": 0.25e-3, "c": true})",
        R"({"b": "", "c":null, "a":123456789012345678})", "{\n  \"a\" : 0\r\n}"})
    EXPECT_LT(allocated_for(element), once) << element;
  EXPECT_GT(allocated_for(R"({"a": 1, "b": "\u00e9"})"), once) << "nothing is counted";
}

TEST(read_ahead, takes_no_more_memory_for_a_longer_text) {
  const auto peak_of = [](const std::string& text, const std::function<void(json_reader&)>& read) {
    const std::size_t before = pianola::testing::live_bytes;
    pianola::testing::peak_bytes = before;
    try {
      json_reader reader(text, "file");
      read(reader);
      reader.end();
    } catch (const pianola::model::user_error& e) {
      EXPECT_LT(std::string(e.what()).size(), 300U);
    }
    return pianola::testing::peak_bytes - before;
  };
  const auto number = [](json_reader& reader) { (void)reader.finite_number(); };
  const auto list = [](json_reader& reader) {
    reader.array([&](std::uint64_t) {
      if (!reader.null()) reader.fail("not null");
    });
  };
  const std::size_t hundred = std::size_t{100} << 20;
  EXPECT_LT(peak_of(std::string(hundred, ' ') + "1" + std::string(hundred, '\n'), number), 100000U);
  EXPECT_LT(peak_of("[null," + std::string(hundred, ' ') + "null]", list), 100000U);
  // A string of 1 MiB may take six times as much in the text, and the library holds that as well.
  constexpr std::size_t one_token = 64 << 20;
  EXPECT_LT(peak_of(std::string(hundred, '7'), number), one_token);
  EXPECT_LT(peak_of("\"" + std::string(hundred, 'x') + "\"",
                    [](json_reader& reader) { (void)reader.string(); }),
            one_token);
  std::string nulls = "[null";
  for (std::size_t i = 0; i < hundred / 32; ++i) nulls += ",null";
  EXPECT_LT(peak_of(nulls + "]", list), 100000U);
  EXPECT_LT(peak_of(std::string(hundred, '['), list), 100000U);
}
#endif

}  // namespace
