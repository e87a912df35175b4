// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <pianola/executable/contents.hpp>
#include <pianola/planner/plan.hpp>
#include <pianola/runtime/graphs.hpp>

#include "replay/executable/command_exchange.hpp"
#include "replay/executable/generations.hpp"
#include "replay/executable/graph_instance.hpp"
#include "replay/executable/launch_order.hpp"
#include "replay/plans/find_plan.hpp"
#include "support/runtime_mutex.hpp"

namespace pianola::runtime {

class process;
struct binding;

// What programs launch and update. Has an instance of the graph that it would launch now, which an update may exchange;
// what changes does so under the runtime's lock.
class executable_graph final {
 public:
  // Plans the graph.
  [[nodiscard]] static std::shared_ptr<executable_graph> make(graph_snapshot recorded,
                                                              model::device_id device,
                                                              const planning_request& wanted = {});
  // With a plan from a file, which fits the commands and this machine.
  [[nodiscard]] static std::shared_ptr<executable_graph> make_planned(
      graph_snapshot recorded, model::device_id device, planner::plan plan,
      std::vector<executable::named_parameter> parameters = {});
  executable_graph(const executable_graph&) = delete;
  executable_graph& operator=(const executable_graph&) = delete;

  // One replay, as one command of the queue, on the buffers and memory that the submission names for parameters. `lock` is
  // the runtime's, which is let go of while a generation is made or waited for. Throws user_error: invalid for values
  // that do not fit.
  event replay(process& rt, queue& q, const submission& s, std::unique_lock<runtime_mutex>& lock);

  // From now on replays do what `next` holds, which has the same nodes and edges, in whichever order: other arguments, index
  // spaces, addresses and buffers. Where the buffers and what is done to them stay the same, the plan stays and only the
  // commands that differ are exchanged in the native graphs; otherwise the graph is planned again. Replays under way
  // go on, in native graphs of their own, unless there are generations::most of these. Throws user_error (invalid) if the
  // topology differs: then nothing has changed.
  void update(graph_snapshot next);
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

  // Other arguments, index spaces and addresses for some commands, as recorded, whose requirements stay, and other buffers of
  // the same shape. False, and nothing has changed, if a replay is under way. What the payloads refer to has to stay until the
  // next change or the end. The runtime's lock is held.
  using value_change = graph_instance::value_change;
  using buffer_change = graph_instance::buffer_change;
  bool exchange_values(process& rt, const std::vector<value_change>& values,
                       const std::vector<buffer_change>& buffers = {});
  // Whether no launch of its own native graphs is under way. The runtime's lock is held.
  [[nodiscard]] bool is_idle(const process& rt) const { return now_->is_idle(rt); }
  // The buffer in the place of this one ends, and does not live on for the graph's sake, which is not launched any more before
  // another one takes its place. The runtime's lock is held.
  void let_go(process& rt, buffer_key recorded) { now_->let_go(rt, recorded); }

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
  // Each launch has to name what it works on.
  [[nodiscard]] bool has_parameters() const;
  // Whether the value stands for something that the graph uses.
  [[nodiscard]] bool takes(const parameter_value& value) const;
  // Null if nobody asked.
  [[nodiscard]] std::shared_ptr<graph_times> times() const;

 private:
  // Takes from what was recorded what is not the instance's.
  executable_graph(graph_snapshot& recorded, model::device_id device, planning_request wanted);
  // Another instance of the same plan, which launches that an update has left behind run in until it is taken again.
  struct spare {
    std::shared_ptr<graph_instance> instance;
    bool all = false;                  // it refers to what another graph has recorded
    std::vector<std::uint32_t> stale;  // commands that have changed since
  };

  // The runtime's lock, at a moment when no replay is under way; without the lock if there is none, as other threads go
  // on submitting them. Throws user_error (invalid) if the calling thread runs a host task that they wait for.
  [[nodiscard]] std::unique_lock<runtime_mutex> lock_without_replays() const;
  // The same, if that is now.
  [[nodiscard]] std::unique_lock<runtime_mutex> lock_if_idle(process& rt) const;
  // The update's lock is held in what follows.
  // Nodes of graphs that loops and branches run.
  void update_bodies(const node_changes& given);
  void update_whole(graph_snapshot next);
  // Of a graph that runs in parts, which follow from what kernels touch, and so from their arguments.
  void update_in_parts(graph_snapshot next);
  // The commands of `next`, which the plan holds for, take the places of those here; some differ. False, and nothing has
  // changed, if other threads go on submitting replays.
  bool exchange_whole(process& rt, graph_snapshot& next, std::vector<std::uint32_t> changed);
  // The same of some commands that the plan holds for.
  bool change_nodes(std::vector<node_change>& changes);
  // While replays are under way: replays from now on do it in native graphs of their own. False, and nothing has changed, if
  // there are as many of these as there may be, and all are busy. What was there is in `change` and `replaced` then.
  bool exchange_elsewhere(process& rt, command_exchange& change,
                          std::vector<own_arguments>& replaced);
  void note_changes(const command_exchange& change);
  // What is here now becomes a spare, of which `old` says the rest.
  void continue_in(process& rt, std::shared_ptr<graph_instance> made, spare old);
  // From now on replays are of `made`, behind those that are under way, and of what `outside` names. `moved`: where commands
  // are there; empty: where they were.
  void continue_as(std::shared_ptr<graph_instance> made, const outside_events& outside,
                   const std::vector<std::uint32_t>& moved = {});
  // Plans anew, and continues with that.
  void replan(graph_snapshot next, const std::vector<std::uint32_t>& moved = {});
  // The nodes of the graph that this one was finalized from are at other places from now on.
  void follow(const std::vector<std::uint32_t>& moved);
  void retire_generations(process& rt);
  void end_retired();

  // The same for ever, as what an update makes is for it, too: threads read it without a lock.
  model::device_id device_;
  planning_request wanted_;
  bool one_after_another_;  // launches, and nobody asks when their nodes run
  // Of the graph that this one was finalized from, whose nodes can be updated from ever after: what its commands refer to,
  // and where they are here (empty: in the order of recording).
  std::shared_ptr<const recorder::command_graph> origin_;
  std::vector<std::uint32_t> place_;
  // Held by whoever changes the graph; what an update changes is written under the runtime's lock as well.
  std::mutex update_mutex_;
  std::shared_ptr<graph_instance> now_;
  launch_order order_;
  std::shared_ptr<generations> generations_;  // null: no launch has asked for others than `now_`
  std::vector<std::shared_ptr<graph_instance>> retired_;  // of contents before; they may run
  // Updates take turns with them, so that they need not wait for replays under way.
  std::vector<spare> spares_;
};

}  // namespace pianola::runtime
