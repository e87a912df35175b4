// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <pianola/model/command.hpp>
#include <pianola/model/requirement.hpp>

#include "commands/argument_slots.hpp"

namespace pianola::runtime {

class buffer_table;

// Of kernels that are submitted outside of graphs: requirements name what the kernel touches, where the compiler knows it, if
// PIANOLA_NARROW asks for that. `requirements`: those of the command group's accessors, in their order; further ones come
// behind them. What was found out is kept for the next kernel with the same arguments, index space and shapes of buffers, as
// that takes several times as long as a submission. The runtime's lock is held. Throws model::user_error (platform) for
// another value of the variable.
void narrow_eagerly(const buffer_table& buffers, const model::kernel_command& kernel,
                    const model::argument_block& arguments, const found_slots& slots,
                    std::vector<model::requirement>& requirements);

}  // namespace pianola::runtime
