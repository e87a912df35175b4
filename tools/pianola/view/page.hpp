// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pianola::tool {

// The page without its data, in pieces, as tools/view builds it. None: it was not built, because npm was not there.
[[nodiscard]] const std::vector<std::string_view>& page_pieces();

// The page with its data. Throws model::user_error (invalid) if this program was built without the page.
[[nodiscard]] std::string page_with(std::string_view data);

}  // namespace pianola::tool
