// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/planner/plan.hpp>
#include <pianola/recorder/command_graph.hpp>

namespace pianola::journal {

// Commands and the steps that ran them, in few bytes: a program that does the same again adds some numbers only. What
// commands are apart from their order is kept once for all that are equal.
class run_log {
 public:
  // Buffers and allocations are added here, and named by the ids that it gives.
  [[nodiscard]] recorder::command_graph& named() noexcept { return shapes_; }

  // Number of the command, from 0. `label` may be null, else it tells apart what is otherwise equal and must be the
  // same for the same text; `text` is asked for the label only if there is no such command yet. Pointers are left out;
  // `allocations` are what files tell instead.
  template <class Text>
  std::uint32_t add(const model::command& command, std::uint64_t label,
                    model::array_view<const std::uint32_t> allocations,
                    model::array_view<const std::uint32_t> after, Text&& text) {
    make_key(command, label, allocations);
    std::uint32_t shape = find_shape();
    if (shape == none) shape = add_shape(command, text(), allocations);
    put(shape);
    put(static_cast<std::uint32_t>(after.size()));
    for (const std::uint32_t a : after) put(a);
    return commands_++;
  }
  // Number of the step, from 0. `waits`: steps. Steps below `finished` had finished when this one was planned.
  std::uint32_t add_step(std::uint32_t lane, std::uint32_t command, model::device_id device,
                         model::array_view<const std::uint32_t> waits, std::uint32_t finished);
  std::uint32_t add_step(std::uint32_t lane, const planner::transfer_step& transfer,
                         model::array_view<const std::uint32_t> waits, std::uint32_t finished);

  [[nodiscard]] std::uint32_t commands() const noexcept { return commands_; }
  [[nodiscard]] std::uint32_t steps() const noexcept {
    return static_cast<std::uint32_t>(steps_.size());
  }
  // Bytes that grow with the length of the run.
  [[nodiscard]] std::uint64_t bytes() const noexcept;
  // Those of what `take` makes of it.
  [[nodiscard]] std::uint64_t bytes_of_run() const noexcept;

  struct run {
    recorder::command_graph graph;
    planner::plan plan;  // without lanes and what it says about itself
  };
  // Everything, as a graph and its plan. Nothing may be added afterwards.
  [[nodiscard]] run take();

 private:
  static constexpr std::uint32_t none = 0xffffffffU;
  struct step_record {
    std::uint32_t lane;
    std::uint32_t what;  // command, or transfer with the top bit set
    std::uint32_t first_wait, wait_count;
    std::uint32_t finished;
    std::uint16_t device;
  };

  void put(std::uint32_t word) { words_.push_back(word); }
  void make_key(const model::command& command, std::uint64_t label,
                model::array_view<const std::uint32_t> allocations);
  [[nodiscard]] std::uint32_t find_shape() const noexcept;
  std::uint32_t add_shape(const model::command& command, const std::string& label,
                          model::array_view<const std::uint32_t> allocations);
  void add_waits(step_record& s, model::array_view<const std::uint32_t> waits);

  recorder::command_graph shapes_;
  std::vector<std::uint64_t> key_;  // of the command that is being added
  std::uint64_t key_hash_ = 0;
  std::vector<std::uint64_t> keys_;    // of all shapes, one after the other
  std::vector<std::size_t> key_ends_;  // index: shape
  std::uint64_t label_bytes_ = 0;      // of all shapes
  std::unordered_multimap<std::uint64_t, std::uint32_t> shape_of_hash_;
  std::deque<std::uint32_t> words_;  // per command: shape, number of edges, edges
  std::uint32_t commands_ = 0;
  std::deque<step_record> steps_;
  std::deque<std::uint32_t> waits_;
  std::deque<planner::transfer_step> transfers_;
};

}  // namespace pianola::journal
