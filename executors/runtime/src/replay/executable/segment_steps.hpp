// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <pianola/executors/backend.hpp>
#include <pianola/planner/plan.hpp>
#include <pianola/planner/schedule/segments.hpp>

#include "replay/executable/native_segment.hpp"
#include "replay/executable/step_maker.hpp"

namespace pianola::planner {
class machine_costs;
}

namespace pianola::runtime {

class process;

// The steps of a segment for its backend, made as it asks for them. The runtime's lock is held.
class segment_steps final : public executors::graph_steps {
 public:
  segment_steps(process& rt, step_maker& maker, const planned_graph& g,
                const planner::segmentation& cut, std::vector<native_segment>& segments,
                std::uint32_t index, const planner::machine_costs& costs, std::size_t at_a_time);
  [[nodiscard]] std::size_t count() const noexcept override { return indices_.size(); }
  [[nodiscard]] std::size_t most_waits() const noexcept override {
    // In front of each, there may be one in its lane.
    return g_.plan.waits.size() + indices_.size();
  }
  [[nodiscard]] model::array_view<const executors::graph_step> next() override;

 private:
  [[nodiscard]] const planner::step& planned(std::size_t i) const {
    return g_.plan.steps[indices_[i]];
  }
  void find_priorities();
  void add_waits(std::size_t i);
  void make(std::size_t i, executors::graph_step& out);
  void take_outside(std::size_t i, executors::graph_step& out);

  process& rt_;
  step_maker& maker_;
  const planned_graph& g_;
  const planner::segmentation& cut_;
  std::uint32_t index_;
  native_segment& segment_;
  const std::vector<std::uint32_t>& indices_;
  const planner::machine_costs& costs_;
  std::size_t at_a_time_;
  step_maker::known_addresses addresses_;
  std::size_t made_ = 0;
  std::vector<executors::graph_step> steps_;
  std::vector<std::uint32_t> waits_;  // of these
  std::vector<executors::outside_step> outside_;
  std::size_t next_outside_ = 0, next_signal_ = 0;
  std::vector<std::uint32_t> lane_tail_;  // index + 1 of the last step
  std::vector<int> priorities_;           // empty: nobody asks
};

}  // namespace pianola::runtime
