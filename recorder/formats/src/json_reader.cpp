// SPDX-License-Identifier: Apache-2.0
#include "pianola/formats/json_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <pianola/formats/progress.hpp>
#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>

namespace pianola::formats {

namespace {

constexpr std::size_t shown_characters = 40;
// Read ahead: enough that beginning again costs nothing beside the events, little enough for a cache.
constexpr std::size_t events_ahead = 512;
// The same of the library, which takes ten times as long for each.
constexpr std::size_t events_of_library = 32;
constexpr std::size_t characters_ahead = std::size_t{1} << 16;
// Of one string or number in the text: "\\u0041" is one byte. The library holds all of it.
constexpr std::size_t maximum_token_bytes = 6 * json_reader::maximum_string_bytes + 2;

const char* skip_blanks(const char* from, const char* end) noexcept {
  while (from != end && (*from == ' ' || *from == '\n' || *from == '\t' || *from == '\r')) ++from;
  return from;
}

bool is_separator(const char* at, const char* end) noexcept {
  return at != end && (*at == ',' || *at == ':');
}

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

// Feeds the library with the text from a place on, and takes its events. Blanks between tokens are left out: the
// library would hold them.
class json_reader::parser {
 public:
  parser(json_reader& reader, const place& from)
      : reader_(reader),
        text_(reader.text_.data()),
        text_end_(text_ + reader.text_.size()),
        room_(reader.last_ + events_of_library),
        depth_(from.depth) {
    next_ = prefix_;
    stop_ = write_prefix(from);
  }

  void run() {
    nlohmann::json::sax_parse(iterator(this), iterator(this), this,
                              nlohmann::json::input_format_t::json, false);
  }

  // What the library calls; false stops it.
  bool null() {
    add(token::null, next_);
    return more();
  }
  bool boolean(bool value) {
    event* e = add(token::truth, next_);
    if (e != nullptr) e->truth = value;
    return more();
  }
  bool number_unsigned(std::uint64_t value) {
    if (event* e = add_number(token::whole)) e->whole = value;
    return more();
  }
  bool number_integer(std::int64_t value) {
    if (event* e = add_number(token::negative)) e->negative = value;
    return more();
  }
  bool number_float(double value, const std::string&) {
    if (event* e = add_number(token::real)) e->real = value;
    return more();
  }
  bool string(std::string& value) { return add_text(token::string, value); }
  bool key(std::string& value) { return add_text(token::name, value); }
  bool binary(nlohmann::json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(token::begin_object); }
  bool start_array(std::size_t) { return open(token::begin_array); }
  bool end_object() { return close(token::end_object); }
  bool end_array() { return close(token::end_array); }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& e) {
    if (is_cut()) return too_long();
    if (e.id == 406) {  // out of the range of a double
      if (event* number = add_number(token::real))
        number->real = std::numeric_limits<double>::infinity();
      return false;
    }
    // "[json.exception...] parse error at line 1, column 2: reason; last read: '...'". The place is one in what the
    // library was fed with, and so is what it read last.
    std::string reason = e.what();
    reason.erase(0, reason.find(": ") + 2);
    const bool of_token = reason.find(" - unexpected ") != std::string::npos;
    reason.resize(std::min(reason.size(), reason.find("; last read: ")));
    const char* at = begin_;
    if (then_ != nullptr)
      at = separator_;
    else if (at_end_)
      at = next_;
    else if (!of_token)
      at = next_ - 1;
    return fail(at, reason);
  }

 private:
  // The library's input: prefix or separator, then text.
  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    explicit iterator(parser* p) noexcept : parser_(p) {}
    [[gnu::always_inline]] char operator*() const noexcept { return *parser_->next_; }
    [[gnu::always_inline]] iterator& operator++() noexcept {
      ++parser_->next_;
      return *this;
    }
    [[gnu::always_inline]] bool operator!=(const iterator&) const noexcept {
      return parser_->next_ != parser_->stop_ || parser_->go_on();
    }

   private:
    parser* parser_;
  };

  const char* write_prefix(const place& from) {
    char* out = prefix_;
    *out++ = ' ';  // else the library would take a byte-order mark, which the formats do not have
    const auto put = [&out](std::string_view piece) { out += piece.copy(out, piece.size()); };
    for (unsigned level = 0; level < from.depth; ++level) {
      const bool in_array = (from.arrays >> level & 1U) != 0, innermost = level + 1 == from.depth;
      const bool opened = from.last == token::begin_object || from.last == token::begin_array;
      put(in_array ? "[" : "{");
      ++repeated_;
      if (innermost && opened) break;
      if (!in_array) {
        put(innermost && from.last == token::name ? "\"\"" : "\"\":");
        ++repeated_;
      }
      if (innermost && from.last != token::name) {
        put("null");
        ++repeated_;
      }
    }
    begin_ = skip_blanks(text_ + from.position, text_end_);
    if (from.depth != 0 && is_separator(begin_, text_end_)) {
      separator_ = begin_;
      *out++ = *begin_;
      begin_ = skip_blanks(begin_ + 1, text_end_);
    }
    then_ = begin_;
    return out;
  }

  // Behind a prefix or separator the text; false at its end.
  bool go_on() noexcept {
    if (then_ != nullptr) {
      feed(then_);
      then_ = nullptr;
    }
    at_end_ = next_ == stop_;
    return !at_end_;
  }

  void feed(const char* from) noexcept {
    next_ = from;
    stop_ = static_cast<std::size_t>(text_end_ - from) > maximum_token_bytes
                ? from + maximum_token_bytes
                : text_end_;
  }

  // The text goes on beyond what the library has been given.
  [[nodiscard]] bool is_cut() const noexcept { return at_end_ && next_ != text_end_; }

  // Goes to the token behind the one that ends at `end`. The library may have read one byte more.
  void go_behind(const char* end) noexcept {
    const char* at = skip_blanks(end, text_end_);
    if (is_separator(at, text_end_)) {
      begin_ = skip_blanks(at + 1, text_end_);
      if (at >= next_) {
        separator_ = next_ = at;
        stop_ = at + 1;
        then_ = begin_;
        return;
      }
      feed(begin_);
    } else {
      begin_ = at;
      feed(std::max(next_, at));
    }
  }

  event* add(token what, const char* end) {
    if (repeated_ != 0) {
      --repeated_;
      return nullptr;
    }
    event& e = *reader_.last_++;
    e.what = what;
    e.begin = static_cast<std::size_t>(begin_ - text_);
    e.end = static_cast<std::size_t>(end - text_);
    go_behind(end);
    return &e;
  }

  // A number ends where the library has read a byte that does not belong to it.
  event* add_number(token what) {
    if (is_cut()) {
      too_long();
      return nullptr;
    }
    return add(what, at_end_ ? next_ : next_ - 1);
  }

  bool add_text(token what, const std::string& value) {
    if (value.size() > maximum_string_bytes)
      return fail(begin_, fmt::format("a string is longer than {} bytes", maximum_string_bytes));
    if (value.find('\0') != std::string::npos)
      return fail(begin_, "a string must not hold the character U+0000");
    if (event* e = add(what, next_)) {
      e->text = {static_cast<std::uint32_t>(reader_.characters_.size()),
                 static_cast<std::uint32_t>(value.size())};
      reader_.characters_ += value;
      if (reader_.characters_.size() > characters_ahead) return false;
    }
    return more();
  }

  bool open(token what) {
    if (repeated_ == 0 && ++depth_ > maximum_depth)
      return fail(begin_, fmt::format("nested deeper than {} levels", maximum_depth));
    add(what, next_);
    return more();
  }

  bool close(token what) {
    --depth_;
    add(what, next_);
    return more();
  }

  [[nodiscard]] bool more() const noexcept { return reader_.last_ != room_ && !failed_; }

  bool too_long() {
    return fail(begin_, fmt::format("a string or number of more than {} bytes is not read",
                                    maximum_token_bytes));
  }

  bool fail(const char* at, const std::string& reason) {
    failed_ = true;
    event& e = *reader_.last_++;
    e.what = token::error;
    e.begin = e.end = static_cast<std::size_t>(at - text_);
    e.text = {static_cast<std::uint32_t>(reader_.characters_.size()),
              static_cast<std::uint32_t>(reason.size())};
    reader_.characters_ += reason;
    return false;
  }

  json_reader& reader_;
  const char* text_;
  const char* text_end_;
  const char* next_;                 // that the library is given
  const char* stop_;                 // of this piece
  const char* then_ = nullptr;       // where the next piece begins, which is text
  const char* separator_ = nullptr;  // before that
  const char* begin_ = nullptr;      // of the token that comes next
  const event* room_;                // as many events are read ahead
  unsigned depth_;
  unsigned repeated_ = 0;  // events of the prefix that are still to come
  bool at_end_ = false;
  bool failed_ = false;
  char prefix_[4 * maximum_depth + 8];
};

// Tokens as nearly all are, without the library, which looks at each character several times: brackets, text of ASCII without
// escapes, numbers that fit, true, false and null. Stops before anything else, and before what must not stand there.
class json_reader::plain_tokens {
 public:
  plain_tokens(json_reader& reader, const place& from)
      : reader_(reader),
        text_(reader.text_.data()),
        end_(text_ + reader.text_.size()),
        next_(text_ + from.position),
        arrays_(from.arrays),
        depth_(from.depth),
        last_(from.last) {}

  void read() {
    const event* const room = reader_.last_ + events_ahead;
    while (reader_.last_ != room && read_one()) {
    }
  }

 private:
  bool read_one() {
    const char* at = skip_blanks(next_, end_);
    const bool inside = depth_ != 0, in_array = inside && (arrays_ >> (depth_ - 1) & 1U) != 0;
    if (at == end_ || (!inside && last_ != token::none)) return false;
    if (inside && last_ != token::name && *at == (in_array ? ']' : '}')) {
      --depth_;
      return add(in_array ? token::end_array : token::end_object, at, at + 1);
    }
    if (inside && last_ != token::begin_object && last_ != token::begin_array) {
      if (*at != (last_ == token::name ? ':' : ',')) return false;
      if ((at = skip_blanks(at + 1, end_)) == end_) return false;
    }
    if (inside && !in_array && last_ != token::name) return add_text(token::name, at);
    switch (*at) {
      case '"':
        return add_text(token::string, at);
      case '{':
      case '[':
        return open(at);
      case 't':
        return add_word("true", token::truth, at);
      case 'f':
        return add_word("false", token::truth, at);
      case 'n':
        return add_word("null", token::null, at);
      default:
        return add_number(at);
    }
  }

  bool add(token what, const char* begin, const char* end) noexcept {
    event& e = *reader_.last_++;
    e.what = last_ = what;
    e.begin = static_cast<std::size_t>(begin - text_);
    e.end = static_cast<std::size_t>(end - text_);
    next_ = end;
    return true;
  }

  bool open(const char* at) noexcept {
    if (depth_ == maximum_depth) return false;
    const std::uint64_t bit = std::uint64_t{1} << depth_++;
    arrays_ = *at == '[' ? arrays_ | bit : arrays_ & ~bit;
    return add(*at == '[' ? token::begin_array : token::begin_object, at, at + 1);
  }

  bool add_text(token what, const char* at) noexcept {
    if (*at != '"') return false;
    const char* const first = at + 1;
    const char* const limit = first + std::min<std::size_t>(static_cast<std::size_t>(end_ - first),
                                                            maximum_string_bytes + 1);
    const char* end = first;
    // Bytes from 0x80 on are negative.
    while (end != limit && static_cast<signed char>(*end) >= ' ' && *end != '"' && *end != '\\')
      ++end;
    if (end == limit || *end != '"') return false;
    reader_.last_->text = {0, static_cast<std::uint32_t>(end - first)};
    return add(what, at, end + 1);
  }

  bool add_word(std::string_view word, token what, const char* at) noexcept {
    if (std::string_view(at, static_cast<std::size_t>(end_ - at)).substr(0, word.size()) != word)
      return false;
    reader_.last_->truth = word == "true";
    return add(what, at, at + word.size());
  }

  const char* skip_digits(const char* at) const noexcept {
    while (at != end_ && *at >= '0' && *at <= '9') ++at;
    return at;
  }

  // Where the text ends within or behind a number, nobody knows whether it goes on.
  bool add_number(const char* const begin) noexcept {
    constexpr std::ptrdiff_t fit = 18;  // digits, in 64 bits with a sign
    const bool negative = *begin == '-';
    const char* const digits = begin + (negative ? 1 : 0);
    const char* at = skip_digits(digits);
    const std::ptrdiff_t count = at - digits;
    if (at == end_ || count == 0 || count > fit || (count > 1 && *digits == '0')) return false;
    event& e = *reader_.last_;
    if (*at == '.' || *at == 'e' || *at == 'E') {
      if ((at = end_of_real(at)) == nullptr) return false;
      const auto found = std::from_chars(begin, at, e.real);
      return found.ec == std::errc() && found.ptr == at && add(token::real, begin, at);
    }
    std::uint64_t value = 0;
    for (const char* d = digits; d != at; ++d) value = value * 10 + static_cast<unsigned>(*d - '0');
    if (negative)
      e.negative = -static_cast<std::int64_t>(value);
    else
      e.whole = value;
    return add(negative ? token::negative : token::whole, begin, at);
  }

  // Of a number, from the point or exponent on; null if there is something else.
  const char* end_of_real(const char* at) const noexcept {
    if (*at == '.') {
      const char* const fraction = at + 1;
      if ((at = skip_digits(fraction)) == fraction || at == end_) return nullptr;
    }
    if (*at == 'e' || *at == 'E') {
      if (++at != end_ && (*at == '+' || *at == '-')) ++at;
      const char* const exponent = at;
      if ((at = skip_digits(exponent)) == exponent || at == end_) return nullptr;
    }
    return at;
  }

  json_reader& reader_;
  const char* text_;
  const char* end_;
  const char* next_;  // behind the last token
  std::uint64_t arrays_;
  unsigned depth_;
  token last_;
};

json_reader::json_reader(std::string_view text, std::string_view source)
    : text_(text), source_(source), events_(events_ahead + 2) {
  events_.front() = {};
  next_ = last_ = events_.data() + 1;
  if (skip_blanks(text.data(), text.data() + text.size()) == text.data() + text.size())
    fail("the file is empty; expected a JSON object");
}

std::string json_reader::path() const {
  if (path_.empty()) return "/";
  std::string p;
  for (const segment& s : path_) {
    p += '/';
    p += s.name.empty() ? fmt::to_string(s.index) : std::string(s.name);
  }
  return p;
}

void json_reader::fail(const std::string& reason) const {
  throw model::user_error(model::error_code::invalid,
                          fmt::format("{}: {}: {}", one_line(source_), path(), reason));
}

void json_reader::fail_at(std::size_t position, std::string_view reason) const {
  std::size_t line = 1, start = 0;
  for (std::size_t i = 0; i < position; ++i)
    if (text_[i] == '\n') {
      ++line;
      start = i + 1;
    }
  fail(fmt::format("line {}, column {}: {}", line, position - start + 1, one_line(reason)));
}

json_reader::place json_reader::here() const noexcept {
  return {number_of_next(), next_[-1].end, arrays_, depth_, next_[-1].what};
}

void json_reader::go_to(const place& to) {
  depth_ = to.depth;
  arrays_ = to.arrays;
  const std::uint64_t known = static_cast<std::uint64_t>(last_ - events_.data());
  if (to.event > first_ && to.event - first_ <= known)
    next_ = events_.data() + (to.event - first_);
  else
    read_ahead(to);
}

void json_reader::read_ahead(const place& from) {
  // Smaller texts may be a part of something else.
  constexpr std::size_t worth_telling = std::size_t{1} << 20;
  if (text_.size() >= worth_telling) tell_progress(from.position, text_.size());
  characters_.clear();
  // What is behind stands before the first event, for the next place.
  events_.front().what = from.last;
  events_.front().end = from.position;
  first_ = from.event - 1;
  next_ = last_ = events_.data() + 1;
  plain_tokens(*this, from).read();
  if (next_ == last_) parser(*this, from).run();
}

const json_reader::event& json_reader::peek() {
  if (next_ == last_) read_ahead(here());
  if (next_->what == token::error) fail_at(next_->begin, text_of(*next_));
  return *next_;
}

void json_reader::enter(token bracket) {
  if (const event& e = peek(); e.what != bracket)
    fail((bracket == token::begin_object ? "expected an object, found "
                                         : "expected an array, found ") +
         found(e));
  ++next_;
  const std::uint64_t bit = std::uint64_t{1} << depth_++;
  arrays_ = bracket == token::begin_array ? arrays_ | bit : arrays_ & ~bit;
}

void json_reader::leave() noexcept {
  ++next_;
  --depth_;
}

std::string_view json_reader::text_of(const event& e) const noexcept {
  // An escape is longer than what it stands for.
  if (e.end - e.begin == std::size_t{e.text.size} + 2)
    return text_.substr(e.begin + 1, e.text.size);
  return std::string_view(characters_).substr(e.text.first, e.text.size);
}

std::string json_reader::found(const event& e) const {
  switch (e.what) {
    case token::begin_object:
      return "an object";
    case token::begin_array:
      return "an array";
    case token::name:
    case token::string:
      return "a string";
    case token::truth:
      return "a truth value";
    case token::null:
      return "null";
    case token::whole:
    case token::negative:
    case token::real:
      return one_line(text_.substr(e.begin, e.end - e.begin), shown_characters);
    case token::none:
    case token::end_object:
    case token::end_array:
    case token::error:
      break;
  }
  return "nothing";
}

void json_reader::open_object(model::array_view<const member> members, member_state& state) {
  enter(token::begin_object);
  for (std::size_t i = 0; i < members.size(); ++i)
    if (members[i].required) state.required |= std::uint64_t{1} << i;
}

bool json_reader::next_member(model::array_view<const member> members, member_state& state) {
  for (;;) {
    const event& e = peek();
    if (e.what == token::end_object) break;
    if (e.what != token::name) not_read();
    ++next_;
    const std::string_view name = text_of(e);
    // Most texts have them in the order of the format.
    std::size_t i = state.seen == 0 ? 0 : state.current + 1, looked_at = 0;
    for (; looked_at < members.size(); ++i, ++looked_at) {
      if (i >= members.size()) i = 0;
      if (name == members[i].name) break;
    }
    if (looked_at == members.size())
      fail(fmt::format("unknown member \"{}\"", one_line(name, shown_characters)));
    const std::uint64_t bit = std::uint64_t{1} << i;
    if ((state.seen & bit) != 0) fail(fmt::format("member \"{}\" is repeated", members[i].name));
    state.seen |= bit;
    if ((state.required & (bit - 1) & ~(state.seen & ~state.held_back)) == 0) {
      state.current = i;
      return true;
    }
    state.values[i] = here();
    state.held_back |= bit;
    path_.push_back({members[i].name, 0});
    skip_value();
    path_.pop_back();
  }
  for (std::size_t i = 0; i < members.size(); ++i)
    if (((state.required & ~state.seen) >> i & 1U) != 0)
      fail(fmt::format("member \"{}\" is missing", members[i].name));
  leave();
  return false;
}

bool json_reader::next_element() {
  if (peek().what != token::end_array) return true;
  leave();
  return false;
}

void json_reader::not_read() const {
  throw model::internal_error(path() + ": whoever reads this format has left a value out");
}

void json_reader::skip_value() {
  const unsigned depth = depth_;
  do {
    const token what = peek().what;
    if (what == token::begin_object || what == token::begin_array)
      enter(what);
    else if (what == token::end_object || what == token::end_array)
      leave();
    else
      ++next_;
  } while (depth_ > depth);
}

std::string_view json_reader::raw_object() {
  const event& first = peek();
  if (first.what != token::begin_object) fail("expected an object, found " + found(first));
  const std::size_t begin = first.begin;
  skip_value();
  return text_.substr(begin, next_[-1].end - begin);
}

std::uint64_t json_reader::whole_number(std::uint64_t maximum) {
  const event& e = peek();
  if (e.what != token::whole && e.what != token::negative && e.what != token::real)
    fail("expected a whole number, found " + found(e));
  ++next_;
  if (e.what == token::whole && e.whole <= maximum) return e.whole;
  const std::string_view digits = text_.substr(e.begin, e.end - e.begin);
  if (digits.find_first_of(".eE") != std::string_view::npos)
    fail("expected a whole number, found " + found(e));
  if (digits.front() == '-') fail("expected a whole number of at least 0, found " + found(e));
  fail(fmt::format("{} is too large; at most {} is possible", found(e), maximum));
}

std::int64_t json_reader::signed_number(std::uint64_t maximum) {
  const event& e = peek();
  if (e.what != token::negative) return static_cast<std::int64_t>(whole_number(maximum));
  ++next_;
  if (e.negative < -static_cast<std::int64_t>(maximum))
    fail(fmt::format("{} is too small; at least -{} is possible", found(e), maximum));
  return e.negative;
}

double json_reader::finite_number() {
  const event& e = peek();
  if (e.what != token::whole && e.what != token::negative && e.what != token::real)
    fail("expected a number, found " + found(e));
  ++next_;
  if (e.what == token::whole) return static_cast<double>(e.whole);
  if (e.what == token::negative) return e.negative == 0 ? -0.0 : static_cast<double>(e.negative);
  if (!std::isfinite(e.real)) fail(found(e) + " is out of the range of a double");
  return e.real;
}

bool json_reader::boolean() {
  const event& e = peek();
  if (e.what != token::truth) fail("expected true or false, found " + found(e));
  ++next_;
  return e.truth;
}

bool json_reader::null() {
  if (peek().what != token::null) return false;
  ++next_;
  return true;
}

std::string json_reader::string() {
  const event& e = peek();
  if (e.what != token::string) fail("expected a string, found " + found(e));
  ++next_;
  return std::string(text_of(e));
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
    fail(fmt::format("expected \"0x\" and up to 16 hexadecimal digits, found \"{}\"",
                     one_line(s, shown_characters)));
  return value;
}

void json_reader::format(std::string_view expected) {
  const std::string found_name = string();
  if (found_name == expected) return;
  const std::string_view family = expected.substr(0, expected.find('/') + 1);
  const std::string shown = one_line(found_name, shown_characters);
  if (found_name.compare(0, family.size(), family) == 0)
    fail(fmt::format("unknown version \"{}\"; this program reads {}", shown, expected));
  fail(fmt::format("expected \"{}\", found \"{}\"", expected, shown));
}

void json_reader::end() {
  const char* const text_end = text_.data() + text_.size();
  const char* const rest = skip_blanks(text_.data() + here().position, text_end);
  if (rest != text_end)
    fail_at(static_cast<std::size_t>(rest - text_.data()), "expected the end of the file");
}

}  // namespace pianola::formats
