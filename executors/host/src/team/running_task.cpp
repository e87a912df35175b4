// SPDX-License-Identifier: Apache-2.0
#include "pianola/host/running_task.hpp"

#include <utility>
#include <vector>

#include "pianola/host/thread_storage.hpp"

namespace pianola::host {

namespace {
thread_local executors::lane_position task_of_thread{};

struct after_task {
  std::vector<std::function<void()>> list;
};

}  // namespace

executors::lane_position running_task() noexcept { return task_of_thread; }

running_task_scope::running_task_scope(const executors::lane_position& task) noexcept {
  task_of_thread = task;
}
running_task_scope::~running_task_scope() { task_of_thread = {}; }

void after_running_task(std::function<void()> what) {
  thread_storage<after_task>::get().list.push_back(std::move(what));
}

void run_what_comes_after_task() noexcept {
  auto& list = thread_storage<after_task>::get().list;
  if (list.empty()) return;
  for (const std::function<void()>& what : std::exchange(list, {})) what();
}

}  // namespace pianola::host
