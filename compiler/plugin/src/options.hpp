// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pianola/compiler/kernel.hpp"

namespace pianola::compiler {

/// What the command line said with -mllvm -pianola-...; ends the program with a message (exit code 2) on
/// values that make no sense: the driver checks them before.
options command_line_options();

}  // namespace pianola::compiler
