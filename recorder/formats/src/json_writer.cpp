// SPDX-License-Identifier: Apache-2.0
#include "pianola/formats/json_writer.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>

namespace pianola::formats {

void json_writer::separate() {
  if (depth_ == 0) return;
  if (to_ && out_.size() >= piece_bytes) {
    to_(out_);
    out_.clear();
  }
  level& l = levels_[depth_ - 1];
  if (!l.empty) out_ += ',';
  if (l.how == layout::lines) {
    out_ += '\n';
    out_.append(std::size_t{2} * depth_, ' ');
  } else if (!l.empty) {
    out_ += ' ';
  }
  l.empty = false;
}

void json_writer::before_value() {
  if (!after_key_) separate();
  after_key_ = false;
}

json_writer& json_writer::open(char opening, char closing, layout how) {
  if (depth_ == maximum_levels) throw model::internal_error("JSON is nested too deeply to write");
  before_value();
  out_ += opening;
  levels_[depth_++] = {closing, how, true};
  return *this;
}

json_writer& json_writer::open_object(layout how) { return open('{', '}', how); }
json_writer& json_writer::open_array(layout how) { return open('[', ']', how); }

json_writer& json_writer::close() {
  const level l = levels_[--depth_];
  if (l.how == layout::lines && !l.empty) {
    out_ += '\n';
    out_.append(std::size_t{2} * depth_, ' ');
  }
  out_ += l.closing;
  return *this;
}

json_writer& json_writer::raw(std::string_view value) {
  before_value();
  out_ += value;
  return *this;
}

json_writer& json_writer::key(const char* name) {
  separate();
  // A word of a format: nothing in it is escaped.
  out_ += '"';
  out_ += name;
  out_ += "\": ";
  after_key_ = true;
  return *this;
}

void json_writer::escape(char c) {
  switch (c) {
    case '"':
      out_ += "\\\"";
      break;
    case '\\':
      out_ += "\\\\";
      break;
    case '\n':
      out_ += "\\n";
      break;
    case '\t':
      out_ += "\\t";
      break;
    case '\r':
      out_ += "\\r";
      break;
    default: {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      out_ += code;
    }
  }
}

void json_writer::escape(std::string_view character) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  const unsigned code = character.size() == 2
                            ? (at(0) & 0x1FU) << 6 | (at(1) & 0x3FU)
                            : (at(0) & 0x0FU) << 12 | (at(1) & 0x3FU) << 6 | (at(2) & 0x3FU);
  char text[8];
  std::snprintf(text, sizeof text, "\\u%04x", code);
  out_ += text;
}

json_writer& json_writer::text(std::string_view value) {
  before_value();
  out_ += '"';
  // Most texts are of such characters only, and there are many of them.
  if (std::all_of(value.begin(), value.end(),
                  [](unsigned char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; })) {
    out_ += value;
    out_ += '"';
    return *this;
  }
  const std::string valid = valid_utf8(value);
  // Whoever prints JSON prints names of files of others.
  const auto as_it_is = [](char c) {
    const auto b = static_cast<unsigned char>(c);
    return b >= 0x20 && c != '"' && c != '\\' && b != 0x7F && b != 0xC2 && b != 0xE2;
  };
  for (std::string_view rest = valid; !rest.empty();) {
    const auto end = static_cast<std::size_t>(std::find_if_not(rest.begin(), rest.end(), as_it_is) -
                                              rest.begin());
    out_.append(rest.substr(0, end));
    rest.remove_prefix(end);
    if (rest.empty()) break;
    const std::string_view character = rest.substr(0, utf8_character(rest.substr(0, 4)));
    if (character.size() == 1)
      escape(character.front());
    else if (is_control(character))
      escape(character);
    else
      out_.append(character);
    rest.remove_prefix(character.size());
  }
  out_ += '"';
  return *this;
}

json_writer& json_writer::number(std::uint64_t value) {
  before_value();
  char digits[24];
  out_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  return *this;
}

json_writer& json_writer::signed_number(std::int64_t value) {
  before_value();
  char digits[24];
  out_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  return *this;
}

json_writer& json_writer::number(double value, const char* what) {
  if (!std::isfinite(value))
    throw model::user_error(model::error_code::invalid,
                            std::string(what) + " is not a finite number and cannot be written");
  before_value();
  char digits[40];
  out_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  return *this;
}

json_writer& json_writer::truth(bool value) {
  before_value();
  out_ += value ? "true" : "false";
  return *this;
}

json_writer& json_writer::null() {
  before_value();
  out_ += "null";
  return *this;
}

json_writer& json_writer::hexadecimal(std::uint64_t value) { return text(hex(value)); }

json_writer& json_writer::point(const model::point3& p) {
  open_array();
  for (const std::uint64_t c : p.c) number(c);
  return close();
}

json_writer& json_writer::box(const model::box& b) {
  open_object();
  key("lo").point(b.lo);
  key("hi").point(b.hi);
  return close();
}

std::string json_writer::finish() {
  out_ += '\n';
  std::string done;
  done.swap(out_);
  if (!to_) return done;
  to_(done);
  return {};
}

}  // namespace pianola::formats
