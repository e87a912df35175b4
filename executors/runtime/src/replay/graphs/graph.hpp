// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <pianola/planner/command_edges.hpp>
#include <pianola/recorder/graph.hpp>
#include <pianola/recorder/owned_allocations.hpp>
#include <pianola/recorder/queue_order.hpp>
#include <pianola/runtime/graphs.hpp>

#include "commands/argument_slots.hpp"
#include "commands/reaching_device.hpp"
#include "execute/memory_pools.hpp"
#include "queues/outside_events.hpp"
#include "queues/split_recording.hpp"
#include "replay/graphs/alternatives.hpp"
#include "replay/graphs/parameters.hpp"
#include "replay/recorded/graph_memory.hpp"
#include "replay/recorded/graph_snapshot.hpp"

namespace pianola::runtime {

// A graph that is being put together, from what queues record and the explicit interface adds. Has a lock of its own; where
// the runtime's lock is needed too, it is taken second.
class graph final : public std::enable_shared_from_this<graph>, public split_recording {
 public:
  graph(model::device_id device, bool multi_device, std::uint64_t memory_budget,
        bool look_for_cycles)
      : device_(device),
        multi_device_(multi_device),
        memory_budget_(memory_budget),
        looks_for_cycles_(look_for_cycles) {}

  // That replays are submitted to, and that commands work on if nothing else is said.
  [[nodiscard]] model::device_id device() const noexcept { return device_; }
  // Queues of other devices may record, too.
  [[nodiscard]] bool multi_device() const noexcept { return multi_device_; }
  void set_narrowing(bool on) {
    std::lock_guard<std::mutex> lock(mutex_);
    narrowing_ = on;
  }

  void set_placing(graph_placing placing) {
    std::lock_guard<std::mutex> lock(mutex_);
    placing_ = std::move(placing);
  }
  [[nodiscard]] graph_placing placing() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return placing_;
  }

  // Loops and branches are run by the host, wherever they could run. Before anything is added.
  void keep_loops_with_the_host() {
    std::lock_guard<std::mutex> lock(mutex_);
    loops_are_the_hosts_ = true;
  }
  // Each launch waits for what the queues of events from outside have been given by then. Before anything is recorded.
  void wait_in_each_launch() {
    std::lock_guard<std::mutex> lock(mutex_);
    waits_in_each_launch_ = true;
  }
  // From now on waits cut the recording into legs, which run on the values; see sequences.hpp.
  void split_at_waits(parameter_values values);
  void cut() override;
  // Whether a queue records, and has recorded commands that use the buffer.
  [[nodiscard]] bool records_use_of(buffer_key buffer) const;
  // Those that have run.
  [[nodiscard]] std::vector<std::shared_ptr<executable_graph>> legs() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return legs_;
  }

  bool begin(queue& q);
  bool end_all();
  void ended(queue& q);
  [[nodiscard]] bool recording_active() const;

  // A submission of a queue that records into this graph.
  event record(queue& q, submission& s, found_slots slots);
  // A command of a queue that does not record, and what it comes after.
  model::command_id add_captured(submission& s, const found_slots& slots,
                                 std::vector<std::uint64_t> after);
  // The explicit interface.
  model::command_id add(submission& s, const found_slots& slots,
                        const std::vector<model::command_id>& after);
  void make_edge(model::command_id from, model::command_id to);

  // Changes of recorded commands. Executable graphs made before follow when they are updated.
  void set_geometry(model::command_id id, const model::launch_geometry& geometry);
  // Another size of the local memory that `cookie` stands for, and the value behind it. Throws model::user_error
  // (memory_allocation) if a device has less: nothing has changed then.
  void set_dynamic_memory(std::uint64_t cookie, std::uint64_t bytes, const void* value,
                          std::uint32_t size);
  // The value behind every copy of `cookie` in the arguments of the graph's commands, and of those that alternatives
  // have for them.
  void set_parameter(std::uint64_t cookie, const void* value, std::uint32_t size);
  // The same of an accessor, with what kernels require for it.
  void set_accessor_parameter(std::uint64_t cookie, const void* value, std::uint32_t size,
                              const accessor_request& required);
  // Another command of the same kind; edges stay.
  void replace(model::command_id id, submission& s);
  // Some commands of which a node holds one. The graph tells them of parameters from now on.
  void declare(const std::shared_ptr<alternatives>& a);
  // A node that holds the chosen one.
  void note_choice(model::command_id id, const std::shared_ptr<alternatives>& a);
  // Exchanges the command of each node that holds one of them.
  void choose(alternatives& a, std::size_t index);
  [[nodiscard]] std::size_t chosen(const alternatives& a) const;
  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }
  // Ends when neither the graph nor anything that was made of it is left.
  void keep(std::shared_ptr<void> kept) {
    std::lock_guard<std::mutex> lock(mutex_);
    recorded_.keep(std::move(kept));
  }

  // An allocation that the submission is about to make: gets its place among those that are there, and with it its
  // address. Its room is that of allocations whose end the submission comes after as far as is known by now.
  std::shared_ptr<memory_step> plan_allocation(const submission& s, queue* q,
                                               const pool_description& pool,
                                               model::allocate_command& command);
  // Finds the allocation that lives there. Throws model::user_error (invalid) if there is none.
  void plan_end(model::free_command& command) const;
  void drop_allocation(std::uint64_t name) noexcept;
  [[nodiscard]] std::uint64_t owned_bytes() const;

  // What is there.
  using snapshot = graph_snapshot;
  [[nodiscard]] snapshot take_snapshot() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return contents_now();
  }
  // Only the buffers.
  [[nodiscard]] snapshot known_buffers() const;
  // Calls see(index as recorded, command, what it refers to if it was exchanged) for those that belong to the nodes.
  template <class F>
  void for_each_command(const std::vector<model::command_id>& nodes, const F& see) const {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const model::command_id n : nodes) {
      for (std::uint32_t i = recorded_.first_of(n); i <= n.value(); ++i)
        see(i, recorded_.command(model::command_id(i)),
            recorded_.storage()->exchanged(model::command_id(i)));
    }
  }
  [[nodiscard]] std::shared_ptr<const recorder::command_graph> storage() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return recorded_.storage();
  }

  // Commands. Those of a nested graph all belong to one node: its last command.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::vector<model::command_id> nodes() const;
  // Pairs (from, to) of nodes, explicit and implied by buffers.
  [[nodiscard]] std::vector<recorder::command_edge> edges() const;
  [[nodiscard]] std::vector<model::command_id> predecessors(model::command_id) const;
  [[nodiscard]] std::vector<model::command_id> successors(model::command_id) const;
  [[nodiscard]] std::vector<model::command_id> leaves() const;
  [[nodiscard]] model::node_kind kind(model::command_id) const;
  [[nodiscard]] bool holds(model::command_id id) const { return id.valid() && id.value() < size(); }

 private:
  // What a command comes after by the events that it was given.
  struct predecessors_of_events {
    std::vector<std::uint64_t> nodes;
    outside_events outside;
  };
  // Whether the event stands for a node, of the leg that is being recorded.
  [[nodiscard]] bool is_node(const event& e) const;
  // With the runtime's lock. Owns nothing on the way: the last owner of a graph must not let it go under a lock.
  [[nodiscard]] bool is_recorded_by(const queue& q) const noexcept;
  [[nodiscard]] predecessors_of_events follow(const submission& s) const;
  [[nodiscard]] snapshot contents_now() const;
  [[nodiscard]] recorder::graph fresh_recording() const {
    recorder::graph fresh(&planner::command_edges, &is_parameter);
    if (!looks_for_cycles_) fresh.do_not_look_for_cycles();
    return fresh;
  }
  model::command_id append(submission& s, const found_slots& slots,
                           std::vector<std::uint64_t> after);
  model::command_id append_copy_over_host(submission& s, const model::command& located,
                                          std::vector<std::uint64_t> after);
  model::command_id append_child(const executable_graph& child, std::vector<std::uint64_t> after);
  model::command_id append_control(submission& s, std::vector<std::uint64_t> after);

  struct description {
    model::command command;
    std::vector<model::requirement> requirements;
    std::vector<model::argument_slot> slots;
    std::string label;
  };
  void describe(submission& s, const found_slots& slots, description& to);
  void add_requirements(const submission& s, const reaching_device& where, model::memory_id memory,
                        std::vector<model::requirement>& to);
  std::shared_ptr<const void> replace_locked(model::command_id id, submission& s);
  void set_geometry_locked(model::command_id id, const model::launch_geometry& geometry);

  void take_turns_with(const snapshot& nested, std::vector<std::uint64_t>& after) const;
  void note_turn(const snapshot& nested, model::command_id last);
  // Graphs that a command runs find buffers where everybody does.
  static void keep_buffers_of_bodies(snapshot& s);
  static void keep_buffers_out_of_reach(snapshot& s);
  void note_memory(const model::command_payload& payload, submission& s, model::command_id id);
  // Throws model::user_error (invalid) if the arguments hold a parameter of another graph.
  void check_parameters(const submission& s) const;

  void refuse_while_recording(const char* what) const;

  // What a queue has recorded into this graph.
  struct recorded_queue {
    std::uint64_t id;
    std::weak_ptr<queue> is_of;
    recorder::queue_order order;
  };
  recorder::queue_order& recorded_by(queue& q);
  // Commands that the submission comes after as far as is known before it is recorded. Under the lock.
  std::vector<std::uint32_t> known_before(const submission& s, queue* q);

  model::device_id device_;
  bool multi_device_;
  std::optional<bool> narrowing_;
  graph_placing placing_;
  std::uint64_t memory_budget_;
  std::uint64_t id_ = next_id();
  static std::uint64_t next_id() noexcept;
  std::mutex cut_mutex_;  // before `mutex_` and the lock of capturing
  mutable std::mutex mutex_;
  bool looks_for_cycles_;
  bool waits_in_each_launch_ = false;
  bool loops_are_the_hosts_ = false;
  recorder::graph recorded_ = fresh_recording();
  std::vector<std::weak_ptr<queue>> queues_;
  std::vector<recorded_queue> recorded_queues_;
  std::vector<std::weak_ptr<alternatives>> declared_;
  std::vector<std::pair<model::command_id, std::shared_ptr<alternatives>>> choices_;
  std::shared_ptr<graph_memory> memory_;  // null: nothing was allocated
  // By kind of memory; those of a kind are in the order of graph_memory's requests.
  recorder::owned_allocations owned_;
  struct nested_memory {
    std::shared_ptr<graph_memory> memory;
    std::uint32_t last;  // command of the nested graph that uses it
  };
  std::vector<nested_memory> nested_memories_;
  std::vector<std::shared_ptr<executable_graph>> legs_;
  event last_leg_;
  parameter_values values_of_legs_;                 // while they are recorded
  std::shared_ptr<std::atomic<bool>> leg_is_over_;  // null: waits do not cut the recording
  outside_events outside_;  // of commands of devices, on which some of these depend
};

}  // namespace pianola::runtime
