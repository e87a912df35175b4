// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace pianola::driver {

/// The text of --help, where `clang` is the path of the compiler that takes all other options.
std::string help_text(const std::string& clang);

/// The first line of --version, before clang's.
std::string version_line();

}  // namespace pianola::driver
