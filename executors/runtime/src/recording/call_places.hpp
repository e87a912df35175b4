// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace pianola::runtime {

// What was called for, and where in the sources: "host waits for queue at main.cpp:57", of the innermost call that is
// neither in the library nor in its headers. As it was if the program has no debug information there, or if it tells
// already where it is. Needs no lock of the runtime.
[[nodiscard]] std::string with_call_place(std::string_view what);

}  // namespace pianola::runtime
