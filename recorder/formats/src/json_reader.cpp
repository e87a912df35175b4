// SPDX-License-Identifier: Apache-2.0
#include "pianola/formats/json_reader.hpp"

#include <charconv>
#include <cmath>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>

namespace pianola::formats {

namespace {

constexpr std::size_t shown_characters = 40;

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

int hex_digit(char c) noexcept {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&out](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

}  // namespace

json_reader::json_reader(std::string_view text, std::string_view source)
    : text_(text), source_(source) {
  if (text_.find_first_not_of(" \t\r\n") == std::string_view::npos)
    fail("the file is empty; expected a JSON object");
}

std::string json_reader::path() const {
  if (path_.empty()) return "/";
  std::string p;
  for (const segment& s : path_) {
    p += '/';
    p += s.name != nullptr ? std::string(s.name) : std::to_string(s.index);
  }
  return p;
}

void json_reader::fail(const std::string& reason) const {
  throw model::user_error(model::error_code::invalid,
                          one_line(source_) + ": " + path() + ": " + reason);
}

void json_reader::fail_syntax(const std::string& reason) const {
  std::size_t line = 1, start = 0;
  for (std::size_t i = 0; i < position_ && i < text_.size(); ++i)
    if (text_[i] == '\n') {
      ++line;
      start = i + 1;
    }
  fail("line " + std::to_string(line) + ", column " + std::to_string(position_ - start + 1) + ": " +
       reason);
}

void json_reader::skip_blanks() noexcept {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') break;
    ++position_;
  }
}

char json_reader::peek() noexcept {
  skip_blanks();
  return position_ < text_.size() ? text_[position_] : '\0';
}

bool json_reader::take(char c) noexcept {
  if (peek() != c || position_ == text_.size()) return false;
  ++position_;
  return true;
}

std::string json_reader::found() noexcept {
  const char c = peek();
  if (position_ == text_.size()) return "the end of the file";
  switch (c) {
    case '{':
      return "an object";
    case '[':
      return "an array";
    case '"':
      return "a string";
    case 't':
    case 'f':
      return "a truth value";
    case 'n':
      return "null";
    default:
      break;
  }
  if (c == '-' || is_digit(c)) {
    std::size_t end = position_ + 1;
    while (end < text_.size() && (is_digit(text_[end]) || text_[end] == '.' || text_[end] == 'e' ||
                                  text_[end] == 'E' || text_[end] == '+' || text_[end] == '-'))
      ++end;
    return one_line(text_.substr(position_, end - position_), shown_characters);
  }
  const auto byte = static_cast<unsigned char>(c);
  if (byte > 0x20 && byte < 0x7F) return std::string("'") + c + "'";
  return "the byte 0x" + hex(byte).substr(16);
}

void json_reader::open(char bracket, const char* what) {
  if (!take(bracket)) {
    const std::string got = found();
    if (position_ == text_.size()) fail_syntax(std::string("expected ") + what + ", found " + got);
    fail(std::string("expected ") + what + ", found " + got);
  }
  if (++depth_ > maximum_depth) {
    --position_;
    fail_syntax("nested deeper than " + std::to_string(maximum_depth) + " levels");
  }
}

bool json_reader::next_element(std::uint64_t index) {
  if (take(']')) return false;
  if (index != 0) {
    if (!take(',')) fail_syntax("expected ',' or ']' after an element, found " + found());
    if (peek() == ']') fail_syntax("expected an element after ','");
  }
  return true;
}

bool json_reader::next_member(model::array_view<const member> members, member_state& state) {
  for (;;) {
    if (take('}')) break;
    if (!state.first) {
      if (!take(',')) fail_syntax("expected ',' or '}' after a member, found " + found());
    }
    state.first = false;
    if (peek() != '"') fail_syntax("expected the name of a member, found " + found());
    const std::string name = read_string();
    std::size_t i = 0;
    while (i < members.size() && name != members[i].name) ++i;
    if (i == members.size()) fail("unknown member \"" + one_line(name, shown_characters) + "\"");
    const std::uint64_t bit = std::uint64_t{1} << i;
    if ((state.seen & bit) != 0)
      fail(std::string("member \"") + members[i].name + "\" is repeated");
    if (!take(':')) fail_syntax("expected ':' after the name of a member, found " + found());
    state.seen |= bit;
    bool ready = true;
    for (std::size_t k = 0; k < i; ++k)
      if (members[k].required && ((state.seen & ~state.held_back) >> k & 1U) == 0) ready = false;
    if (ready) {
      state.current = i;
      return true;
    }
    skip_blanks();
    state.values[i] = position_;
    state.held_back |= bit;
    path_.push_back({members[i].name, 0});
    skip_value();
    path_.pop_back();
  }
  for (std::size_t i = 0; i < members.size(); ++i)
    if (members[i].required && (state.seen >> i & 1U) == 0)
      fail(std::string("member \"") + members[i].name + "\" is missing");
  return false;
}

// What is skipped is read later, so this checks no more than it needs to find the end.
void json_reader::skip_value() {
  std::string open_brackets;
  do {
    const char c = peek();
    if (position_ == text_.size()) fail_syntax("the file ends within a value");
    if (c == '"') {
      skip_string();
    } else if (c == '{' || c == '[') {
      open_brackets.push_back(c == '{' ? '}' : ']');
      if (depth_ + open_brackets.size() > maximum_depth)
        fail_syntax("nested deeper than " + std::to_string(maximum_depth) + " levels");
      ++position_;
    } else if (c == '}' || c == ']') {
      if (open_brackets.empty() || open_brackets.back() != c)
        fail_syntax("expected a value, found " + found());
      ++position_;
      open_brackets.pop_back();
    } else if (c == ',' || c == ':') {
      if (open_brackets.empty()) fail_syntax("expected a value, found " + found());
      ++position_;
    } else {
      const std::size_t start = position_;
      position_ = text_.find_first_of(",:{}[]\" \t\r\n", position_);
      if (position_ == std::string_view::npos) position_ = text_.size();
      if (position_ == start) ++position_;
    }
  } while (!open_brackets.empty());
}

void json_reader::skip_string() {
  for (++position_; position_ < text_.size(); ++position_) {
    if (text_[position_] == '"') {
      ++position_;
      return;
    }
    if (text_[position_] == '\\') ++position_;
  }
  position_ = text_.size();
  fail_syntax("the file ends within a string");
}

std::string_view json_reader::number(const char* what) {
  const char first = peek();
  if (first != '-' && !is_digit(first)) {
    const std::string got = found();
    const std::string reason = std::string("expected ") + what + ", found " + got;
    if (position_ == text_.size()) fail_syntax(reason);
    fail(reason);
  }
  const std::size_t start = position_;
  const auto digits = [this] {
    const std::size_t from = position_;
    while (position_ < text_.size() && is_digit(text_[position_])) ++position_;
    if (position_ == from) fail_syntax("a digit is missing in a number");
  };
  const auto next = [this] { return position_ < text_.size() ? text_[position_] : '\0'; };
  if (next() == '-') ++position_;
  if (next() == '0') {
    ++position_;
    if (is_digit(next())) fail_syntax("a number must not start with 0");
  } else {
    digits();
  }
  if (next() == '.') {
    ++position_;
    digits();
  }
  if (next() == 'e' || next() == 'E') {
    ++position_;
    if (next() == '+' || next() == '-') ++position_;
    digits();
  }
  return text_.substr(start, position_ - start);
}

std::uint64_t json_reader::whole_number(std::uint64_t maximum) {
  const std::string_view token = number("a whole number");
  const std::string shown = one_line(token, shown_characters);
  if (token.find_first_of(".eE") != std::string_view::npos)
    fail("expected a whole number, found " + shown);
  if (token.front() == '-') fail("expected a whole number of at least 0, found " + shown);
  std::uint64_t value = 0;
  const auto result = std::from_chars(token.data(), token.data() + token.size(), value);
  if (result.ec != std::errc() || value > maximum)
    fail(shown + " is too large; at most " + std::to_string(maximum) + " is possible");
  return value;
}

double json_reader::finite_number() {
  const std::string_view token = number("a number");
  double value = 0;
  const auto result = std::from_chars(token.data(), token.data() + token.size(), value);
  if (result.ec != std::errc() || !std::isfinite(value))
    fail(one_line(token, shown_characters) + " is out of the range of a double");
  return value;
}

bool json_reader::boolean() {
  skip_blanks();
  const std::string_view rest = text_.substr(position_);
  for (const bool value : {false, true}) {
    const std::string_view word = value ? "true" : "false";
    if (rest.substr(0, word.size()) == word) {
      position_ += word.size();
      return value;
    }
  }
  fail("expected true or false, found " + found());
}

bool json_reader::null() {
  skip_blanks();
  if (text_.substr(position_, 4) != "null") return false;
  position_ += 4;
  return true;
}

std::uint32_t json_reader::read_four_digits() {
  std::uint32_t code = 0;
  for (int i = 0; i < 4; ++i, ++position_) {
    const int digit = position_ < text_.size() ? hex_digit(text_[position_]) : -1;
    if (digit < 0) fail_syntax("\\u must be followed by four hexadecimal digits");
    code = code * 16 + static_cast<std::uint32_t>(digit);
  }
  return code;
}

void json_reader::read_escape(std::string& out) {
  if (position_ == text_.size()) fail_syntax("the file ends within a string");
  const char c = text_[position_++];
  switch (c) {
    case '"':
    case '\\':
    case '/':
      out.push_back(c);
      return;
    case 'b':
      out.push_back('\b');
      return;
    case 'f':
      out.push_back('\f');
      return;
    case 'n':
      out.push_back('\n');
      return;
    case 'r':
      out.push_back('\r');
      return;
    case 't':
      out.push_back('\t');
      return;
    case 'u':
      break;
    default:
      --position_;
      fail_syntax("unknown escape in a string");
  }
  std::uint32_t code = read_four_digits();
  if (code >= 0xDC00 && code < 0xE000) fail_syntax("a surrogate stands alone in a string");
  if (code >= 0xD800 && code < 0xDC00) {
    if (text_.substr(position_, 2) != "\\u") fail_syntax("a surrogate stands alone in a string");
    position_ += 2;
    const std::uint32_t low = read_four_digits();
    if (low < 0xDC00 || low >= 0xE000) fail_syntax("a surrogate stands alone in a string");
    code = 0x10000 + (code - 0xD800) * 0x400 + (low - 0xDC00);
  }
  if (code == 0) fail_syntax("a string must not hold the character U+0000");
  append_utf8(out, code);
}

std::string json_reader::read_string() {
  std::string out;
  ++position_;  // the quote
  for (;;) {
    if (position_ >= text_.size()) fail_syntax("the file ends within a string");
    const auto byte = static_cast<unsigned char>(text_[position_]);
    if (byte == '"') {
      ++position_;
      return out;
    }
    if (byte == '\\') {
      ++position_;
      read_escape(out);
    } else if (byte < 0x20) {
      fail_syntax("a control character stands in a string");
    } else if (const std::size_t n = utf8_character(text_.substr(position_, 4)); n != 0) {
      out.append(text_, position_, n);
      position_ += n;
    } else {
      fail_syntax("a string is not UTF-8");
    }
    if (out.size() > maximum_string_bytes)
      fail_syntax("a string is longer than " + std::to_string(maximum_string_bytes) + " bytes");
  }
}

std::string json_reader::string() {
  if (peek() != '"') {
    const std::string got = found();
    if (position_ == text_.size()) fail_syntax("expected a string, found " + got);
    fail("expected a string, found " + got);
  }
  return read_string();
}

std::uint64_t json_reader::hexadecimal() {
  const std::string s = string();
  std::uint64_t value = 0;
  bool good = s.size() > 2 && s.size() <= 18 && s[0] == '0' && s[1] == 'x';
  for (std::size_t i = 2; good && i < s.size(); ++i) {
    const int digit = hex_digit(s[i]);
    good = digit >= 0;
    value = value * 16 + static_cast<std::uint64_t>(digit);
  }
  if (!good)
    fail("expected \"0x\" and up to 16 hexadecimal digits, found \"" +
         one_line(s, shown_characters) + "\"");
  return value;
}

void json_reader::format(std::string_view expected) {
  const std::string found_name = string();
  if (found_name == expected) return;
  const std::string_view family = expected.substr(0, expected.find('/') + 1);
  const std::string shown = one_line(found_name, shown_characters);
  if (found_name.compare(0, family.size(), family) == 0)
    fail("unknown version \"" + shown + "\"; this program reads " + std::string(expected));
  fail("expected \"" + std::string(expected) + "\", found \"" + shown + "\"");
}

void json_reader::end() {
  skip_blanks();
  if (position_ != text_.size()) fail_syntax("expected the end of the file, found " + found());
}

}  // namespace pianola::formats
