// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "command_line.hpp"
#include "installation.hpp"

namespace pianola::driver {

/// The command, program first, that does what was asked for.
std::vector<std::string> clang_command(const command_line& asked, const installation& where,
                                       const std::string& clang);

/// Options of the plugin that say where it finds and keeps files.
std::vector<std::string> plugin_folders(const own_options& own);

/// Adds an option of the plugin's to a command of clang's.
void add_for_plugin(std::vector<std::string>& command, const std::string& option);

/// The command as text that a POSIX shell reads as the same words.
std::string quoted(const std::vector<std::string>& command);

}  // namespace pianola::driver
