// SPDX-License-Identifier: Apache-2.0
// Waits of a host task for what cannot end before the host task itself has: they would last for ever, and are refused.
// Certain is that for the task's own step, for what comes behind it in its lane, and for what the task has submitted that
// waits for one of these.
#pragma once
#include <pianola/executors/progress.hpp>
#include <pianola/host/running_task.hpp>
#include <pianola/model/array_view.hpp>

namespace pianola::runtime {

// Whether the calling thread runs a host task.
[[nodiscard]] inline bool in_host_task() noexcept { return host::running_task().lane != nullptr; }

// So that the next `note_submitted` does not throw. May throw std::bad_alloc.
void make_room_to_note();
// The calling thread's host task has submitted a step, which waits for those.
void note_submitted(const executors::lane_position& step,
                    model::array_view<const executors::lane_position> waits);

// Whether one of these is such a wait.
[[nodiscard]] bool waits_for_own_task(
    model::array_view<const executors::lane_position> positions) noexcept;
// Throws model::user_error (invalid): it is. `what` is waited for.
[[noreturn]] void refuse_own_wait(const char* what);
// Throws that if one of these is such a wait.
void refuse_own_wait(model::array_view<const executors::lane_position> positions, const char* what);

}  // namespace pianola::runtime
