// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include <pianola/formats/file_bytes.hpp>

#include "layout.hpp"

namespace pianola::executable {

// Finds the sections. Throws model::user_error (invalid) if this is no such file, another version, or has been damaged.
// `sum`: the checksum of what comes after it, if somebody has made it already.
[[nodiscard]] file_layout find_sections(const formats::file_bytes& bytes, const std::string& source,
                                        std::optional<std::uint64_t> sum = {});

// Every number in the sections names something, every box lies where it must: see `file`. Throws as above.
void check_records(const file_layout& layout, const std::string& source);

}  // namespace pianola::executable
