// SPDX-License-Identifier: Apache-2.0
// Text from anywhere (kernel names, labels, file names, files) made fit to be shown.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <pianola/model/command.hpp>
#include <pianola/model/geometry.hpp>

namespace pianola::formats {

// Bytes of the UTF-8 character that `text` starts with; 0 if it starts with none (overlong forms,
// surrogates and values beyond U+10FFFF are none).
[[nodiscard]] std::size_t utf8_character(std::string_view text) noexcept;

// Whether a character, in UTF-8, steers a terminal or a reader rather than being seen: control characters, separators of
// lines and paragraphs, marks and embeddings of direction.
[[nodiscard]] bool is_control(std::string_view character) noexcept;

// The text with everything that is no UTF-8 replaced by U+FFFD.
[[nodiscard]] std::string valid_utf8(std::string_view text);

// Valid UTF-8 without control characters (each becomes a blank): fits on one line of a terminal and
// cannot steer it. Longer than `characters`: its middle is replaced by "...".
[[nodiscard]] std::string one_line(std::string_view text, std::size_t characters = SIZE_MAX);

// A mangled name or std::type_info::name() as written in C++; anything else comes back as it is.
// For names that this program was compiled with, not for names from files.
[[nodiscard]] std::string demangled(const char* name);

// A C++ name without parameter lists, lambda signatures and, if it is long, template arguments. What clang says of
// where a lambda is, stays: "main::lambda at main.cpp:12".
[[nodiscard]] std::string short_name(std::string_view name, std::size_t characters = 48);

// Where in the sources a name says that it is, "main.cpp:12" of "copy at main.cpp:12" and "main.cpp:12:3" of "(lambda at
// main.cpp:12:3)": the last such place; empty if there is none. A part of `name`.
[[nodiscard]] std::string_view source_place(std::string_view name) noexcept;
// The name without all of them: "copy", "(lambda)". Names that differ in it are of other functions, and not only moved.
[[nodiscard]] std::string without_source_places(std::string_view name);

// "kernel", "copy", ...: the name that files use.
[[nodiscard]] const char* kind_name(const model::command&) noexcept;

// The command's label, or for a kernel without one its demangled name; empty if it has neither.
[[nodiscard]] std::string full_name(const model::command&);

[[nodiscard]] std::string hex(std::uint64_t);    // "0x" and 16 digits
[[nodiscard]] std::string bytes(std::uint64_t);  // "12 B", "1.5 MiB"
[[nodiscard]] std::string seconds(double);       // "0 s", "12.3 us", "1.50 ms": three digits
// Half-open intervals of the last `dimensions` coordinates: "[0,8)x[4,16)".
[[nodiscard]] std::string box_text(const model::box&, unsigned dimensions);
[[nodiscard]] std::string extent_text(const model::extent3&, unsigned dimensions);  // "8x16"

}  // namespace pianola::formats
