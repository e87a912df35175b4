// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <pianola/model/geometry.hpp>

namespace pianola::formats {

// Writes JSON front to back in the order of the calls. Objects and arrays opened with `lines` put
// each member or element on a line of its own, all others stay on one line: one command, one line.
// Strings are made valid UTF-8. The caller balances open and close.
//
// nlohmann/json writes trees, laid out all on one line or all on many: for a graph of 79 MB that is 650 MB and 2 s, here
// 190 MB and 0.4 s. It writes 1.25e+10 as 12500000000.0, and U+0008 as \b: other bytes than the formats have.
class json_writer {
 public:
  enum class layout : std::uint8_t { compact, lines };

  json_writer() = default;
  // The text goes there in pieces, and is never in memory as a whole.
  explicit json_writer(std::function<void(std::string_view)> to) : to_(std::move(to)) {}

  json_writer& open_object(layout = layout::compact);
  json_writer& open_array(layout = layout::compact);
  json_writer& close();
  json_writer& key(const char* name);

  json_writer& text(std::string_view);
  json_writer& number(std::uint64_t);
  json_writer& signed_number(std::int64_t);
  // Shortest form that reads back as the same double. Throws model::user_error (invalid) if the value
  // is not finite, which JSON cannot say; `what` names it in the message.
  json_writer& number(double, const char* what);
  json_writer& truth(bool);
  json_writer& null();
  json_writer& hexadecimal(std::uint64_t);
  json_writer& point(const model::point3&);
  json_writer& box(const model::box&);  // {"lo": [...], "hi": [...]}
  // A value that is JSON already.
  json_writer& raw(std::string_view);

  // Ends the text; the writer is empty afterwards. Empty where the text has gone elsewhere in pieces.
  [[nodiscard]] std::string finish();

 private:
  struct level {
    char closing;
    layout how;
    bool empty;
  };
  void before_value();
  void escape(char c);
  void escape(std::string_view character);  // of two or three bytes
  void separate();
  json_writer& open(char opening, char closing, layout how);

  static constexpr unsigned maximum_levels = 64;
  static constexpr std::size_t piece_bytes = std::size_t{1} << 16;
  std::function<void(std::string_view)> to_;
  std::string out_;
  level levels_[maximum_levels];
  unsigned depth_ = 0;
  bool after_key_ = false;
};

}  // namespace pianola::formats
