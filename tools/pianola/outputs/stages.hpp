// SPDX-License-Identifier: Apache-2.0
// What the program is at, on standard error if that is a terminal, once it has worked for a second.
#pragma once
#include <string>

namespace pianola::tool {

// The next stage of the work begins. `what` may come from files: it is shown on one line.
void begin_stage(const std::string& what);

// Nothing of it stays on the terminal, and no stage is shown from now on. Comes before anything is written.
void end_stages() noexcept;

}  // namespace pianola::tool
