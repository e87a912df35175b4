// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace pianola::formats {

inline constexpr std::uint64_t maximum_file_bytes = std::uint64_t{1} << 30;

// The whole file. Throws model::user_error (invalid) with path and reason if it cannot be read, is a
// directory, or holds more than `maximum` bytes.
[[nodiscard]] std::string read_file(const std::string& path,
                                    std::uint64_t maximum = maximum_file_bytes);

// Replaces the file's contents. Throws model::user_error (invalid) with path and reason.
void write_file(const std::string& path, std::string_view contents);

}  // namespace pianola::formats
