// SPDX-License-Identifier: Apache-2.0
// What travels with the step of a command: plain bytes, which come back when it fails or waits for attention.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>
#include <pianola/runtime/submission.hpp>

#include "submit/submit.hpp"

namespace pianola::runtime {

class process;

// Where what the command writes is valid now, in case that it never runs: kept for the next `make_context` of this thread.
// Of use where there are several memories: with one the answer is always the same.
void note_validity_before(const process& rt, const std::vector<model::requirement>& requirements);

// The bytes of a step_context and its boxes, valid until the next call on this thread. `record`: of a step that is timed.
[[nodiscard]] model::array_view<const std::byte> make_context(
    const process& rt, const queue& q, const submission& s, const model::command& command,
    model::step_id step, model::memory_id memory, std::shared_ptr<event_record>* record,
    const place_in_group& place);

}  // namespace pianola::runtime
