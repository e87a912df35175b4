// SPDX-License-Identifier: Apache-2.0
#include "response_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

namespace pianola::driver {

namespace {

std::optional<std::string> contents(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void expand(const std::vector<std::string>& arguments, std::vector<std::string>& open_files,
            std::vector<std::string>& result) {
  for (const std::string& argument : arguments) {
    if (argument.size() < 2 || argument[0] != '@') {
      result.push_back(argument);
      continue;
    }
    const std::string path = argument.substr(1);
    const bool is_open = std::find(open_files.begin(), open_files.end(), path) != open_files.end();
    const std::optional<std::string> text = is_open ? std::nullopt : contents(path);
    if (!text) {
      result.push_back(argument);
      continue;
    }
    open_files.push_back(path);
    expand(split_response_file(*text), open_files, result);
    open_files.pop_back();
  }
}

}  // namespace

std::vector<std::string> split_response_file(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n\f\v";
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
      in_word = true;
    } else if (quote != '\0') {
      if (c == quote)
        quote = '\0';
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (blanks.find(c) != std::string_view::npos) {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(word);
  return words;
}

std::vector<std::string> expand_response_files(const std::vector<std::string>& arguments) {
  std::vector<std::string> open_files;
  std::vector<std::string> result;
  expand(arguments, open_files, result);
  return result;
}

}  // namespace pianola::driver
