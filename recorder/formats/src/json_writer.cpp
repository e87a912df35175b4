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

json_writer& json_writer::key(const char* name) {
  text(name);
  out_ += ": ";
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

json_writer& json_writer::text(std::string_view value) {
  before_value();
  out_ += '"';
  const std::string valid = valid_utf8(value);
  const auto as_it_is = [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
  };
  for (auto at = valid.begin(); at != valid.end();) {
    const auto end = std::find_if_not(at, valid.end(), as_it_is);
    out_.append(at, end);
    at = end;
    if (at != valid.end()) escape(*at++);
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
  return done;
}

}  // namespace pianola::formats
