// SPDX-License-Identifier: Apache-2.0
// Which step's program code the calling thread runs: host tasks, which have threads of their own and may wait.
#pragma once
#include <pianola/executors/backend.hpp>
#include <pianola/executors/progress.hpp>

namespace pianola::host {

// No lane: none.
[[nodiscard]] executors::lane_position running_task() noexcept;

class running_task_scope {
 public:
  explicit running_task_scope(const executors::lane_position& task) noexcept;
  ~running_task_scope();
  running_task_scope(const running_task_scope&) = delete;
  running_task_scope& operator=(const running_task_scope&) = delete;
};

}  // namespace pianola::host
