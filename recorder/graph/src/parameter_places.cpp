// SPDX-License-Identifier: Apache-2.0
#include "pianola/recorder/parameter_places.hpp"

#include <algorithm>
#include <cstring>

namespace pianola::recorder {

void parameter_places::note(std::uint32_t command, const model::argument_block& arguments) {
  places_.erase(std::remove_if(places_.begin(), places_.end(),
                               [&](const place& p) { return p.command == command; }),
                places_.end());
  const auto* bytes = static_cast<const unsigned char*>(arguments.bytes);
  for (std::uint32_t at = 0; at + 8 <= arguments.size; at += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes + at, sizeof word);
    if (is_parameter_(word)) places_.push_back({word, command, at});
  }
}

}  // namespace pianola::recorder
