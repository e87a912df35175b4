// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/geometry.hpp>
#include <pianola/model/topology.hpp>

#include "pianola/planner/plan.hpp"

namespace pianola::planner {

// Data that one step of a plan takes where another one has put it.
struct data_flow {
  static constexpr std::uint32_t entry = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t no_requirement = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t maker = entry;  // index of a step; entry: it was valid before the plan
  std::uint32_t taker = 0;
  std::uint32_t requirement = no_requirement;  // of the command that takes it
  model::box elements;
};

// Follows the data of a plan from step to step, without a look at how the plan was made. Takes time in proportion to
// what the steps touch.
class plan_flows {
 public:
  plan_flows(model::array_view<const model::command> commands,
             model::array_view<const model::buffer_info> buffers, const model::topology& machine,
             const plan& plan);

  [[nodiscard]] model::array_view<const data_flow> into(std::size_t step) const noexcept {
    return {flows_.data() + first_into_[step], first_into_[step + 1] - first_into_[step]};
  }
  // Indices of flows, ascending by who takes it.
  [[nodiscard]] model::array_view<const std::uint32_t> out_of(std::size_t step) const noexcept {
    return {by_maker_.data() + first_out_[step], first_out_[step + 1] - first_out_[step]};
  }
  [[nodiscard]] const data_flow& operator[](std::uint32_t i) const noexcept { return flows_[i]; }
  // Of a transfer: whether its target held the data before somebody wrote it elsewhere.
  [[nodiscard]] bool was_there(std::size_t step) const noexcept { return was_there_[step]; }
  // Index of the step that executes a command.
  [[nodiscard]] std::size_t step_of(model::command_id c) const noexcept {
    return step_of_[c.value()];
  }

 private:
  class follower;
  // What was found is by taker; so that it is found by maker, too.
  void sort_by_maker();

  std::vector<data_flow> flows_;  // by taker
  std::vector<std::size_t> first_into_, first_out_;
  std::vector<std::uint32_t> by_maker_;
  std::vector<bool> was_there_;
  std::vector<std::size_t> step_of_;
};

}  // namespace pianola::planner
