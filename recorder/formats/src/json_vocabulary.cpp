// SPDX-License-Identifier: Apache-2.0
#include "pianola/formats/json_vocabulary.hpp"

#include <fmt/format.h>

#include <pianola/formats/text.hpp>

namespace pianola::formats {

std::size_t find_word(std::string_view text, model::array_view<const char* const> words) {
  std::size_t i = 0;
  while (i < words.size() && text != words[i]) ++i;
  return i;
}

std::size_t read_word(json_reader& json, model::array_view<const char* const> words) {
  const std::string found = json.string();
  if (const std::size_t i = find_word(found, words); i < words.size()) return i;
  std::string expected;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) expected += i + 1 == words.size() ? " or " : ", ";
    expected += '"' + std::string(words[i]) + '"';
  }
  json.fail(fmt::format("expected {}, found \"{}\"", expected, one_line(found, 40)));
}

}  // namespace pianola::formats
