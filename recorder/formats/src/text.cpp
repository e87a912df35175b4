// SPDX-License-Identifier: Apache-2.0
#include "pianola/formats/text.hpp"

#include <cxxabi.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <vector>

#include <fmt/format.h>

namespace pianola::formats {

std::size_t utf8_character(std::string_view text) noexcept {
  if (text.empty()) return 0;
  const auto at = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto follows = [&](std::size_t i) { return i < text.size() && (at(i) & 0xC0) == 0x80; };
  const unsigned b = at(0);
  if (b < 0x80) return 1;
  if (b >= 0xC2 && b < 0xE0) return follows(1) ? 2 : 0;
  if (b >= 0xE0 && b < 0xF0) {
    if (!follows(1) || !follows(2)) return 0;
    if (b == 0xE0 && at(1) < 0xA0) return 0;
    if (b == 0xED && at(1) >= 0xA0) return 0;
    return 3;
  }
  if (b >= 0xF0 && b < 0xF5) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    if (b == 0xF0 && at(1) < 0x90) return 0;
    if (b == 0xF4 && at(1) >= 0x90) return 0;
    return 4;
  }
  return 0;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto behind_ascii =
        std::find_if(text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; });
    const auto ascii = static_cast<std::size_t>(behind_ascii - text.begin());
    out.append(text.substr(0, ascii));
    text.remove_prefix(ascii);
    if (text.empty()) break;
    const std::size_t n = utf8_character(text.substr(0, 4));
    if (n == 0)
      out += "\xEF\xBF\xBD";
    else
      out.append(text.substr(0, n));
    text.remove_prefix(n == 0 ? 1 : n);
  }
  return out;
}

bool is_control(std::string_view c) noexcept {
  const auto at = [&c](std::size_t i) { return static_cast<unsigned char>(c[i]); };
  if (c.size() == 1) return at(0) < 0x20 || at(0) == 0x7F;
  if (c.size() == 2) return at(0) == 0xC2 && at(1) < 0xA0;
  if (c.size() != 3 || at(0) != 0xE2) return false;
  // Separators of lines, and what turns the direction of the text around.
  return (at(1) == 0x80 && (at(2) == 0x8E || at(2) == 0x8F || (at(2) >= 0xA8 && at(2) <= 0xAE))) ||
         (at(1) == 0x81 && at(2) >= 0xA6 && at(2) <= 0xA9);
}

namespace {

// Takes the first character off the text and adds it, as it is shown.
void show_character(std::string_view& text, std::string& out) {
  const std::size_t n = utf8_character(text.substr(0, 4));
  if (n == 0)
    out += "\xEF\xBF\xBD";
  else if (is_control(text.substr(0, n)))
    out += ' ';
  else
    out.append(text.substr(0, n));
  text.remove_prefix(n == 0 ? 1 : n);
}

}  // namespace

std::string one_line(std::string_view text, std::size_t characters) {
  std::string out;
  std::string_view rest = text;
  std::size_t shown = 0, head_bytes = 0, head_end = 0;
  const bool may_cut = characters > 3 && characters != SIZE_MAX;
  const std::size_t head = may_cut ? (characters - 3) / 2 : 0;
  while (!rest.empty() && (!may_cut || shown <= characters)) {
    if (shown == head) {
      head_bytes = out.size();
      head_end = text.size() - rest.size();
    }
    show_character(rest, out);
    ++shown;
  }
  if (!may_cut || shown <= characters) return out;

  // Of the end no more is looked at than can be shown. Reading may begin within a character there; what is read of
  // that is too far from the end to be shown.
  out.resize(head_bytes);
  out += "...";
  const std::size_t tail = characters - 3 - head;
  const std::size_t window = 4 * (tail + 1);
  const std::size_t from = text.size() - head_end > window ? text.size() - window : head_end;
  std::vector<std::string> last;
  for (rest = text.substr(from); !rest.empty();) {
    last.emplace_back();
    show_character(rest, last.back());
  }
  for (std::size_t i = last.size() - tail; i < last.size(); ++i) out += last[i];
  return out;
}

std::string demangled(const char* name) {
  // A single letter is the code of a built-in type ("f" would read "float"); a plain name is none of
  // what mangled class names start with.
  if (name[0] == '\0' || name[1] == '\0' || std::strchr("_NZSU0123456789", name[0]) == nullptr)
    return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 && text != nullptr ? std::string(text.get()) : std::string(name);
}

namespace {

// Position behind the bracket that closes the one at `open`, or the end.
std::size_t behind_bracket(std::string_view s, std::size_t open) noexcept {
  const char left = s[open], right = left == '(' ? ')' : left == '<' ? '>' : '}';
  std::size_t depth = 0;
  for (std::size_t i = open; i < s.size(); ++i) {
    if (s[i] == left) ++depth;
    if (s[i] == right && !(right == '>' && i > 0 && s[i - 1] == '-') && --depth == 0) return i + 1;
  }
  return s.size();
}

bool starts(std::string_view s, std::size_t at, std::string_view with) noexcept {
  return s.substr(at, with.size()) == with;
}

// Behind "(...)" and the qualifiers of a member function.
std::size_t behind_parameters(std::string_view s, std::size_t open) noexcept {
  std::size_t i = behind_bracket(s, open);
  for (const std::string_view word : {" const", " volatile", "&&", "&"})
    if (starts(s, i, word)) i += word.size();
  return i;
}

}  // namespace

std::string short_name(std::string_view name, std::size_t characters) {
  std::string out;
  for (std::size_t i = 0; i < name.size();) {
    if (starts(name, i, "::operator()(")) {
      i = behind_parameters(name, i + 12);
    } else if (starts(name, i, "(anonymous namespace)::")) {
      i += 23;
    } else if (starts(name, i, "(lambda at ")) {
      // clang's place of a lambda, "file:line:column", behind the name of its function or in its stead.
      const std::size_t end = behind_bracket(name, i);
      std::string_view place = name.substr(i + 11, end - i - 12);
      place = place.substr(0, place.rfind(':'));
      out += (out.empty() || out.back() != ' ' ? "lambda at " : "at ") + std::string(place);
      i = end;
    } else if (starts(name, i, "{lambda(") || starts(name, i, "'lambda")) {
      // g++ writes {lambda(parameters)#1}, clang 'lambda0'(parameters).
      std::size_t end = 0;
      std::string number;
      if (name[i] == '{') {
        end = behind_bracket(name, i);
        const std::size_t sign = name.substr(i, end - i).rfind('#');
        if (sign != std::string_view::npos && end - i > sign + 2)
          number = name.substr(i + sign, end - i - sign - 1);
      } else {
        end = name.find('\'', i + 1);
        end = end == std::string_view::npos ? name.size() : end + 1;
        if (end < name.size() && name[end] == '(') end = behind_bracket(name, end);
      }
      out += "lambda" + number;
      i = end;
    } else if (name[i] == '(') {
      i = behind_parameters(name, i);
    } else {
      out += name[i++];
    }
  }
  if (one_line(out, SIZE_MAX).size() > characters) {
    std::string without;
    for (std::size_t i = 0; i < out.size();) {
      if (out[i] == '<' && i != 0) {
        without += "<>";
        i = behind_bracket(out, i);
      } else {
        without += out[i++];
      }
    }
    out = std::move(without);
  }
  return one_line(out, characters);
}

namespace {

constexpr std::string_view before_place = " at ";

bool is_place(std::string_view text) noexcept {
  const std::size_t colon = text.find(':');
  return colon != 0 && colon != std::string_view::npos && colon + 1 != text.size() &&
         text.find_first_not_of("0123456789:", colon) == std::string_view::npos;
}

// What is behind " at ", if that is a file and numbers: of a lambda up to its bracket, of the name as a whole up to its
// end, else up to what may follow it in a name. Names of files may have blanks.
std::string_view place_behind(std::string_view name, std::size_t at) noexcept {
  constexpr std::string_view lambda = "(lambda";
  const std::size_t begin = at + before_place.size();
  const std::string_view rest = name.substr(begin);
  if (at >= lambda.size() && starts(name, at - lambda.size(), lambda)) {
    const std::size_t end = behind_bracket(name, at - lambda.size());
    const std::string_view place = name.substr(begin, end > begin ? end - begin - 1 : 0);
    return is_place(place) ? place : std::string_view();
  }
  const std::string_view place = rest.substr(0, rest.find_first_of(" ,>)"));
  if (is_place(place)) return place;
  return rest.find(before_place) == std::string_view::npos && is_place(rest) ? rest
                                                                             : std::string_view();
}

}  // namespace

std::string_view source_place(std::string_view name) noexcept {
  const std::size_t at = name.rfind(before_place);
  return at == std::string_view::npos ? std::string_view() : place_behind(name, at);
}

std::string without_source_places(std::string_view name) {
  std::string out;
  for (std::size_t at = 0; (at = name.find(before_place)) != std::string_view::npos;) {
    const std::string_view place = place_behind(name, at);
    // What is no place stays.
    out += name.substr(0, place.empty() ? at + before_place.size() : at);
    name.remove_prefix(at + before_place.size() + place.size());
  }
  return out += name;
}

const char* kind_name(const model::command& c) noexcept {
  return model::name_of(model::kind_of(c.payload));
}

std::string full_name(const model::command& c) {
  const auto* kernel = std::get_if<model::kernel_command>(&c.payload);
  if (kernel == nullptr || kernel->kernel == nullptr) return valid_utf8(c.label);
  const char* name = kernel->kernel->name;
  if (*c.label != '\0' && std::strcmp(c.label, name) != 0) return valid_utf8(c.label);
  return valid_utf8(demangled(name));
}

std::string hex(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(value));
  return text;
}

std::string bytes(std::uint64_t n) {
  static constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (n < 1024) return fmt::format("{} B", n);
  double value = static_cast<double>(n) / 1024;
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  // Values that are whole are said to be: 4 KiB, not 4.0 KiB.
  const bool whole = value == static_cast<double>(static_cast<std::uint64_t>(value));
  std::snprintf(text, sizeof text, whole ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text;
}

std::string seconds(double t) {
  static constexpr const char* units[] = {"ns", "us", "ms", "s"};
  double value = t * 1e9;
  std::size_t unit = 0;
  // What would be rounded up to the next unit is shown in it.
  while (std::fabs(value) >= 999.5 && unit + 1 < std::size(units)) {
    value /= 1000;
    ++unit;
  }
  const double size = std::fabs(value);
  const int digits = size == 0 || size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  char text[64];
  std::snprintf(text, sizeof text, "%.*f %s", digits, value, value == 0 ? "s" : units[unit]);
  return text;
}

std::string box_text(const model::box& b, unsigned dimensions) {
  std::string out;
  for (unsigned d = dimensions < 3 ? 3 - dimensions : 0; d < 3; ++d) {
    if (!out.empty()) out += 'x';
    out += fmt::format("[{},{})", b.lo.c[d], b.hi.c[d]);
  }
  return out;
}

std::string extent_text(const model::extent3& e, unsigned dimensions) {
  std::string out;
  for (unsigned d = dimensions < 3 ? 3 - dimensions : 0; d < 3; ++d) {
    if (!out.empty()) out += 'x';
    out += fmt::to_string(e.c[d]);
  }
  return out;
}

}  // namespace pianola::formats
