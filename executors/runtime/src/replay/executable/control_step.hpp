// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>

#include <pianola/executors/resolved_step.hpp>

#include "failures/step_context.hpp"
#include "replay/recorded/control.hpp"

namespace pianola::runtime {

struct planned_graph;
class process;

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
  virtual void bind(process& rt, const planned_graph& holder) = 0;
  // graph_instance::check_addresses of graphs that are launched. Under the same terms; throws user_error.
  virtual void check_addresses(process&) {}
  // Where the condition is from now on. While no replay is under way.
  void find_condition(const void* at) noexcept { condition_ = at; }
  [[nodiscard]] virtual executors::resolved_action action() noexcept = 0;

 protected:
  const control& what_;
  const void* condition_ = nullptr;
};

// `of`: which replay the graph runs that the command, of this number, is in. `node_times`: as in replay_options. Without the
// runtime's lock.
[[nodiscard]] std::shared_ptr<control_step> make_control_step(const control& what,
                                                              step_context::replay_state& of,
                                                              std::size_t command, bool node_times);

}  // namespace pianola::runtime
