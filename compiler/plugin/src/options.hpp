// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pianola/compiler/kernel.hpp"

namespace pianola::compiler {

/// What the command line said with -mllvm -pianola-...; ends the program with a message (exit code 2) on
/// values that make no sense: the driver checks them before.
options command_line_options();

/// Whether units are parsed again with `__SYCL_DEVICE_ONLY__`: those that ask for the macro, all, or none.
enum class device_pass_choice : std::uint8_t { where_asked, on, off };
device_pass_choice chosen_device_pass();

/// The second parse of the unit that is being compiled, as bitcode; empty: there is none. Written by the part of the
/// plugin that runs in clang's front end.
std::string& device_pass_bitcode();

/// Mangled names of the variables of devices that the unit's parses have seen, one perhaps twice. Written there likewise.
std::vector<std::string>& device_variable_names();

}  // namespace pianola::compiler
