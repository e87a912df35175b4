// SPDX-License-Identifier: Apache-2.0
// Which step's program code the calling thread runs: host tasks, which have threads of their own and may wait.
#pragma once
#include <functional>

#include <pianola/executors/backend.hpp>
#include <pianola/executors/progress.hpp>

namespace pianola::host {

// No lane: none.
[[nodiscard]] executors::lane_position running_task() noexcept;

// Has `what`, which throws nothing, called by this thread as soon as the step that it runs counts as done. Only where there
// is one.
void after_running_task(std::function<void()> what);
// For whoever has run a task.
void run_what_comes_after_task() noexcept;

class running_task_scope {
 public:
  explicit running_task_scope(const executors::lane_position& task) noexcept;
  ~running_task_scope();
  running_task_scope(const running_task_scope&) = delete;
  running_task_scope& operator=(const running_task_scope&) = delete;
};

}  // namespace pianola::host
