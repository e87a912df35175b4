// SPDX-License-Identifier: Apache-2.0
// Kernels that read how much of their geometry they run: model::kernel_descriptor::read_range.
#pragma once
#include <cstdint>
#include <string>

#include <pianola/executors/resolved_step.hpp>

namespace pianola::host {

// What of these units runs now. Throws model::user_error (invalid) if the kernel reads what is beyond its bound.
[[nodiscard]] model::box part_that_runs(const executors::resolved_kernel& kernel,
                                        const model::box& units);

// For people: that the kernel read this number, which its bound does not allow.
[[nodiscard]] std::string beyond_bound(const executors::resolved_kernel& kernel,
                                       std::uint64_t number);

}  // namespace pianola::host
