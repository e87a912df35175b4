// SPDX-License-Identifier: Apache-2.0
// For programs whose kernels are compiled so that they ask before they touch memory.
#pragma once
#include <string>

namespace pianola::runtime {

// There are such kernels. Buffers that get their memory later are set up for it.
void expect_access_checks() noexcept;

// "kernel 'name' at file:line:column: ", as far as it is known; nothing outside of kernels.
[[nodiscard]] std::string place_of_subscript();

}  // namespace pianola::runtime
