// SPDX-License-Identifier: Apache-2.0
// What a command of a graph runs: other graphs, repeatedly or by choice.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include <pianola/executors/backend.hpp>
#include <pianola/executors/resolved_step.hpp>
#include <pianola/model/control_kind.hpp>
#include <pianola/planner/plan.hpp>

#include "failures/step_context.hpp"
#include "machine/lane_table.hpp"
#include "replay/recorded/graph.hpp"

namespace pianola::runtime {

class executable_graph;
class process;

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
  bool on_device = false;         // it runs in the device's own graph, where the condition is
  std::vector<body> bodies;
};

// Null: the command is none of these.
[[nodiscard]] inline const control* control_of(const model::command& c) noexcept {
  const auto* const s = std::get_if<model::subgraph_command>(&c.payload);
  return s != nullptr && s->control != model::control_kind::once
             ? static_cast<const control*>(s->graph)
             : nullptr;
}

// How the graphs of one command of an executable graph get to run.
class control_step {
 public:
  // Without the runtime's lock.
  explicit control_step(const control& what) : what_(what), condition_(what.pointer) {}
  virtual ~control_step() = default;
  control_step(const control_step&) = delete;
  control_step& operator=(const control_step&) = delete;

  // What parameters of the graphs stand for from now on: what `holder`, which has the command, works on. While no replay is
  // under way; the runtime's lock is held.
  virtual void bind(process& rt, const executable_graph& holder) = 0;
  // Where the condition is from now on. While no replay is under way.
  void find_condition(const void* at) noexcept { condition_ = at; }
  [[nodiscard]] virtual executors::resolved_action action() noexcept = 0;

 protected:
  const control& what_;
  const void* condition_ = nullptr;
};

// `of`: which replay the graph runs that the command is in. Without the runtime's lock.
[[nodiscard]] std::shared_ptr<control_step> make_control_step(const control& what,
                                                              step_context::replay_state& of);

// The step is a host task: a thread of the team hands the graphs to the backends and looks at the condition in between, so
// the program's threads may do anything else meanwhile.
class control_runner final : public control_step {
 public:
  control_runner(const control& what, step_context::replay_state& of);
  ~control_runner() override;

  void bind(process& rt, const executable_graph& holder) override;
  [[nodiscard]] executors::resolved_action action() noexcept override;

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

  step_context::replay_state& of_;
  std::vector<body> bodies_;
};

// The step is one of the device's: its graph runs the others, and nobody looks on.
class control_on_device final : public control_step {
 public:
  explicit control_on_device(const control& what);

  void bind(process& rt, const executable_graph& holder) override;
  [[nodiscard]] executors::resolved_action action() noexcept override;

 private:
  std::vector<std::shared_ptr<executable_graph>> bodies_;
  std::vector<model::array_view<const executors::graph_step>> steps_;  // index: as bodies_
};

}  // namespace pianola::runtime
