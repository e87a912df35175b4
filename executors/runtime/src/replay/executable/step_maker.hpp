// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <pianola/executors/backend.hpp>
#include <pianola/model/accessible_box.hpp>
#include <pianola/model/arena.hpp>
#include <pianola/planner/plan.hpp>

#include "failures/step_context.hpp"
#include "replay/executable/host_staging.hpp"
#include "replay/executable/planned_graph.hpp"
#include "replay/executable/slot_storage.hpp"
#include "replay/values/own_arguments.hpp"

namespace pianola::planner {
class machine_costs;
}

namespace pianola::runtime {

class control_step;
class process;

// Makes steps of a planned graph as executors take them: with addresses, and with arguments of their own. Native graphs
// point to what it keeps. All but `make_controls` with the runtime's lock.
class step_maker {
 public:
  // Steps belong to what `running` says.
  step_maker(const planned_graph& g, step_context::replay_state& running)
      : g_(g), running_(running) {}

  // Commands that run graphs get executable ones of their own. `node_times`: as in replay_options. Without the runtime's lock.
  void make_controls(bool node_times);
  // The program's, in the graph or in one that it runs.
  [[nodiscard]] bool has_host_tasks() const noexcept { return has_host_tasks_; }

  // Where copies over the host stop, and what is not there all the time is kept.
  void set_staging(host_staging staging) { staging_ = std::move(staging); }
  void set_slots(slot_storage slots) { slots_ = std::move(slots); }
  // Uses those of another instance, which does not run at the same time.
  void share_storage(const step_maker& other) {
    staging_ = other.staging_;
    slots_ = other.slots_;
  }
  [[nodiscard]] std::size_t slot_bytes() const noexcept { return slots_.bytes(); }

  // All steps are to be made, each of them once.
  void begin();
  // They are to be made, perhaps not for the first time: in the arguments that they have.
  void begin_again();
  // `out` but for its order and priority, and its context.
  void make(process& rt, std::uint32_t step, const planner::machine_costs& costs,
            executors::graph_step& out);
  // What goes through the executors with a step and comes back.
  [[nodiscard]] context_head context_of(std::uint32_t step) const noexcept;
  // Nanoseconds that a step takes, by the model.
  [[nodiscard]] double expected(const planner::step& s, const planner::machine_costs& costs) const;
  // The step as it is now. `action` is as it was made.
  void resolve(process& rt, const planner::step& s, executors::resolved_action& action);
  // graph_instance::check_addresses of the graphs that commands run. Throws user_error.
  void check_addresses_of_bodies(process& rt) const;
  // A step's own copy of its arguments gets new contents. The object that was there ends with `replaced`.
  void take_arguments(std::size_t step, const model::argument_block& source,
                      std::vector<own_arguments>& replaced);

  // What was asked for while a native graph is made, where none of it changes: buffers are scattered over memory.
  class known_addresses {
   public:
    known_addresses(std::size_t memories, std::size_t buffers)
        : buffers_(buffers), all_(memories * buffers, nullptr) {}
    [[nodiscard]] void*& of(model::buffer_id b, model::memory_id m) noexcept {
      return all_[m.value() * buffers_ + b.value()];
    }

   private:
    std::size_t buffers_;
    std::vector<void*> all_;
  };
  // As long as it is there, addresses are looked up in `all`.
  class looked_up {
   public:
    looked_up(step_maker& by, known_addresses& all) : by_(by) { by_.known_ = &all; }
    looked_up(const looked_up&) = delete;
    looked_up& operator=(const looked_up&) = delete;
    ~looked_up() { by_.known_ = nullptr; }

   private:
    step_maker& by_;
  };

 private:
  [[nodiscard]] bool does_something(const planner::step& s) const;
  // Whatever the command needs is there from now on.
  void touch_buffers(process& rt, const planner::execute_step& e, std::size_t step) const;
  void resolve_kernel(process& rt, std::size_t step, const model::command& command,
                      const model::kernel_command& kernel, executors::resolved_kernel& r);
  void resolve_memory_command(process& rt, std::size_t step, std::uint32_t index,
                              executors::resolved_action& action);
  [[nodiscard]] executors::resolved_action resolve_control(process& rt, std::size_t step) const;
  [[nodiscard]] model::argument_block copy_arguments(process& rt, std::size_t step,
                                                     const model::argument_block& source);
  // Where a step finds a buffer of the plan's.
  [[nodiscard]] void* address_of(process& rt, model::buffer_id buffer, model::memory_id memory,
                                 std::size_t step) const;
  void patch(process& rt, std::size_t step, void* bytes) const;
  void check_out_of_reach(const process& rt, const model::command& command,
                          model::buffer_id buffer) const;
  [[nodiscard]] static model::memory_id memory_of(process& rt, const model::command& command,
                                                  std::uint32_t requirement);

  const planned_graph& g_;
  step_context::replay_state& running_;
  host_staging staging_;
  slot_storage slots_;
  std::vector<std::shared_ptr<control_step>>
      controls_;  // index: command; empty if none runs graphs
  bool has_host_tasks_ = false;
  known_addresses* known_ = nullptr;  // null: ask
  model::arena arena_;
  std::size_t argument_bytes_ = 0;        // that the copies of all steps' arguments take of it
  std::vector<own_arguments> arguments_;  // index: step; patched copies, null where there are none
  // By step, of kernels whose accesses are checked; executors refer to them.
  std::map<std::size_t, std::vector<model::accessible_box>> accessible_;
};

}  // namespace pianola::runtime
