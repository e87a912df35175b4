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
  std::string_view name;
  bool required = true;
};

// Reads one JSON text (RFC 8259) front to back, driven by the format: the caller says what must come
// next, and the text is never held as a tree. So memory and stack are bounded by the format, not by
// the text, and whatever is not in the format is an error where it stands.
//
// Plain tokens, which most texts consist of, are found some hundred ahead of the caller: nlohmann/json takes ten times as long
// for each, which made `pianola show` of 100,000 commands take 2.2 times the instructions. Whatever else there is, errors above
// all, is left to that library: its SAX parser begins at that place behind a prefix that opens the same brackets again, and is
// stopped a few tokens further on.
//
// Every function that reads throws model::user_error (invalid) with the text
// "<source>: <JSON pointer>: <reason>", one line, if the text is not what was asked for.
class json_reader {
 public:
  static constexpr unsigned maximum_depth = 64;
  static constexpr std::size_t maximum_string_bytes = std::size_t{1} << 20;

  // Both must outlive the reader. `source` names the text in messages, usually a path.
  json_reader(std::string_view text, std::string_view source);
  json_reader(const json_reader&) = delete;
  json_reader& operator=(const json_reader&) = delete;

  // Calls f(i) for each member i (index into `members`, at most 64) of an object; f must read its
  // value. Members come in the file's order, except that one is held back until all required ones
  // listed before it were read: f may rely on those. Unknown, repeated and missing members are errors.
  template <class F>
  void object(model::array_view<const member> members, F&& f) {
    member_state state;
    open_object(members, state);
    while (next_member(members, state)) read_member(members, state.current, f);
    if (state.held_back != 0) {
      const place end = here();
      for (std::size_t i = 0; i < members.size(); ++i) {
        if ((state.held_back >> i & 1U) == 0) continue;
        go_to(state.values[i]);
        read_member(members, i, f);
      }
      go_to(end);
    }
  }

  // Calls f(i) for each element; f must read it.
  template <class F>
  void array(F&& f) {
    enter(token::begin_array);
    for (std::uint64_t i = 0; next_element(); ++i) {
      const std::uint64_t before = number_of_next();
      path_.push_back({{}, i});
      f(i);
      if (number_of_next() == before) not_read();
      path_.pop_back();
    }
  }

  // A whole number from 0 to `maximum`, written without fraction and exponent.
  [[nodiscard]] std::uint64_t whole_number(std::uint64_t maximum = UINT64_MAX);
  // The same from -maximum to maximum, which is less than 2^63.
  [[nodiscard]] std::int64_t signed_number(std::uint64_t maximum);
  [[nodiscard]] double finite_number();
  [[nodiscard]] bool boolean();
  // Valid UTF-8 without U+0000, so that it can be kept as a C string.
  [[nodiscard]] std::string string();
  // A string "0x" and 1 to 16 hexadecimal digits.
  [[nodiscard]] std::uint64_t hexadecimal();
  // An object of another format, as it stands in the text.
  [[nodiscard]] std::string_view raw_object();
  // Reads null if that comes next; otherwise nothing.
  [[nodiscard]] bool null();
  // The string that names a format and its version, "pianola.graph/1".
  void format(std::string_view expected);
  // Nothing but blanks may follow.
  void end();

  // Throws for the value that is being, or was just, read.
  [[noreturn]] void fail(const std::string& reason) const;

 private:
  enum class token : std::uint8_t {
    none,
    begin_object,
    end_object,
    begin_array,
    end_array,
    name,
    string,
    whole,     // a number that is not negative, without fraction and exponent
    negative,  // the same below zero
    real,      // any other number, and one that is too large; infinite: it has no double
    truth,
    null,
    error
  };
  // What was found in the text.
  struct event {
    token what;
    std::size_t begin, end;  // in the text
    union {
      std::uint64_t whole;
      std::int64_t negative;
      double real;
      bool truth;
      struct {
        std::uint32_t first, size;  // in characters_
      } text;  // of a name or string that is not as it stands in the text, or of an error
    };
  };
  // Between two events.
  struct place {
    std::uint64_t event;   // number of the next one
    std::size_t position;  // in the text, behind the last one
    std::uint64_t arrays;  // a bit per level, the outermost is bit 0; else it is an object
    unsigned depth;
    token last;
  };
  class parser;
  class plain_tokens;

  struct segment {
    std::string_view name;  // empty: an index
    std::uint64_t index;
  };
  struct member_state {
    std::size_t current = 0;
    std::uint64_t required = 0;
    std::uint64_t seen = 0;
    std::uint64_t held_back = 0;
    place values[64];  // of members held back
  };

  template <class F>
  void read_member(model::array_view<const member> members, std::size_t i, F&& f) {
    path_.push_back({members[i].name, 0});
    f(i);
    path_.pop_back();
  }

  void open_object(model::array_view<const member>, member_state&);
  bool next_member(model::array_view<const member>, member_state&);
  bool next_element();
  void skip_value();
  [[noreturn]] void not_read() const;
  [[nodiscard]] std::uint64_t number_of_next() const noexcept {
    return first_ + static_cast<std::uint64_t>(next_ - events_.data());
  }

  [[nodiscard]] const event& peek();
  void enter(token bracket);
  void leave() noexcept;
  [[nodiscard]] place here() const noexcept;
  void go_to(const place&);
  void read_ahead(const place& from);
  [[nodiscard]] std::string_view text_of(const event&) const noexcept;
  [[nodiscard]] std::string found(const event&) const;
  [[nodiscard]] std::string path() const;
  [[noreturn]] void fail_at(std::size_t position, std::string_view reason) const;

  std::string_view text_;
  std::string_view source_;
  std::vector<event> events_;  // the last one that was read, and those read ahead
  event* next_;
  event* last_;              // behind those
  std::uint64_t first_ = 0;  // number of events_[0]
  std::string characters_;   // of their texts
  std::uint64_t arrays_ = 0;
  unsigned depth_ = 0;
  std::vector<segment> path_;
};

}  // namespace pianola::formats
