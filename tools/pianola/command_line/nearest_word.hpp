// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pianola::tool {

// The word that was probably meant: the one that takes the fewest letters inserted, left out, replaced or swapped with
// their neighbour, if that are few for its length; empty if there is none.
[[nodiscard]] std::string nearest_word(std::string_view word,
                                       const std::vector<std::string>& known);

}  // namespace pianola::tool
