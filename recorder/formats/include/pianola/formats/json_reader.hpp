// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <pianola/model/array_view.hpp>

namespace pianola::formats {

// A member that an object of a format may have.
struct member {
  const char* name;
  bool required = true;
};

// Reads one JSON text (RFC 8259) front to back, driven by the format: the caller says what must come
// next, and the text is never held as a tree. So memory and stack are bounded by the format, not by
// the text, and whatever is not in the format is an error where it stands.
//
// Every function that reads throws model::user_error (invalid) with the text
// "<source>: <JSON pointer>: <reason>", one line, if the text is not what was asked for.
class json_reader {
 public:
  static constexpr unsigned maximum_depth = 64;
  static constexpr std::size_t maximum_string_bytes = std::size_t{1} << 20;

  // Both must outlive the reader. `source` names the text in messages, usually a path.
  json_reader(std::string_view text, std::string_view source);

  // Calls f(i) for each member i (index into `members`, at most 64) of an object; f must read its
  // value. Members come in the file's order, except that one is held back until all required ones
  // listed before it were read: f may rely on those. Unknown, repeated and missing members are errors.
  template <class F>
  void object(model::array_view<const member> members, F&& f) {
    open('{', "an object");
    member_state state;
    while (next_member(members, state)) read_member(members, state.current, f);
    if (state.held_back != 0) {
      const std::size_t end = position_;
      for (std::size_t i = 0; i < members.size(); ++i) {
        if ((state.held_back >> i & 1U) == 0) continue;
        position_ = state.values[i];
        read_member(members, i, f);
      }
      position_ = end;
    }
    --depth_;
  }

  // Calls f(i) for each element; f must read it.
  template <class F>
  void array(F&& f) {
    open('[', "an array");
    for (std::uint64_t i = 0; next_element(i); ++i) {
      path_.push_back({nullptr, i});
      f(i);
      path_.pop_back();
    }
    --depth_;
  }

  // A whole number from 0 to `maximum`, written without fraction and exponent.
  [[nodiscard]] std::uint64_t whole_number(std::uint64_t maximum = UINT64_MAX);
  [[nodiscard]] double finite_number();
  [[nodiscard]] bool boolean();
  // Valid UTF-8 without U+0000, so that it can be kept as a C string.
  [[nodiscard]] std::string string();
  // A string "0x" and 1 to 16 hexadecimal digits.
  [[nodiscard]] std::uint64_t hexadecimal();
  // Reads null if that comes next; otherwise nothing.
  [[nodiscard]] bool null();
  // The string that names a format and its version, "pianola.graph/1".
  void format(std::string_view expected);
  // Nothing but blanks may follow.
  void end();

  // Throws for the value that is being, or was just, read.
  [[noreturn]] void fail(const std::string& reason) const;

 private:
  struct segment {
    const char* name;  // null: an index
    std::uint64_t index;
  };
  struct member_state {
    std::size_t current = 0;
    std::uint64_t seen = 0;
    std::uint64_t held_back = 0;
    bool first = true;
    std::size_t values[64];  // where the values of members held back are
  };

  template <class F>
  void read_member(model::array_view<const member> members, std::size_t i, F&& f) {
    path_.push_back({members[i].name, 0});
    f(i);
    path_.pop_back();
  }

  void open(char bracket, const char* what);
  bool next_member(model::array_view<const member>, member_state&);
  bool next_element(std::uint64_t index);
  void skip_value();
  void skip_string();
  void skip_blanks() noexcept;
  [[nodiscard]] char peek() noexcept;  // next byte that is no blank; 0 at the end
  bool take(char) noexcept;
  std::string_view number(const char* what);
  std::string read_string();
  void read_escape(std::string& out);
  std::uint32_t read_four_digits();
  [[nodiscard]] std::string found() noexcept;
  [[nodiscard]] std::string path() const;
  [[noreturn]] void fail_syntax(const std::string& reason) const;

  std::string_view text_;
  std::string_view source_;
  std::size_t position_ = 0;
  unsigned depth_ = 0;
  std::vector<segment> path_;
};

}  // namespace pianola::formats
