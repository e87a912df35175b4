// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "machine/lane_table.hpp"
#include "replay/executable/control_step.hpp"

namespace pianola::runtime {

struct body_times;
class graph_instance;
class process;

// The step is a host task: a thread of the team hands the graphs to the backends and looks at the condition in between, so
// the program's threads may do anything else meanwhile.
class control_runner final : public control_step {
 public:
  control_runner(const control& what, step_context::replay_state& of, std::size_t command,
                 bool node_times);
  ~control_runner() override;

  void bind(process& rt, const planned_graph& holder) override;
  void check_addresses(process& rt) override;
  [[nodiscard]] executors::resolved_action action() noexcept override;

 private:
  struct body {
    std::shared_ptr<graph_instance> graph;
    side_lane lane;
  };

  void take_lane(process& rt, body& b);
  void run();
  void run_bodies();
  void repeat();
  // Runs it once, to the end, on this thread if that can do it. False if something has failed, and so what comes next
  // would work on data that is not there.
  [[nodiscard]] bool run_once(body& b);
  [[nodiscard]] bool run_here(const body& b);
  void launch(body& b);
  [[nodiscard]] bool succeeded(const body& b) noexcept;
  // Where bodies note when they run their commands, from now on; null: nowhere.
  void note_times_in(body_times* of_bodies) noexcept;
  // A round of it has finished.
  void end_round(const body& b) noexcept;
  [[nodiscard]] std::uint64_t queue() const noexcept {
    return of_.queue.load(std::memory_order_relaxed);
  }
  [[nodiscard]] model::step_id step() const noexcept {
    return model::step_id(of_.step.load(std::memory_order_relaxed));
  }
  [[nodiscard]] bool holds() const noexcept;
  [[nodiscard]] std::uint64_t number() const noexcept;

  step_context::replay_state& of_;
  std::size_t command_;
  std::uint64_t runs_ = 0;  // of bodies, in the replay that is running
  std::vector<body> bodies_;
  body_times* times_ = nullptr;  // index: body; null: nobody asks
};

}  // namespace pianola::runtime
