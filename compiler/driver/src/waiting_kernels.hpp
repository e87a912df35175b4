// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace pianola::driver {

/// Whether the file is a program or shared library with kernels that wait for their code for devices: they call functions
/// of other translation units. False for anything else and for what cannot be read.
bool has_waiting_kernels(const std::string& path);

}  // namespace pianola::driver
