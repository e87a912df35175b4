// SPDX-License-Identifier: Apache-2.0
// What the command line takes, as whoever describes it asks for it.
#pragma once
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace pianola::tool {

[[nodiscard]] std::vector<const CLI::App*> subcommands_of(const CLI::App& app);

// "--output", "-o", of all options that have such names; "--help" is one of them.
[[nodiscard]] std::vector<std::string> names_of(const CLI::Option& option);
[[nodiscard]] std::vector<const CLI::Option*> options_of(const CLI::App& app);

// What the option takes, if that is one of some words.
[[nodiscard]] std::vector<std::string> values_of(const CLI::Option& option);

// Whether a value follows the option, as a word or behind "=".
[[nodiscard]] bool needs_value(const CLI::Option& option);
// Whether it may have one, behind "=" alone.
[[nodiscard]] bool may_have_value(const CLI::Option& option);
// Whether its value may be the name of a file.
[[nodiscard]] bool takes_text(const CLI::Option& option);

// Null: there is none.
[[nodiscard]] const CLI::Option* first_positional(const CLI::App& app);

// On one line.
[[nodiscard]] std::string folded(std::string text);

}  // namespace pianola::tool
