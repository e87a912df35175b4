// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <pianola/executable/contents.hpp>
#include <pianola/executors/backend.hpp>
#include <pianola/planner/plan.hpp>

#include "failures/step_context.hpp"
#include "machine/lane_table.hpp"
#include "replay/executable/command_exchange.hpp"
#include "replay/executable/graph_replays.hpp"
#include "replay/executable/native_segments.hpp"
#include "replay/executable/planned_graph.hpp"
#include "replay/executable/step_descriptions.hpp"
#include "replay/executable/step_maker.hpp"
#include "replay/plans/find_plan.hpp"
#include "support/runtime_mutex.hpp"

namespace pianola::runtime {

class process;

// A planned graph with native graphs, a lane, and the buffers and memory that these work on. An executable graph has one
// that it would launch, and more where its launches differ or updates do not wait for them; the graphs that a command runs
// are instances, too. The runtime's lock is held unless something else is said.
class graph_instance {
 public:
  // These are without the lock. The first one plans.
  [[nodiscard]] static std::shared_ptr<graph_instance> make(graph_snapshot recorded,
                                                            model::device_id device,
                                                            const planning_request& wanted,
                                                            bool is_update);
  // With a plan from a file, which fits the commands and this machine.
  [[nodiscard]] static std::shared_ptr<graph_instance> make_planned(
      graph_snapshot recorded, model::device_id device, planner::plan plan,
      std::vector<executable::named_parameter> parameters);
  // What an instance is for: an executable graph; the body of a loop or branch, whose buffers belong to the graph that has
  // it and may have ended; such a body whose steps become part of that graph's native one, so that it is never launched.
  enum class role : unsigned char { whole, body, inner };
  // One of the latter two, with a plan that fits. `node_times`: as in replay_options.
  [[nodiscard]] static std::shared_ptr<graph_instance> make_body(graph_snapshot recorded,
                                                                 model::device_id device,
                                                                 planner::plan plan, role as,
                                                                 bool node_times);
  // Waits for replays under way. Without the lock.
  ~graph_instance();
  graph_instance(const graph_instance&) = delete;
  graph_instance& operator=(const graph_instance&) = delete;

  [[nodiscard]] const planned_graph& planned() const noexcept { return g_; }
  // What was recorded, where `planned` has kernels in parts; else null.
  [[nodiscard]] const graph_snapshot* whole() const noexcept { return whole_.get(); }
  [[nodiscard]] const placing_choices& choices() const noexcept { return choices_; }
  // Of a graph from a file.
  [[nodiscard]] const std::vector<executable::named_parameter>& parameters() const noexcept {
    return parameters_;
  }
  // Each launch has to name what it works on.
  [[nodiscard]] bool has_parameters() const noexcept { return has_parameters_; }
  [[nodiscard]] std::uint64_t slot_bytes() const noexcept { return maker_.slot_bytes(); }
  [[nodiscard]] const native_segments& segments() const noexcept { return segments_; }
  [[nodiscard]] graph_replays& replays() noexcept { return replays_; }
  // For messages.
  [[nodiscard]] std::string name_of(model::buffer_id) const;

  // What parameters stand for is known when it is launched: then there are only others of it.
  [[nodiscard]] bool is_instantiated() const noexcept { return segments_.is_instantiated(); }
  [[nodiscard]] model::step_id tail(const process& rt) const noexcept;
  // Whether no launch is under way.
  [[nodiscard]] bool is_idle(const process& rt) const;
  // Whether the calling thread runs a host task that replays under way wait for.
  [[nodiscard]] bool ends_behind_calling_task(const process& rt) const noexcept;

  // Storage of a buffer has moved, or is lost; no replay may be under way. False if not all steps could be told of it.
  bool rebind(process& rt, model::buffer_id live);
  // Before a launch: such steps, and those of graphs that it runs, are told again. Throws user_error.
  void check_addresses(process& rt);
  // The buffer in the place of this one ends, and does not live on for the graph's sake.
  void let_go(process& rt, buffer_key recorded);
  // Nodes of `origin` are at other places, for times that somebody asks for.
  void note_places(std::shared_ptr<const void> origin, const std::vector<std::uint32_t>& moved);

  // Knows where the plan uses what launches may exchange.
  void find_uses(const process& rt);
  // It is of no launch in particular; and of one more buffer of the program's it is told that launches may exchange it.
  void forget_values() { g_.bound = {}; }
  void add_bound(buffer_key recorded) { g_.bound.buffers.push_back(recorded); }
  // Works on these from now on. No replay is under way. Throws user_error.
  void bind(process& rt, const std::vector<bindable_buffer>& known, const bound_values& values);
  // Another one of the same commands and plan that works on these. Lets go of `lock`, the runtime's, meanwhile.
  [[nodiscard]] std::shared_ptr<graph_instance> make_generation(
      process& rt, const std::vector<bindable_buffer>& known, const bound_values& values,
      std::unique_lock<runtime_mutex>& lock) const;
  // The same in two steps, with other commands that the plan holds for; and the rest, which lets go of the lock.
  [[nodiscard]] std::shared_ptr<graph_instance> begin_generation(graph_snapshot contents) const;
  void finish_generation(process& rt, std::shared_ptr<graph_instance>& made,
                         std::unique_lock<runtime_mutex>& lock) const;

  // Commands that the plan holds for take the places of all, of which some differ, or of some. No replay is under way.
  // What was there is in `next` or `changes`, and in `replaced` then; where it throws, nothing has changed.
  void exchange(process& rt, graph_snapshot& next, const std::vector<std::uint32_t>& changed,
                std::vector<own_arguments>& replaced);
  void exchange(process& rt, std::vector<node_change>& changes,
                std::vector<own_arguments>& replaced);
  // What is recorded becomes what `now` has, with the change: of an instance that was `now` before commands changed, `stale`,
  // or `all`. It is not in the native graphs before `exchange_commands` has been told of each.
  void take_commands(const graph_snapshot& now, bool all, const std::vector<std::uint32_t>& stale,
                     command_exchange& change);
  // Commands by index, with what they are now.
  void exchange_commands(process& rt, const std::vector<std::uint32_t>& changed,
                         std::vector<own_arguments>& replaced);
  // Has a command that takes the place of command `index` run where that was placed, if it may run there. Needs no lock.
  void keep_place(const process& rt, model::command& next, std::size_t index) const;

  // Other arguments, index spaces and addresses for some commands, as recorded; `place`: where these are, empty: there.
  struct value_change {
    std::uint32_t command;
    const model::command_payload* payload;
  };
  void exchange_values(process& rt, const std::vector<value_change>& values,
                       const std::vector<std::uint32_t>& place);
  // Other buffers of the same shape in the places of some that it was made of, named by these.
  struct buffer_change {
    buffer_key recorded, now;
  };
  void exchange_buffers(process& rt, const std::vector<buffer_change>& buffers);

  // For a command of another graph that runs this one, which nothing else does then. All by one thread at a time, without
  // the lock unless something else is said. `own` is a lane of `lane_device` for this alone.
  [[nodiscard]] model::device_id lane_device() const noexcept { return segments_.lane_device(); }
  // Its parameters stand for what they stand for in `holder` from now on. With the lock, and no run is under way.
  void bind_as_body(process& rt, const planned_graph& holder);
  // Of an inner one: its steps with what `holder` works on, good until the next call. With the lock.
  [[nodiscard]] model::array_view<const executors::graph_step> inner_steps(
      process& rt, const planned_graph& holder);
  // Hands one run to the backends, behind those before. Throws user_error if a backend does not take it.
  void launch_as_body(side_lane& own, std::uint64_t queue, model::step_id step) {
    segments_.launch_as_body(own, queue, step);
  }
  // Runs it once on the calling thread, if all of it is the team's work; those before have been waited for.
  [[nodiscard]] bool run_as_body(const side_lane& own, std::uint64_t queue, model::step_id step) {
    return segments_.run_as_body(own, queue, step);
  }
  void wait_as_body(const side_lane& own) const noexcept { segments_.wait_as_body(own); }
  // Where runs from now on note when commands are run; null: nowhere. No run is under way.
  void note_times_as_body(launch_times* times) noexcept {
    running_.times.store(times, std::memory_order_release);
  }
  // Whether a step has failed, or was left out because of that, since this was asked last.
  [[nodiscard]] bool failed_as_body() noexcept { return running_.failed.exchange(false); }

 private:
  graph_instance() { running_.graph = &descriptions_; }
  [[nodiscard]] static std::shared_ptr<graph_instance> begin(graph_snapshot recorded,
                                                             model::device_id device);
  // From a file, or makes one; with it the places of commands, and perhaps parts of kernels.
  void take_plan(process& rt, bool is_update);
  // The graph runs in parts from now on.
  void take_parts(split_snapshot made);
  void make_staging(const process& rt);
  void finish(process& rt, role as = role::whole);
  void finish_generation(process& rt);
  // Those whose last references went while the runtime's lock was held.
  // Of the plan, that work on a buffer, other than as a parameter of a launch.
  [[nodiscard]] std::vector<std::uint32_t> steps_on(const process& rt, model::buffer_id live) const;
  static void end_put_off() noexcept;
  static void end_without_lock(process* rt, graph_instance* g) noexcept;
  // A host task of the graph may have had the last reference to it: another thread waits for that task then.
  static void end(graph_instance* g) noexcept;

  void adopt_buffers(process& rt, bool ended_too);
  // All memory that any replay will need: nothing can run out in the middle of a graph. What its steps touch alone is
  // allocated when these are made, too.
  void allocate_buffers(process& rt);
  void allocate_entry(process& rt);
  void allocate(process& rt, model::buffer_id b, model::memory_id m);
  // Steps are of the buffers that are here now.
  void name_buffers(const process& rt);
  void instantiate(process& rt);
  // Replays work on this one in the place of the plan's from now on. Steps still have the addresses of the one before.
  void take_buffer(process& rt, model::buffer_id plan, model::buffer_id live) noexcept;
  [[nodiscard]] std::size_t place_of(buffer_key recorded) const noexcept;
  void find_parameters(const process& rt);
  void find_parameters_of_body(const process& rt);
  [[nodiscard]] bound_values values_from(process& rt, const planned_graph& holder) const;
  void take_values(process& rt, bound_values values);

  // The step as it is now, for its segment.
  void add_change(process& rt, std::uint32_t step, std::vector<native_segments::change>& changes);
  void exchange_steps(process& rt, const std::vector<std::uint32_t>& steps);
  void put_back(process& rt, const std::vector<std::uint32_t>& changed,
                std::vector<own_arguments>& replaced) noexcept;

  planned_graph g_;
  planning_request wanted_;
  std::unique_ptr<graph_snapshot> whole_;
  bool plan_was_stored_ = false;
  std::vector<executable::named_parameter> parameters_;
  placing_choices choices_;  // of `g_`, but that parts of kernels have theirs elsewhere
  bool has_parameters_ = false;
  bool stale_ = false;  // some steps have addresses of before
  std::optional<std::vector<bindable_buffer>> parameters_of_body_;
  static constexpr std::uint32_t none = 0xffffffffU;
  std::vector<std::uint32_t> step_of_;  // index: command; made by the first update

  // Native graphs point to what is above them.
  step_context::replay_state running_;
  step_maker maker_{g_, running_};
  step_descriptions descriptions_{g_, maker_};
  native_segments segments_{g_, running_};
  graph_replays replays_{g_, segments_};

  static inline graph_instance* to_end_ = nullptr;  // see end_put_off; under the runtime's lock
  graph_instance* next_to_end_ = nullptr;
};

}  // namespace pianola::runtime
