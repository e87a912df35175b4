// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <pianola/model/ids.hpp>

namespace pianola::runtime {

// Names a buffer for ever: slot in the low 32 bits, generation in the high ones. Never used again,
// so a stale key is recognised and reported, not followed. The default key names no buffer.
using buffer_key = model::strong_id<struct buffer_key_tag, std::uint64_t>;

}  // namespace pianola::runtime
