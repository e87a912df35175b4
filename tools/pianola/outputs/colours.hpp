// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace pianola::tool {

// A report for people, with colours for kinds of commands, transfers, headings and problems, where standard output is a
// terminal and nobody has set NO_COLOR (https://no-color.org) or says that the terminal knows none; else as it is.
[[nodiscard]] std::string coloured(std::string report);

// The same, whatever standard output is.
[[nodiscard]] std::string with_colours(const std::string& report);

}  // namespace pianola::tool
