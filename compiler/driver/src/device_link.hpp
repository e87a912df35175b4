// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "command_line.hpp"
#include "installation.hpp"

namespace pianola::driver {

/// Runs `command`, which clang_command() made of `asked` and which links. Where what it linked has kernels that wait for
/// the functions of other translation units, links again, with this program in the linker's place.
/// @throws usage_error if something cannot be run. Does not return: this process ends as clang did.
[[noreturn]] void compile_and_link(const command_line& asked, const installation& where,
                                   const std::string& clang,
                                   const std::vector<std::string>& command);

/// Whether this process was started by clang, in the linker's place.
bool is_linker_command(const std::vector<std::string>& arguments);

/// Links, with an object that holds the images of kernels that wait: finds out what the linker takes in, lets clang's
/// plugin make the object of that, and links once more. Returns the exit status.
/// @throws usage_error if something cannot be run.
int link_with_images(const std::vector<std::string>& arguments);

}  // namespace pianola::driver
