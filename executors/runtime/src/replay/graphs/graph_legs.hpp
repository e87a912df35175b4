// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pianola/runtime/ids.hpp>

namespace pianola::runtime {

// Cuts the recordings that are split at waits and use the buffer, for who is about to look at it. Needs no lock to be held.
void cut_recordings_of(buffer_key buffer);

}  // namespace pianola::runtime
