// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <pianola/model/command.hpp>
#include <pianola/model/topology.hpp>
#include <pianola/planner/plan.hpp>
#include <pianola/recorder/command_graph.hpp>

#include "queues/outside_events.hpp"
#include "recording/allocation_names.hpp"
#include "recording/graph_times.hpp"
#include "recording/run_log.hpp"

namespace pianola::runtime {

class process;
class queue;
struct event_record;
struct submission;

// PIANOLA_RECORD=directory: keeps what an unmodified program does outside of graphs (commands, replays of graphs, host
// accesses, and what the host waited for) and the steps that ran it, and writes both when the program ends.
//
// The host is part of the order. Where it has waited there is a command of kind host_access without requirements after
// what it waited for, and everything that is submitted later, by whichever thread, comes after that.
//
// All functions expect the runtime's lock to be held, unless they say otherwise.
class eager_recorder {
 public:
  // Null if the variable is not set. Throws model::user_error (invalid) if the directory is not
  // there and cannot be made, or cannot be written to, or if PIANOLA_RECORD_TIMES cannot be followed.
  static std::unique_ptr<eager_recorder> from_environment(const model::topology& topology);

  eager_recorder(std::string directory, const model::topology& topology, bool times);
  ~eager_recorder();

  // What is known of the next command that is planned, besides the command: what the program wants it to come after,
  // also where that has finished, and allocations that a kernel's arguments point to.
  void submitting(queue& q, const submission& s);
  // A replay: what the graph reads and leaves, as its plan says, and what it comes after for the sake of its commands.
  void replaying(queue& q, const submission& s, const outside_events& outside,
                 std::vector<model::requirement> requirements);
  // An empty step on the lane of the last replay, which stands for that.
  void settling() { settling_ = true; }
  // What was planned is given to the executors.
  void planned(process& rt, model::array_view<const model::command> commands,
               const planner::plan& window);

  // PIANOLA_RECORD_TIMES: commands are timed. Needs no lock.
  [[nodiscard]] bool times() const noexcept { return times_; }
  // Of the command that was planned last.
  void timed(std::shared_ptr<event_record> record);
  // A graph in a file that is written again at the end, with what its commands have taken.
  void keep_for_times(std::string path, recorder::command_graph graph,
                      std::shared_ptr<const graph_times> times);

  // The host has waited for these steps, or has seen that they have finished.
  void host_waited(process& rt, model::array_view<const model::step_id> steps, const char* how);
  // The first `below` commands of them.
  void host_waited_for_queue(process& rt, const queue& q, std::uint32_t below);
  [[nodiscard]] std::uint32_t commands() const noexcept { return log_.commands(); }
  // The program may do with the buffer's data what it wants: all that used them has finished.
  void host_waited_for_buffer(process& rt, model::buffer_id buffer);

  // Nothing more is recorded.
  void give_up() noexcept;
  void write() noexcept;
  // Needs no lock.
  [[nodiscard]] std::string next_graph_name();

 private:
  void write_times() const;
  static constexpr std::uint32_t none = 0xffffffffU;
  // Longer runs are cut: more than these can hardly be looked at, and a file of more than 1 GiB cannot be read.
  static constexpr std::uint32_t most_commands = 1U << 21;
  static constexpr std::uint64_t most_bytes = std::uint64_t{512} << 20;

  struct step_place {
    std::uint32_t step = none;     // of the log
    std::uint32_t command = none;  // of the log; that of a transfer is the one it was made for
  };

  [[nodiscard]] step_place place_of(model::step_id id) const noexcept;
  [[nodiscard]] bool full();
  [[nodiscard]] model::buffer_id name(process& rt, model::buffer_id live);
  [[nodiscard]] std::uint64_t label_id(const char* label);
  [[nodiscard]] std::uint32_t lane_of(process& rt, const planner::step& s);
  void finish_edges();
  std::uint32_t append(process& rt, const model::command& command);
  void host_node(process& rt, std::vector<std::uint32_t> commands, const char* how);

  std::string directory_;
  std::string base_;  // what the files' paths begin with
  int directory_lock_ = -1;
  const model::topology& topology_;
  const bool times_;
  struct timed_graph {
    std::string path;
    recorder::command_graph graph;
    std::shared_ptr<const graph_times> times;
  };
  std::deque<timed_graph> timed_graphs_;
  std::deque<std::pair<std::uint32_t, std::shared_ptr<event_record>>> timed_;  // by command
  run_log log_;
  bool full_ = false;

  // The command that is planned next; its edges are in edges_.
  std::vector<std::uint32_t> used_allocations_;
  std::vector<model::requirement> replay_requirements_;
  std::uint64_t queue_ = 0;  // 0: none
  bool in_order_ = false;
  bool described_ = false;
  bool replaying_ = false;
  bool settling_ = false;

  std::uint64_t first_step_ = ~std::uint64_t{0};  // id of the runtime's of what is at places_[0]
  std::vector<step_place> places_;
  std::uint64_t seen_finished_ = 0;  // so many of them
  std::uint32_t finished_ = 0;       // steps of the log below this one
  std::vector<std::uint32_t> step_of_command_, command_of_step_;
  std::vector<bool> waited_;                       // index: command
  std::vector<std::vector<std::uint32_t>> users_;  // index: buffer; not waited for yet
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> pending_;  // by queue, likewise
  std::vector<std::uint32_t> lanes_;  // index: the runtime's lane
  std::vector<model::device_id> lane_devices_;
  std::vector<std::uint32_t> last_on_lane_;
  std::uint32_t host_command_ = none;
  std::uint32_t host_step_ = none;
  std::uint32_t host_lane_ = none;
  std::unordered_map<std::string, std::uint64_t> labels_;
  allocation_names allocations_;

  // Scratch storage.
  std::vector<model::requirement> requirements_;
  std::vector<std::uint32_t> edges_, waits_;
  unsigned written_ = 0;
};

// The host has waited for the step, or seen that it has finished: tells the recording, if there is one. Takes the lock.
void note_host_wait(model::step_id step, const char* how) noexcept;

}  // namespace pianola::runtime
