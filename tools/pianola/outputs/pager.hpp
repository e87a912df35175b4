// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace pianola::tool {

// Shows text that a terminal at standard output has not enough lines for, in the program that PAGER names or in less.
// False: nothing was shown, since standard output is no terminal, the text is short or not text, or there is no such program.
[[nodiscard]] bool paged(const std::string& text);

}  // namespace pianola::tool
