// SPDX-License-Identifier: Apache-2.0
#include "execute/own_waits.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <pianola/host/thread_storage.hpp>
#include <pianola/model/error.hpp>

namespace pianola::runtime {

using executors::lane_position;

namespace {

// What the thread's host task has submitted and cannot wait for. Of the task that is named: a later one starts anew.
struct submitted_behind {
  lane_position task{};
  std::vector<lane_position> steps;
};

// The step itself, or a later one of the lane, which ends after it.
bool is_behind(const lane_position& p, const lane_position& step) noexcept {
  return p.lane == step.lane && p.position >= step.position;
}

bool waits_for(const lane_position& p, const lane_position& task) noexcept {
  if (is_behind(p, task)) return true;
  const submitted_behind& mine = host::thread_storage<submitted_behind>::get();
  return is_behind(mine.task, task) && is_behind(task, mine.task) &&
         std::any_of(mine.steps.begin(), mine.steps.end(),
                     [&](const lane_position& s) { return is_behind(p, s); });
}

}  // namespace

void make_room_to_note() {
  std::vector<lane_position>& steps = host::thread_storage<submitted_behind>::get().steps;
  if (steps.size() == steps.capacity()) steps.reserve(2 * steps.size() + 4);
}

void note_submitted(const lane_position& step, model::array_view<const lane_position> waits) {
  const lane_position task = host::running_task();
  if (std::none_of(waits.begin(), waits.end(),
                   [&](const lane_position& w) { return waits_for(w, task); }))
    return;
  submitted_behind& mine = host::thread_storage<submitted_behind>::get();
  if (mine.task.lane != task.lane || mine.task.position != task.position) {
    mine.task = task;
    mine.steps.clear();
  }
  // One per lane: those behind it are as well.
  if (!waits_for(step, task)) mine.steps.push_back(step);
}

bool waits_for_own_task(model::array_view<const lane_position> positions) noexcept {
  const lane_position task = host::running_task();
  return task.lane != nullptr &&
         std::any_of(positions.begin(), positions.end(),
                     [&](const lane_position& p) { return waits_for(p, task); });
}

void refuse_own_wait(model::array_view<const lane_position> positions, const char* what) {
  if (waits_for_own_task(positions)) refuse_own_wait(what);
}

void refuse_own_wait(const char* what) {
  throw model::user_error(
      model::error_code::invalid,
      fmt::format("a host task waits for {}, which cannot end before the host task itself has: "
                  "that would last for ever. Let the program wait, or a command that depends on "
                  "the host task do the rest",
                  what));
}

}  // namespace pianola::runtime
