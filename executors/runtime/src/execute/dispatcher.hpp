// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <variant>
#include <vector>

#include <pianola/executors/resolved_step.hpp>
#include <pianola/model/array_view.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/plan.hpp>

#include "execute/own_waits.hpp"
#include "execute/refusals.hpp"
#include "failures/step_context.hpp"

namespace pianola::runtime {

class process;

// Plans commands against the live state and hands their steps to the executors. Expects the runtime's lock to be held.
class dispatcher {
 public:
  explicit dispatcher(process& rt) : rt_(rt), refusals_(rt) {}
  dispatcher(const dispatcher&) = delete;
  dispatcher& operator=(const dispatcher&) = delete;

  // Plans the commands and hands the transfers among their steps to the executors; calls
  // `execute(step id, step, waits)` for each step that executes a command. Waits that are over
  // are not listed. If a step is refused (model::user_error, or std::bad_alloc), neither it nor those after it are made:
  // it is as if they had not been planned, and the error comes out. `context(step id)` then tells what such a command would
  // have written: the bytes of a step_context, or nothing.
  template <class Execute, class Context>
  void dispatch(model::array_view<const model::command> commands, Execute&& execute,
                Context&& context) {
    plan(commands);
    std::size_t i = 0;
    const auto id = [&] { return model::step_id(plan_.first_step + i); };
    try {
      make_lanes();
      for (; i < plan_.steps.size(); ++i) {
        const planner::step& s = plan_.steps[i];
        if (in_host_task()) [[unlikely]]
          make_room_to_note();
        if (const auto* t = std::get_if<planner::transfer_step>(&s.action))
          submit_transfer(*t, s, id());
        else
          execute(id(), s, waits_of(s));
        if (in_host_task()) [[unlikely]]
          note_submitted_step(s, id());
      }
    } catch (...) {
      const std::exception_ptr cause = std::current_exception();
      make_lanes();
      for (; i < plan_.steps.size(); ++i) {
        const planner::step& s = plan_.steps[i];
        if (const auto* t = std::get_if<planner::transfer_step>(&s.action))
          refuse_transfer(*t, s, id(), cause);
        else
          refuse(s, id(), context(id()), cause);
      }
      throw;
    }
    note_planned(commands);
  }
  template <class Execute>
  void dispatch(model::array_view<const model::command> commands, Execute&& execute) {
    dispatch(commands, execute,
             [](model::step_id) { return model::array_view<const std::byte>(); });
  }

  // Looks which steps have finished: what is only there for those that have not is forgotten.
  void retire_finished_steps() noexcept;

  // Of a command whose own steps are begun in turn: what the next refused step must be known to come after, besides its
  // waits.
  std::vector<executors::lane_position> begun_segments;
  // Once this is reached, all refusals so far have been dealt with; null if they have.
  [[nodiscard]] executors::lane_position end_of_refusals() const noexcept {
    return refusals_.end();
  }

 private:
  void plan(model::array_view<const model::command> commands);
  // Those that the plan has added.
  void make_lanes();
  // Lane positions of the plan's waits for this step that are not over yet, in scratch storage.
  model::array_view<const executors::lane_position> waits_of(const planner::step& s);
  void submit_transfer(const planner::transfer_step& t, const planner::step& s, model::step_id id);
  void refuse_transfer(const planner::transfer_step& t, const planner::step& s, model::step_id id,
                       const std::exception_ptr& cause);
  void refuse(const planner::step& s, model::step_id id, model::array_view<const std::byte> context,
              const std::exception_ptr& cause);
  void note_submitted_step(const planner::step& s, model::step_id id);
  // Tells the recording, if there is one.
  void note_planned(model::array_view<const model::command> commands);

  process& rt_;
  refusals refusals_;
  planner::plan plan_;
  std::vector<executors::lane_position> waits_;
  // Looking at lanes costs cache misses, so it is done once in a while.
  static constexpr std::uint32_t retire_every = 64;
  std::uint32_t since_retire_ = 0;
};

}  // namespace pianola::runtime
