// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace pianola::runtime {

// Where the plugin of this name is: in `pianola/` beside the library, or where PIANOLA_PLUGIN_PATH says.
[[nodiscard]] std::string plugin_path(const std::string& name);

}  // namespace pianola::runtime
