// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <pianola/model/command.hpp>
#include <pianola/planner/plan.hpp>

#include "pianola/journal/run_log.hpp"
#include "unwaited.hpp"

namespace pianola::journal {

// Puts together from what a program did outside of graphs the graph of its commands and the plan that ran.
//
// The host is part of the order. Where it has waited there is a command of kind host_access without requirements after
// what it waited for, and everything that is submitted later, by whichever thread, comes after that.
class run_builder {
 public:
  // Buffers are added to the log under the name of their key.
  [[nodiscard]] run_log& log() noexcept { return log_; }

  [[nodiscard]] std::uint32_t commands() const noexcept { return log_.commands(); }

  struct step {
    std::uint32_t lane = 0;
    model::device_id device;
    bool is_transfer = false;
    planner::transfer_step transfer{};
    std::vector<std::uint64_t> waits;
  };
  // Of the next command that is planned.
  struct order {
    std::uint64_t queue = 0;
    bool from_queue = false, in_order = false, closes = false;
    std::uint64_t retired = 0, first_step = 0;
    std::vector<std::uint64_t> after;  // steps
  };
  // With a number that is equal for equal texts.
  struct label {
    std::string text;
    std::uint64_t number = 0;
  };
  // `command`: null for a settlement.
  void planned(const order& order, const model::command* command, const label& name,
               model::array_view<const std::uint32_t> allocations,
               model::array_view<const step> steps);
  void host_waited(std::uint64_t step, const label& how, model::device_id host);
  // For its first commands; `below` numbers those that were planned.
  void host_waited_for_queue(std::uint64_t queue, std::uint64_t below, const label& how,
                             model::device_id host);
  void host_waited_for_buffer(model::buffer_id buffer, const label& how, model::device_id host);
  // By the number of the planned command.
  void measured(std::uint64_t planned, double seconds, double started);

  struct measurement {
    std::uint32_t command;
    double seconds, started;
  };
  struct run {
    recorder::command_graph graph;
    planner::plan plan;
    std::vector<measurement> measured;
  };
  [[nodiscard]] run take();
  // About what it takes of memory, with what `take` makes.
  [[nodiscard]] std::uint64_t bytes() const noexcept;
  // Commands that were looked at because the host may have to wait for them.
  [[nodiscard]] std::uint64_t looked_at() const noexcept { return looked_at_; }

 private:
  static constexpr std::uint32_t none = 0xffffffffU;
  struct step_place {
    std::uint32_t step = none;     // of the log
    std::uint32_t command = none;  // of the log; that of a transfer is the one it was made for
  };

  [[nodiscard]] step_place place_of(std::uint64_t step) const noexcept;
  // The next steps have numbers from `first` on.
  void go_on_with(std::uint64_t first);
  void note_finished(std::uint64_t retired);
  [[nodiscard]] std::uint32_t lane_of(const step& s);
  void finish_edges();
  std::uint32_t append(const model::command& command, const label& name,
                       model::array_view<const std::uint32_t> allocations, const order* order);
  void host_node(std::vector<std::uint32_t> commands, const label& how, model::device_id host);

  run_log log_;
  // Steps of the program without a gap: step first + i is at places_[at + i].
  struct stretch {
    std::uint64_t first = 0;
    std::size_t at = 0;
  };
  std::vector<stretch> stretches_;  // ascending
  std::vector<step_place> places_;
  std::size_t seen_finished_ = 0;  // so many of places_
  std::uint32_t finished_ = 0;     // steps of the log below this one
  std::vector<std::uint32_t> step_of_command_, command_of_step_;
  std::vector<std::uint32_t> planned_;  // commands of the log, in the program's numbers
  std::vector<bool> waited_;            // index: command
  std::vector<unwaited> users_;         // index: buffer
  std::unordered_map<std::uint64_t, unwaited> pending_;  // by queue
  std::uint64_t looked_at_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t>
      closed_;  // by queue: its last barrier behind everything before it
  std::unordered_map<std::uint32_t, std::uint32_t> lanes_;  // by the program's number
  std::vector<model::device_id> lane_devices_;
  std::vector<std::uint32_t> last_on_lane_;
  std::uint32_t host_command_ = none;
  std::uint32_t host_step_ = none;
  std::uint32_t host_lane_ = none;
  std::vector<measurement> measured_;
  std::uint64_t requirements_ = 0;  // of all commands

  // Scratch storage.
  std::vector<std::uint32_t> edges_, waits_;
};

}  // namespace pianola::journal
