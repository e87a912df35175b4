// SPDX-License-Identifier: Apache-2.0
// What a command of a graph runs: other graphs, repeatedly or by choice.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include <pianola/executors/resolved_step.hpp>
#include <pianola/model/control_kind.hpp>
#include <pianola/planner/plan.hpp>

#include "failures/step_context.hpp"
#include "machine/lane_table.hpp"
#include "replay/recorded/graph.hpp"

namespace pianola::runtime {

class executable_graph;

// As recorded. A subgraph_command refers to it, and the graph that holds the command keeps it.
struct control {
  struct body {
    graph::snapshot recorded;
    planner::plan plan;  // follows itself
  };
  model::control_kind what = model::control_kind::repeat;
  std::uint64_t count = 0;
  std::uint32_t bytes = 0;  // of the condition, an integer
  bool is_signed = false;
  const void* pointer = nullptr;  // of the condition, if that is in no buffer
  std::uint64_t byte_offset = 0;  // of the condition in its buffer
  model::device_id device;        // of the graphs
  std::vector<body> bodies;
};

// Null: the command is none of these.
[[nodiscard]] inline const control* control_of(const model::command& c) noexcept {
  const auto* const s = std::get_if<model::subgraph_command>(&c.payload);
  return s != nullptr && s->control != model::control_kind::once
             ? static_cast<const control*>(s->graph)
             : nullptr;
}

// Runs the graphs of one command of an executable graph. Its step is a host task: a thread of the team hands the graphs
// to the backends and looks at the condition in between, so the program's threads may do anything else meanwhile.
class control_runner {
 public:
  // `of`: which replay the graph runs that the command is in. Without the runtime's lock.
  control_runner(const control& what, step_context::replay_state& of);
  ~control_runner();
  control_runner(const control_runner&) = delete;
  control_runner& operator=(const control_runner&) = delete;

  // What parameters of the graphs stand for from now on: what `holder`, which has the command, works on. While no replay is
  // under way; the runtime's lock is held.
  void bind(process& rt, const executable_graph& holder);
  // Where the condition is from now on. While no replay is under way.
  void find_condition(const void* at) noexcept { condition_ = at; }
  [[nodiscard]] executors::resolved_host_task action() noexcept;

 private:
  struct body {
    std::shared_ptr<executable_graph> graph;
    side_lane lane;
  };

  void take_lane(process& rt, body& b);
  void run();
  void repeat();
  // Runs it once, to the end, on this thread if that can do it. False if something has failed, and so what comes next
  // would work on data that is not there.
  [[nodiscard]] bool run_once(body& b);
  [[nodiscard]] bool run_here(const body& b);
  void launch(body& b);
  [[nodiscard]] bool succeeded(const body& b) noexcept;
  [[nodiscard]] std::uint64_t queue() const noexcept {
    return of_.queue.load(std::memory_order_relaxed);
  }
  [[nodiscard]] model::step_id step() const noexcept {
    return model::step_id(of_.step.load(std::memory_order_relaxed));
  }
  [[nodiscard]] bool holds() const noexcept;
  [[nodiscard]] std::uint64_t number() const noexcept;

  const control& what_;
  step_context::replay_state& of_;
  std::vector<body> bodies_;
  const void* condition_ = nullptr;
};

}  // namespace pianola::runtime
