// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>

#include <pianola/executors/resolved_step.hpp>

namespace pianola::runtime {

// What executors call around steps: profiling times, and what to do when something fails.
[[nodiscard]] executors::step_observer make_observer(const std::atomic<bool>& attention) noexcept;

}  // namespace pianola::runtime
