// SPDX-License-Identifier: Apache-2.0
// What the debug information and the unwind tables of this process say of its code. A plugin of the runtime
// (libpianola-source-lines.so), since what reads them is large and only recordings ask.
#pragma once
#include <cstddef>
#include <cstdint>

namespace pianola::source_lines {

// How the caller of a function is found from a place in it, on x86-64: the frame's address (CFA) is `offset` from the stack
// pointer or, if `by_frame_pointer`, from register rbp; what the function returns to is in the eight bytes before it. If
// `saved` is not 0, the caller's rbp is there, counted from the frame's address; else it is unchanged.
struct frame_rule {
  bool known = false;  // it is as simple as that
  bool last = false;   // nothing has called it
  bool by_frame_pointer = false;
  std::int32_t offset = 0;
  std::int32_t saved = 0;
};

// `in`: address of a call, or of any instruction of it. None is to be called by two threads at once.
struct functions {
  // Writes "file:line" of the call or, if that is in a header of Pianola's or of the standard library's and was inlined, of
  // the innermost call around it that is in none; the file without its folders, as clang names lambdas. Returns the length;
  // 0 if there is no such call, no debug information, or less room than `size` bytes.
  std::size_t (*line)(const void* in, char* to, std::size_t size) noexcept;
  frame_rule (*frame)(const void* in) noexcept;
  // Whether there is debug information in any code of the process.
  bool (*any)() noexcept;
  // Libraries may have been unloaded, and others have their addresses.
  void (*forget)() noexcept;
};

inline constexpr const char* plugin_name = "source-lines";
// What the plugin calls its functions.
inline constexpr const char* symbol_name = "pianola_source_lines_v1";

}  // namespace pianola::source_lines
