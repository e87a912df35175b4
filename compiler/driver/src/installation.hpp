// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace pianola::driver {

/// What pianolacc works with. All but clang lies at a fixed place beside the program, in a build tree as in
/// an installation, wherever that was moved to.
struct installation {
  std::string self;
  std::string plugin;
  std::string sum;                   ///< a file that changes when pianolacc or the plugin do
  std::string libraries;             ///< the folder of libpianola.so
  std::vector<std::string> headers;  ///< include folders
};

/// @throws usage_error where the plugin is missing.
installation find_installation();

/// `chosen`, the value of PIANOLA_CLANG, if it is not empty (a path, or a name to look for in PATH); else the
/// clang that Pianola was configured with; else clang++-19 in PATH or at Debian's place. `chosen` may be null.
/// @throws usage_error if there is none, or what was chosen is no clang 19.
std::string find_clang(const char* chosen);

}  // namespace pianola::driver
