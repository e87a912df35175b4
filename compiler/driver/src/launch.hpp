// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace pianola::driver {

/// For build systems that put a launcher before the compiler:
///   pianolacc [own options] --pianola-launch=CC [launcher...] CC arguments...
/// means: launcher... pianolacc [own options] arguments..., where CC is left out.
struct launch {
  std::vector<std::string> launcher;   ///< another one that was chosen before; mostly empty
  std::vector<std::string> arguments;  ///< for pianolacc
};

/// Nothing special without --pianola-launch: all arguments are pianolacc's.
/// @throws usage_error if CC is not among the arguments.
launch read_launch(const std::vector<std::string>& arguments);

}  // namespace pianola::driver
