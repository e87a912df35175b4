// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pianola/model/topology.hpp>

namespace pianola::runtime {

// PIANOLA_TOPOLOGY=machine.json: puts what was measured (speeds of devices, of links, times of kernels) in the place of what
// backends say of this machine. What there is stays as it is. Throws model::user_error (invalid) if the file cannot be read or
// is of other devices.
void take_measured(model::topology& machine);

}  // namespace pianola::runtime
