// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace pianola::runtime {

// Loads what call_place asks. Comes before any lock of the runtime is held: loading takes the loader's own lock, which
// another thread may hold that waits for the runtime's.
void prepare_call_places();

// Where in the sources the library was called: the innermost call that is neither in it nor in its headers. A number, which
// stays what it is; 0 if the program has no debug information there. Needs no lock of the runtime.
[[nodiscard]] std::uint32_t call_place();

// What was called for, and where: "host waits for queue at main.cpp:57". As it was for place 0, or if it tells already
// where it is.
[[nodiscard]] std::string at_place(std::string_view what, std::uint32_t place);

}  // namespace pianola::runtime
