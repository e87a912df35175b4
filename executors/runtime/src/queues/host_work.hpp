// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <pianola/model/ids.hpp>

#include "machine/lane_table.hpp"

namespace pianola::runtime {

// Host tasks, and replays of graphs with such, that have not finished. They end when a function of the program does, which
// may wait for whatever the program does next. Expects the runtime's lock to be held.
class host_work {
 public:
  // Before it is submitted, so that `note` does not throw then. May throw std::bad_alloc.
  void make_room(const lane_table& lanes) {
    if (tasks_.size() >= looked_at_) {
      forget_finished(lanes);
      looked_at_ = 2 * tasks_.size() + 64;
    }
    if (tasks_.size() == tasks_.capacity()) tasks_.reserve(2 * tasks_.size() + 8);
  }
  void note(model::step_id step, std::uint64_t queue) { tasks_.push_back({step, queue}); }
  // Of another queue than this one.
  [[nodiscard]] bool any_beside(std::uint64_t queue, const lane_table& lanes) {
    forget_finished(lanes);
    return std::any_of(tasks_.begin(), tasks_.end(),
                       [&](const task& t) { return t.queue != queue; });
  }

 private:
  struct task {
    model::step_id step;
    std::uint64_t queue;
  };

  void forget_finished(const lane_table& lanes) {
    tasks_.erase(std::remove_if(tasks_.begin(), tasks_.end(),
                                [&](const task& t) { return lanes.finished(t.step); }),
                 tasks_.end());
  }

  std::vector<task> tasks_;
  std::size_t looked_at_ = 64;  // at so many
};

}  // namespace pianola::runtime
