// SPDX-License-Identifier: Apache-2.0
#include "outputs/colours.hpp"

#include <unistd.h>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include <fmt/color.h>
#include <fmt/format.h>

#include <pianola/model/command_kind.hpp>

namespace pianola::tool {

namespace {

using model::command_kind;

bool are_wanted() {
  const char* const none = std::getenv("NO_COLOR");
  if (none != nullptr && *none != '\0') return false;
  const char* const terminal = std::getenv("TERM");
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return false;
  return ::isatty(STDOUT_FILENO) != 0;
}

fmt::text_style style_of(command_kind kind) {
  switch (kind) {
    case command_kind::kernel:
      return fg(fmt::terminal_color::green);
    case command_kind::copy:
    case command_kind::fill:
    case command_kind::prefetch:
    case command_kind::advise:
    case command_kind::allocate:
    case command_kind::free:
      return fg(fmt::terminal_color::cyan);
    case command_kind::host_task:
    case command_kind::host_access:
    case command_kind::acquire:
      return fg(fmt::terminal_color::magenta);
    case command_kind::empty:
    case command_kind::barrier:
    case command_kind::subgraph:
      return fg(fmt::terminal_color::blue);
  }
  return {};
}

const fmt::text_style heading = fmt::emphasis::bold;
const fmt::text_style moved = fg(fmt::terminal_color::yellow);
const fmt::text_style wrong = fmt::emphasis::bold | fg(fmt::terminal_color::red);
const fmt::text_style suspected = fmt::emphasis::bold | fg(fmt::terminal_color::yellow);
const fmt::text_style good = fmt::emphasis::bold | fg(fmt::terminal_color::green);

struct styled_words {
  std::string_view words;
  fmt::text_style style;
};

constexpr std::array<std::string_view, 5> problems = {
    "race for", "freed in use:", "use after free:", "never written:", "out of bounds:"};

// The part of a line that has a colour.
struct mark {
  std::size_t at = 0, length = 0;
  fmt::text_style style{};
};

mark mark_of(std::string_view line) {
  const auto begins = [&](std::string_view words) { return line.substr(0, words.size()) == words; };
  constexpr std::string_view may_be = "may be: ";
  const std::size_t doubt = begins(may_be) ? may_be.size() : 0;
  for (const std::string_view problem : problems)
    if (line.substr(doubt, problem.size()) == problem)
      return {0, doubt + problem.size(), doubt == 0 ? wrong : suspected};
  if (begins("nothing found")) return {0, line.size(), good};
  static const styled_words beginnings[] = {
      {"  --transfer", moved},   {"  --edge", style_of(command_kind::subgraph)},
      {"what would help", good}, {"transfer ", heading},
      {"edge ", heading},        {"command ", heading},
      {"graph ", heading},       {"plan: ", heading}};
  for (const styled_words& b : beginnings)
    if (begins(b.words)) return {0, b.words.size(), b.style};
  if (!line.empty() && line.front() != ' ')
    return line.back() == ':' ? mark{0, line.size(), heading} : mark{};
  // "  12  kernel  ...", "    4    move  ...": a number, and what it is.
  constexpr std::string_view digits = "0123456789";
  const std::size_t number = line.find_first_not_of(' ');
  if (number == std::string_view::npos) return {};
  const std::size_t behind = line.find_first_not_of(digits, number);
  if (behind == number || behind == std::string_view::npos || line[behind] != ' ') return {};
  const std::size_t word = line.find_first_not_of(' ', behind);
  if (word == std::string_view::npos) return {};
  const std::string_view what = line.substr(word, line.find(' ', word) - word);
  if (what == "move") return {word, what.size(), moved};
  for (std::size_t k = 0; k < model::word_count<command_kind>; ++k)
    if (const auto kind = static_cast<command_kind>(k); what == model::name_of(kind))
      return {word, what.size(), style_of(kind)};
  return {};
}

}  // namespace

std::string with_colours(const std::string& report) {
  std::string all;
  for (std::size_t at = 0; at < report.size();) {
    const std::size_t end = std::min(report.find('\n', at), report.size());
    const std::string_view line = std::string_view(report).substr(at, end - at);
    const mark m = mark_of(line);
    all += line.substr(0, m.at);
    if (m.length != 0) all += fmt::format(m.style, "{}", line.substr(m.at, m.length));
    all += line.substr(m.at + m.length);
    if (end < report.size()) all += '\n';
    at = end + 1;
  }
  return all;
}

std::string coloured(std::string report) { return are_wanted() ? with_colours(report) : report; }

}  // namespace pianola::tool
