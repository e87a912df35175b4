// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <pianola/abi/simulated.h>

namespace pianola::test {

/// Does what pianola_sim_calls.atomic promises, in one indivisible step for all threads of the process.
std::uint64_t do_atomic(const pianola_sim_atomic& access);

}  // namespace pianola::test
