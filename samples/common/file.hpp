// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace samples {

/// The bytes of a file, at most 512 MiB. Throws input_error if it cannot be read or is larger.
std::string read_file(const std::string& path);

/// Replaces a file. Throws input_error if it cannot be written in full.
void write_file(const std::string& path, const std::string& bytes);

/// Creates a folder and those above it. Throws input_error if that fails.
void make_folder(const std::string& path);

}  // namespace samples
