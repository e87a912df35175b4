// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <pianola/formats/file_bytes.hpp>

#include "layout.hpp"

namespace pianola::executable {

// Finds the sections. Throws model::user_error (invalid) if this is no such file, another version, or has been damaged.
[[nodiscard]] file_layout find_sections(const formats::file_bytes& bytes,
                                        const std::string& source);

// Every number in the sections names something, every box lies where it must: see `file`. Throws as above.
void check_records(const file_layout& layout, const std::string& source);

}  // namespace pianola::executable
