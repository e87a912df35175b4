// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <exception>

#include <pianola/executors/resolved_step.hpp>

#include "failures/step_context.hpp"

namespace pianola::runtime {

class process;

// What executors call around steps: profiling times, and what to do when something fails.
[[nodiscard]] executors::step_observer make_observer(const std::atomic<bool>& attention) noexcept;

// The step did not run: what it should have written holds what it held, where that was. Everything before the step
// has finished; the runtime's lock is held.
void take_back(process& rt, const step_context& s, const std::exception_ptr& cause);

}  // namespace pianola::runtime
