// SPDX-License-Identifier: Apache-2.0
#include "pianola/host/running_task.hpp"

namespace pianola::host {

namespace {
thread_local executors::lane_position task_of_thread{};
}

executors::lane_position running_task() noexcept { return task_of_thread; }

running_task_scope::running_task_scope(const executors::lane_position& task) noexcept {
  task_of_thread = task;
}
running_task_scope::~running_task_scope() { task_of_thread = {}; }

}  // namespace pianola::host
