// SPDX-License-Identifier: Apache-2.0
// What the command line takes, told to shells and to man, from the options themselves.
#pragma once
#include <string>

#include <CLI/CLI.hpp>

namespace pianola::tool {

// Scripts that complete subcommands and options, and file names elsewhere.
[[nodiscard]] std::string bash_completion(const CLI::App& app);
[[nodiscard]] std::string zsh_completion(const CLI::App& app);
[[nodiscard]] std::string fish_completion(const CLI::App& app);

// In the language of man: the program as a whole, with all that its subcommands take.
[[nodiscard]] std::string manual_page(const CLI::App& app, const std::string& version);

// For programs: pianola.command_line/1.
[[nodiscard]] std::string json_of_command_line(const CLI::App& app);

}  // namespace pianola::tool
