// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pianola::tool {

// The page without its data, in pieces, as tools/view builds it. None: it was not built, because npm was not there.
[[nodiscard]] const std::vector<std::string_view>& page_pieces();

enum class page_use : std::uint8_t {
  alone,  // loads nothing
  served  // may ask whoever serves it
};
// The page with its data. Throws model::user_error (invalid) if this program was built without the page.
[[nodiscard]] std::string page_with(std::string_view data, page_use use = page_use::alone);

}  // namespace pianola::tool
