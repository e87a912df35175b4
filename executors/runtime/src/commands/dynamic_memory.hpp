// SPDX-License-Identifier: Apache-2.0
// Local memory in recorded kernels whose size can be changed (dynamic_local_accessor, dynamic_work_group_memory).
#pragma once
#include <cstdint>

#include <pianola/runtime/submission.hpp>

namespace pianola::runtime {

// Gives each such memory in the arguments its place behind the local memory that the command group has asked for, and
// returns how many bytes a work-group needs of all together. `bytes` before there was any: what was asked for.
std::uint32_t lay_out_dynamic_memory(const model::argument_block& arguments, std::uint32_t bytes);
// The same for a command group, which may have been laid out before. Throws model::user_error (kernel_argument) if its
// kernel has no work-groups that could share the memory.
void lay_out_dynamic_memory(submission& s);
// Throws model::user_error (invalid) if there is such memory: its command is not one of a graph.
void refuse_dynamic_memory(const submission& s);

}  // namespace pianola::runtime
