// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace pianola::planner {

// Text as a quoted string of Graphviz' language: shown as it is, no escapes, no entities.
[[nodiscard]] inline std::string dot_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '&':
        out += "&amp;";
        break;
      case '\n':
        out += "\\n";
        break;
      default:
        out += c;
    }
  }
  return out + '"';
}

// Lines with the first `maximum`, and how many more there are.
[[nodiscard]] inline std::string first_lines(const std::vector<std::string>& lines,
                                             std::size_t maximum) {
  std::string text;
  for (std::size_t i = 0; i < lines.size() && i < maximum; ++i)
    text += (text.empty() ? "" : "\n") + lines[i];
  if (lines.size() > maximum) text += fmt::format("\n... and {} more", lines.size() - maximum);
  return text;
}

}  // namespace pianola::planner
