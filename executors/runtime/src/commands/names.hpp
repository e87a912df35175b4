// SPDX-License-Identifier: Apache-2.0
// What commands are called in messages and files.
#pragma once
#include <string>

#include <pianola/model/command.hpp>

namespace pianola::runtime {

// The command's label, a kernel's name, or the kind.
[[nodiscard]] const char* display_name(const model::command& c) noexcept;
// The same for files, with what the compiler knows of where a kernel's lambda is.
[[nodiscard]] std::string label_for_files(const model::command& c);

}  // namespace pianola::runtime
