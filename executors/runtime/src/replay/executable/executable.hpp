// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <pianola/executable/contents.hpp>
#include <pianola/executors/backend.hpp>
#include <pianola/model/accessible_box.hpp>
#include <pianola/model/arena.hpp>
#include <pianola/planner/plan.hpp>
#include <pianola/planner/schedule/arrange_segments.hpp>
#include <pianola/planner/schedule/segments.hpp>

#include "failures/step_context.hpp"
#include "machine/lane_table.hpp"
#include "replay/executable/generations.hpp"
#include "replay/executable/slot_storage.hpp"
#include "replay/plans/find_plan.hpp"
#include "replay/recorded/graph_snapshot.hpp"
#include "replay/values/bound_values.hpp"
#include "replay/values/own_arguments.hpp"
#include "replay/values/rebindable.hpp"
#include "support/runtime_mutex.hpp"

namespace pianola::planner {
class machine_costs;
}

namespace pianola::runtime {

class control_step;
class process;
struct binding;
struct command_places;
struct graph_times;
struct launch_times;

// A planned and instantiated graph. What it holds changes under the runtime's lock: replays count, `rebind` exchanges
// addresses, and an update exchanges the commands and with them, where it plans anew, nearly everything.
class executable_graph final : public std::enable_shared_from_this<executable_graph>,
                               private described_steps {
 public:
  static std::shared_ptr<executable_graph> make(graph_snapshot recorded, model::device_id device,
                                                const planning_request& wanted = {},
                                                bool is_update = false);
  // With a plan from a file, which fits the commands and this machine.
  static std::shared_ptr<executable_graph> make_planned(
      graph_snapshot recorded, model::device_id device, planner::plan plan,
      std::vector<executable::named_parameter> parameters = {});
  // What a graph is for: itself; the body of a loop or branch, whose buffers belong to the graph that has it and may have
  // ended; such a body whose steps become part of that graph's native one, so that it is never launched.
  enum class role : unsigned char { whole, body, inner };
  // One of the latter two, with a plan that fits.
  static std::shared_ptr<executable_graph> make_part(graph_snapshot recorded,
                                                     model::device_id device, planner::plan plan,
                                                     role as);
  // Waits for replays under way.
  ~executable_graph();
  executable_graph(const executable_graph&) = delete;
  executable_graph& operator=(const executable_graph&) = delete;

  // One replay, as one command of the queue, on the buffers and memory that the submission names for parameters. `lock` is
  // the runtime's, which is let go of while a generation is made or waited for. Throws user_error: invalid for values
  // that do not fit.
  event replay(process& rt, queue& q, const submission& s, std::unique_lock<runtime_mutex>& lock);
  // Plans what replays without a look at buffers have left out. The runtime's lock is held.
  void settle(process& rt);
  // Storage of a buffer has moved; no replay may be under way. The runtime's lock is held.
  void rebind(process& rt, model::buffer_id live);

  // From now on replays do what `next` holds, which has the same nodes and edges, in whichever order: other arguments, index spaces,
  // addresses and buffers. Where the buffers and what is done to them stay the same, the plan stays and only the
  // commands that differ are exchanged in the native graphs; otherwise the graph is planned again. Replays under way
  // go on, in native graphs of their own, unless there are generations::most of these. Throws user_error (invalid) if the topology differs: then nothing has changed.
  void update(graph_snapshot next);
  struct node_change {
    std::uint32_t index;
    model::command command;
    std::shared_ptr<const void> refers_to;  // null: to what the graph keeps anyway
  };
  // Nodes of the graph that this one was made of, as they are there now.
  struct node_changes {
    std::shared_ptr<const recorder::command_graph> origin;
    std::vector<node_change> all;  // indices are as recorded
    graph_snapshot buffers;        // without commands
  };
  // The same for some nodes; costs in proportion to them. Throws user_error (invalid) if they are of another graph, too.
  void update(node_changes next);
  // Other values of parameters that have come with the graph from a file.
  void set_parameters(const std::vector<binding>& values);

  // Other arguments, index spaces and addresses for some commands, as recorded, whose requirements stay. False, and nothing has
  // changed, if a replay is under way. What the payloads refer to has to stay until the next change or the end. The runtime's lock is held.
  struct value_change {
    std::uint32_t command;
    const model::command_payload* payload;
  };
  // And other buffers of the same shape in the places of some that it was made of, named by these.
  struct buffer_change {
    buffer_key recorded, now;
  };
  bool exchange_values(process& rt, const std::vector<value_change>& values,
                       const std::vector<buffer_change>& buffers = {});
  // Whether no launch of its own native graphs is under way. The runtime's lock is held.
  [[nodiscard]] bool is_idle(const process& rt) const;
  // The buffer in the place of this one ends, and does not live on for the graph's sake, which is not launched any more before another
  // one takes its place. The runtime's lock is held.
  void let_go(process& rt, buffer_key recorded);

  // Throws user_error (feature_not_supported) where there is not exactly one native graph.
  [[nodiscard]] void* native_handle(model::native_kind what) const;

  // Of the memory that its commands allocate, and of that for its plan's slots.
  [[nodiscard]] std::uint64_t owned_bytes() const;
  [[nodiscard]] graph_memory_use memory_use(model::memory_id) const;
  // As of now: an update may change them at any time. Commands that were placed are on their devices, to stay there.
  [[nodiscard]] graph_snapshot recorded() const;
  // Commands that were placed are on the devices that they were asked to run on, with those that they might run on.
  struct contents {
    graph_snapshot recorded;
    planner::plan plan;
    std::vector<executable::named_parameter> parameters;
  };
  [[nodiscard]] contents planned() const;
  [[nodiscard]] model::device_id device() const noexcept { return device_; }
  // Whether it was finalized from this graph.
  [[nodiscard]] bool is_of(const recorder::command_graph& g) const noexcept {
    return origin_.get() == &g;
  }

  // For a command of another graph that runs this one, which nothing else does then. All by one thread at a time, without
  // the runtime's lock. `own` is a lane of `lane_device` for this alone.
  [[nodiscard]] model::device_id lane_device() const noexcept { return lane_device_; }
  // Its parameters stand for what they stand for in `holder` from now on. The runtime's lock is held, and no run is under
  // way.
  void bind_as_body(process& rt, const executable_graph& holder);
  // Of an inner one: its steps with what `holder` works on, good until the next call.
  [[nodiscard]] model::array_view<const executors::graph_step> inner_steps(
      process& rt, const executable_graph& holder);
  // Hands one run to the backends, behind those before. Throws user_error if a backend does not take it.
  void launch_as_body(side_lane& own, std::uint64_t queue, model::step_id step);
  // Runs it once on the calling thread, if all of it is the team's work; those before have been waited for.
  [[nodiscard]] bool run_as_body(const side_lane& own, std::uint64_t queue, model::step_id step);
  void wait_as_body(const side_lane& own) const noexcept;
  // Whether a step has failed, or was left out because of that, since this was asked last.
  [[nodiscard]] bool failed_as_body() noexcept { return running_->failed.exchange(false); }
  // Each launch has to name what it works on.
  [[nodiscard]] bool has_parameters() const noexcept { return has_parameters_; }
  // Null if nobody asked.
  [[nodiscard]] const std::shared_ptr<graph_times>& times() const noexcept { return times_; }

 private:
  executable_graph() = default;
  static std::shared_ptr<executable_graph> begin(graph_snapshot recorded, model::device_id device);
  // From a file, or makes one; with it the places of commands, and perhaps parts of kernels.
  void take_plan(process& rt, bool is_update);
  void finish(process& rt, role as = role::whole);
  void count_transfers();
  // A host task of the graph may have had the last reference to it: another thread waits for that task then.
  static void end(executable_graph* g) noexcept;
  // Whether the calling thread runs a host task that replays under way wait for. The runtime's lock is held.
  [[nodiscard]] bool ends_behind_calling_task(const process& rt) const noexcept;
  // The runtime's lock, at a moment when no replay is under way; without the lock if there is none, as other threads go
  // on submitting them. Throws user_error (invalid) if the calling thread runs a host task that they wait for.
  [[nodiscard]] std::unique_lock<runtime_mutex> lock_without_replays() const;
  // The same, if that is now.
  [[nodiscard]] std::unique_lock<runtime_mutex> lock_if_idle(process& rt) const;
  // Whether the plan holds for `next`, too, which is of the same kind and follows the same commands.
  [[nodiscard]] static bool plan_holds(const model::command& now, const model::command& next);
  // The nodes of the graph that this one was finalized from are at other places from now on.
  void follow(const std::vector<std::uint32_t>& moved);
  // Contents of the same plan that were in use before, or are again.
  struct spare {
    std::shared_ptr<executable_graph> contents;
    bool all = false;                  // it refers to what another graph has recorded
    std::vector<std::uint32_t> stale;  // commands that have changed since
  };
  // Commands by index, with what they are now. The runtime's lock is held.
  void exchange_commands(process& rt, const std::vector<std::uint32_t>& changed,
                         std::vector<own_arguments>& replaced);
  // What updates exchange, of commands that the plan holds for: all of `recorded_`, or some commands. One of both is null.
  struct exchange {
    graph_snapshot* whole = nullptr;
    std::vector<node_change>* nodes = nullptr;
    std::vector<std::uint32_t> changed;
    // What ends without the lock, as destructors are the program's.
    graph_snapshot before{};
    std::vector<std::shared_ptr<const void>> dropped{};
  };
  // While replays are under way: replays from now on do it in native graphs of their own. False, and nothing has changed, if there are as
  // many of these as there may be, and all are busy. What was there is in `change` and `replaced` then.
  bool exchange_elsewhere(process& rt, exchange& change, std::vector<own_arguments>& replaced);
  // For some commands that the plan holds for. False, and nothing has changed, if other threads go on submitting replays.
  bool change_nodes(std::vector<node_change>& changes, std::vector<own_arguments>& replaced);
  void note_changes(const exchange& change);
  void bring_up_to_date(spare& old, exchange& change) const;
  void continue_in(process& rt, std::shared_ptr<executable_graph> made);
  void put_back(process& rt, const std::vector<std::uint32_t>& changed,
                std::vector<own_arguments>& replaced) noexcept;
  void take_arguments(std::size_t step, const model::argument_block& source,
                      std::vector<own_arguments>& replaced);
  // Commands that the plan holds for take their places. No replay is under way, and the runtime's lock is held. What was
  // there is in `changes` and `replaced` then; where it throws, nothing has changed.
  void exchange_nodes(process& rt, std::vector<node_change>& changes,
                      std::vector<own_arguments>& replaced);
  [[nodiscard]] const executable::named_parameter& parameter_of(const binding& value) const;
  // With another value at each place of the parameter.
  void write_parameter(const executable::named_parameter& parameter, const binding& value,
                       std::vector<node_change>& changes) const;
  // Throws user_error (feature_not_supported) unless both touch the same.
  void check_footprints(const node_change& change) const;
  static void describe(node_change& change, const graph_snapshot& from);
  static void translate(node_change& change, const graph_snapshot& from, graph_snapshot& next);
  // The update's lock is held.
  void update_whole(graph_snapshot next);
  // The commands of `next`, which the plan holds for, take the places of those here; some differ. False, and nothing has
  // changed, if other threads go on submitting replays.
  bool exchange_whole(process& rt, graph_snapshot& next, std::vector<std::uint32_t> changed);
  void retire_generations(process& rt);
  void end_retired();
  // From now on replays do what `made` holds, behind those that are under way. `moved`: where commands are there; empty: where
  // they were.
  void continue_as(std::shared_ptr<executable_graph> made,
                   const std::vector<std::uint32_t>& moved = {});
  void swap_contents(executable_graph& other) noexcept;
  // The graph runs in parts from now on.
  void take_parts(split_snapshot made);
  // An update of a graph that runs in parts, which follow from what kernels touch, and so from their arguments.
  void update_in_parts(graph_snapshot next);
  // Has a command that takes the place of command `index` run where that was placed, if it may run there.
  void keep_place(const process& rt, model::command& next, std::size_t index) const;
  void check_memory() const;
  void make_staging(process& rt);
  // Commands that run graphs get executable ones of their own.
  void make_controls();
  [[nodiscard]] executors::resolved_action resolve_control(process& rt, std::size_t step) const;
  [[nodiscard]] bound_values values_from(process& rt, const executable_graph& holder) const;
  void adopt_buffers(process& rt, bool ended_too);
  // All memory that any replay will need: nothing can run out in the middle of a graph. What its steps touch alone is
  // allocated when these are made, too.
  void allocate_buffers(process& rt);
  void allocate_entry(process& rt);
  void allocate(process& rt, model::buffer_id b, model::memory_id m);
  void make_requirements();
  void instantiate(process& rt);
  void cut(process& rt);
  class segment_steps;
  // Those of a segment, all at once.
  [[nodiscard]] std::unique_ptr<executors::graph_steps> all_steps(
      process& rt, std::uint32_t segment, const planner::machine_costs& costs);
  void take_values(process& rt, bound_values values);
  [[nodiscard]] bool is_instantiated() const noexcept { return lane_.valid(); }

  // Generations; see generations.hpp. The runtime's lock is held.
  void find_parameters(const process& rt);
  void note_places();
  [[nodiscard]] bool does_something(const planner::step& s) const;
  event replay_here(process& rt, queue& q, const submission& s, executable_graph& owner);
  // Whether replays need not wait for each other.
  [[nodiscard]] bool overlaps() const noexcept { return wanted_.options.in_flight > 1; }
  [[nodiscard]] std::vector<std::uint64_t> order_of_replay(const process& rt, const queue& q,
                                                           const submission& s,
                                                           const executable_graph& owner) const;
  [[nodiscard]] std::shared_ptr<event_record> begin_record(const process& rt, const queue& q) const;
  void note_replay(process& rt, queue& q, executable_graph& owner, const event& replayed);
  void prepare_generations(process& rt);
  std::uint32_t bindable_number(process& rt, buffer_key recorded);
  [[nodiscard]] bound_values values_of(process& rt, const submission& s);
  void check_buffer(process& rt, const generations::bindable& b, buffer_key live) const;
  void check_memory(const process& rt, std::size_t number, const void* pointer) const;
  void check_values(process& rt, const bound_values& values) const;
  void check_living(process& rt, const bound_values& values) const;
  // The generation for a launch; null: look again, as the lock was let go of meanwhile.
  executable_graph* choose_generation(process& rt, const bound_values& values,
                                      std::unique_lock<runtime_mutex>& lock);
  std::shared_ptr<executable_graph> make_generation(process& rt, const bound_values& values,
                                                    std::unique_lock<runtime_mutex>& lock);
  // With what all generations have in common; and the rest, which lets go of the lock meanwhile.
  [[nodiscard]] std::shared_ptr<executable_graph> begin_generation(graph_snapshot contents) const;
  void finish_generation(process& rt, std::shared_ptr<executable_graph>& made,
                         std::unique_lock<runtime_mutex>& lock) const;
  void finish_generation(process& rt);
  // No replay of this generation is under way.
  void bind(process& rt, const generations& known, const bound_values& values);
  void exchange_steps(process& rt, const std::vector<std::uint32_t>& steps);
  // Steps that take the places of others in the native graph of a segment.
  struct segment_change {
    std::vector<std::uint32_t> indices;
    std::vector<executors::graph_step> steps;
  };
  // The step as it is now, for its segment. `changes`: index: segment.
  void add_change(process& rt, std::uint32_t step, std::vector<segment_change>& changes);
  // All are tried. Throws user_error, the first one.
  void update_native_graphs(const std::vector<segment_change>& changes);
  void exchange_buffers(process& rt, const std::vector<buffer_change>& buffers);
  [[nodiscard]] std::size_t place_of(buffer_key recorded) const noexcept;
  [[nodiscard]] std::string name_of(const generations::bindable& b) const;
  std::vector<std::uint32_t> arrange_segments(process& rt);
  void instantiate_segment(process& rt, std::uint32_t index, const planner::machine_costs& costs);
  // Nanoseconds, by the model.
  [[nodiscard]] double expected(const planner::step& s, const planner::machine_costs& costs) const;
  // For messages.
  [[nodiscard]] std::string name_of(model::buffer_id) const;
  [[nodiscard]] model::device_id device_of(const process& rt, std::uint32_t domain) const;
  void take_lanes(process& rt, const std::vector<std::uint32_t>& domains);
  // Whatever the command needs is there from now on.
  void touch_buffers(process& rt, const planner::execute_step& e, std::size_t step) const;
  // `action` is as it was made.
  void resolve(process& rt, const planner::step& s, executors::resolved_action& action);
  void resolve_kernel(process& rt, std::size_t step, const model::command& command,
                      const model::kernel_command& kernel, executors::resolved_kernel& r);
  void resolve_memory_command(process& rt, std::size_t step, std::uint32_t index,
                              executors::resolved_action& action);
  [[nodiscard]] model::argument_block copy_arguments(process& rt, std::size_t step,
                                                     const model::argument_block& source);
  // Where a step finds a buffer of the plan's.
  [[nodiscard]] void* address_of(process& rt, model::buffer_id buffer, model::memory_id memory,
                                 std::size_t step) const;
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
  // Whether no step before this one uses the buffer, which holds nothing when the graph begins.
  [[nodiscard]] bool begins_with(model::buffer_id, std::ptrdiff_t step) const;
  void patch(process& rt, std::size_t step, void* bytes) const;
  [[nodiscard]] model::memory_id memory_of(process& rt, const model::command& command,
                                           std::uint32_t requirement) const;
  void describe(const process& rt, std::uint32_t step,
                std::vector<std::byte>& context) const override;
  void touch_all(const process& rt, std::uint32_t step, std::vector<touched_box>& touched) const;
  // What goes through the executors with a step and comes back.
  [[nodiscard]] context_head context_of(std::uint32_t step) const noexcept;
  // Steps are of the buffers that are here now.
  void name_buffers(const process& rt);
  struct native_segment;
  [[nodiscard]] step_context context_as_body(std::uint64_t queue, model::step_id step) const;
  void launch(process& rt, const planner::step& planned, model::step_id step, std::uint64_t queue,
              const std::shared_ptr<event_record>& record,
              model::array_view<const executors::lane_position> waits);
  void launch_one(executors::lane& lane, native_segment& p, step_context& context,
                  const std::shared_ptr<event_record>& record,
                  model::array_view<const executors::lane_position> waits,
                  model::array_view<const executors::lane_position> ends_after = {});
  [[nodiscard]] model::array_view<const executors::lane_position> side_ends();
  void spoil(process& rt, const std::exception_ptr& cause);
  [[nodiscard]] std::vector<model::requirement> requirements_for_files() const;
  // A replay reads and leaves something else from now on, or there is none any more.
  void retell(process& rt) noexcept;
  // Replays work on this one in the place of the plan's from now on. Steps still have the addresses of the one before.
  void take_buffer(process& rt, model::buffer_id plan, model::buffer_id live) noexcept;
  // A replay in several segments. The last one, or an empty step, is the one that the lane is known to have.
  void launch_segments(process& rt, model::step_id step, step_context& context,
                       const std::shared_ptr<event_record>& record,
                       model::array_view<const executors::lane_position> waits);

  // Memory of the host for copies between devices that do not reach each other's. Outlives the native graphs.
  std::shared_ptr<void> staging_;
  std::vector<std::uint64_t> staging_offsets_;  // index: as recorded_.staged
  slot_storage slots_;                          // outlives the native graphs, too
  // Index: command; empty if no command runs graphs. They outlive the native graphs as well.
  std::vector<std::shared_ptr<control_step>> controls_;
  // Held by whoever changes the graph; what an update changes is written under the runtime's lock as well.
  std::mutex update_mutex_;
  // Of the graph that this one was finalized from, whose nodes can be updated from ever after: what its commands refer to,
  // and where they are here (empty: in the order of recording).
  std::shared_ptr<const recorder::command_graph> origin_;
  std::vector<std::uint32_t> place_;
  graph_snapshot recorded_;
  planner::plan plan_;
  // What was recorded, where `recorded_` has kernels in parts; else null.
  std::unique_ptr<graph_snapshot> whole_;
  bool plan_was_stored_ = false;
  std::vector<executable::named_parameter> parameters_;  // of a graph from a file
  planning_request wanted_;
  placing_choices choices_;  // of `recorded_`, but that parts of kernels have theirs elsewhere
  // The same for ever, as what an update makes is for it, too: threads read it without a lock.
  model::device_id device_;
  std::vector<model::buffer_id> live_;     // index: the plan's buffer id
  std::vector<std::uint32_t> generation_;  // index: as live_; of the buffers that steps are of
  std::vector<char> held_;                 // index: as live_; the graph keeps the buffer
  model::lane_id lane_;
  model::device_id lane_device_;
  std::vector<model::requirement> requirements_;  // of one replay, against the live state
  std::vector<std::uint32_t> required_;           // index: as requirements_; the plan's buffer
  // By which a recording of the program knows what a replay reads and leaves; 0: it does not.
  std::uint64_t told_as_ = 0;
  std::uint64_t transfers_ = 0, transferred_bytes_ = 0, transferred_pages_ = 0;

  known_addresses* known_ = nullptr;  // null: ask
  model::arena arena_;
  std::size_t argument_bytes_ = 0;        // that the copies of all steps' arguments take of it
  std::vector<own_arguments> arguments_;  // index: step; patched copies, null where there are none
  // By step, of kernels whose accesses are checked; executors refer to them.
  std::map<std::size_t, std::vector<model::accessible_box>> accessible_;
  static constexpr std::uint32_t none = 0xffffffffU;
  // What the domain of a segment runs as one native graph.
  struct native_segment : planner::arranged_segment {
    executors::backend* owner = nullptr;
    std::vector<context_head> contexts;  // of its steps; the native graph refers to them
    std::unique_ptr<executors::native_graph> native;
    std::uint64_t position = 0;  // of this replay, in its side lane
  };
  planner::segmentation cut_;
  std::vector<native_segment> segments_;           // index: segment
  std::unique_ptr<executors::graph_steps> inner_;  // of an inner one
  std::vector<std::uint32_t> ends_;                // segments: when these have finished, all have
  std::vector<side_lane> side_lanes_;
  std::vector<executors::lane_position> segment_waits_, begun_, side_ends_;

  // Native graphs point to it.
  std::unique_ptr<step_context::replay_state> running_ =
      std::make_unique<step_context::replay_state>();
  std::shared_ptr<const command_places> places_;  // where times of nodes are asked for, else null
  std::shared_ptr<launch_times> latest_times_;    // of the launch that was submitted last
  std::shared_ptr<graph_times> times_;            // of its commands; native graphs point to it
  std::vector<std::uint32_t> step_of_;            // index: command; made by the first update
  model::step_id last_step_;
  model::step_id last_launch_;  // of whichever generation, and its lane
  model::lane_id last_lane_;
  // That the next replay waits for.
  outside_events outside_;
  // Of what was here before an update that did not wait for its replays: those of what is here now come after it.
  std::vector<model::step_id> before_;
  std::uint64_t unsettled_ = 0;  // replays since the live state was last brought up to date

  bool has_host_tasks_ = false;  // the program's, in it or in a graph that it runs
  bool has_parameters_ = false;
  std::shared_ptr<const rebindable> uses_;  // null: no launch exchanges anything
  std::unique_ptr<generations> generations_;
  std::uint64_t version_ = 0;  // of the contents, which updates exchange
  std::vector<std::shared_ptr<executable_graph>> retired_;  // of contents before; they may run
  // Updates take turns with them, so that they need not wait for replays under way.
  std::vector<spare> spares_;
  // Of a generation: what its native graphs work on, and the launch that it was taken for last.
  bound_values bound_;
  std::uint64_t taken_for_ = 0;
};

}  // namespace pianola::runtime
