// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include <pianola/executors/backend.hpp>
#include <pianola/planner/plan.hpp>
#include <pianola/planner/schedule/segments.hpp>

#include "failures/step_context.hpp"
#include "machine/lane_table.hpp"
#include "replay/executable/native_segment.hpp"
#include "replay/executable/planned_graph.hpp"

namespace pianola::planner {
class machine_costs;
}

namespace pianola::runtime {

struct event_record;
struct launch_times;
class process;
class step_maker;

// The segments of a planned graph: one native graph for each, and the lanes that they run in. The runtime's lock is held
// unless something else is said.
class native_segments {
 public:
  // Native graphs point to `running`, and to what made their steps.
  native_segments(const planned_graph& g, step_context::replay_state& running)
      : g_(g), running_(running) {}

  // Makes all of them. Throws user_error.
  void instantiate(process& rt, step_maker& maker);
  [[nodiscard]] bool is_instantiated() const noexcept { return lane_.valid(); }
  // Of a graph that is to be a part of another native one: its steps, good until the next call. Throws user_error.
  [[nodiscard]] model::array_view<const executors::graph_step> inner_steps(process& rt,
                                                                           step_maker& maker);
  // Nothing runs in the lanes any more.
  void give_back_lanes(process& rt);

  [[nodiscard]] model::lane_id lane() const noexcept { return lane_; }
  [[nodiscard]] model::device_id lane_device() const noexcept { return lane_device_; }
  [[nodiscard]] bool has_side_lane(const executors::progress* lane) const noexcept;

  // One replay, as the step of the live plan that stands for it. Throws user_error.
  void launch(process& rt, const planner::step& planned, model::step_id step, std::uint64_t queue,
              const std::shared_ptr<event_record>& record,
              model::array_view<const executors::lane_position> waits);

  // Of a graph that a command of another one runs; see graph_instance.
  void launch_as_body(side_lane& own, std::uint64_t queue, model::step_id step);
  [[nodiscard]] bool run_as_body(const side_lane& own, std::uint64_t queue, model::step_id step);
  void wait_as_body(const side_lane& own) const noexcept;

  // Steps that take the places of others in the native graph of a segment.
  struct change {
    std::vector<std::uint32_t> indices;
    std::vector<executors::graph_step> steps;
  };
  [[nodiscard]] std::vector<change> no_changes() const {
    return std::vector<change>(segments_.size());
  }
  // Where the action of this step goes.
  [[nodiscard]] executors::resolved_action& add(std::vector<change>& changes,
                                                std::uint32_t step) const {
    change& of_segment = changes[cut_.segment_of[step]];
    of_segment.indices.push_back(cut_.index_of[step]);
    return of_segment.steps.emplace_back().action;
  }
  // All are tried. Throws user_error, the first one.
  void update(const std::vector<change>& changes);

  // Throws user_error (feature_not_supported) where there is not exactly one native graph.
  [[nodiscard]] void* native_handle(model::native_kind what) const;

 private:
  void cut(process& rt);
  std::vector<std::uint32_t> arrange_segments(process& rt);
  void instantiate_segment(process& rt, step_maker& maker, std::uint32_t index,
                           const planner::machine_costs& costs);
  void take_lanes(process& rt, const std::vector<std::uint32_t>& domains);
  [[nodiscard]] model::device_id device_of(const process& rt, std::uint32_t domain) const;
  [[nodiscard]] step_context context_as_body(std::uint64_t queue, model::step_id step) const;
  void launch_one(executors::lane& lane, native_segment& p, step_context& context,
                  const std::shared_ptr<event_record>& record,
                  model::array_view<const executors::lane_position> waits,
                  model::array_view<const executors::lane_position> ends_after = {});
  // A replay in several segments. The last one, or an empty step, is the one that the lane is known to have.
  void launch_segments(process& rt, model::step_id step, step_context& context,
                       const std::shared_ptr<event_record>& record,
                       model::array_view<const executors::lane_position> waits);
  [[nodiscard]] model::array_view<const executors::lane_position> side_ends();
  // Of a segment on a side lane, as it was launched last.
  [[nodiscard]] executors::lane_position end_of(std::uint32_t segment) const;
  // What other segments have it wait for, to segment_waits_, and which of them have begun before it, to begun_.
  void gather_waits(const native_segment& of);

  const planned_graph& g_;
  step_context::replay_state& running_;
  model::lane_id lane_;
  model::device_id lane_device_;
  planner::segmentation cut_;
  std::vector<native_segment> segments_;           // index: segment
  std::unique_ptr<executors::graph_steps> inner_;  // of one that is a part of another native graph
  std::vector<std::uint32_t> ends_;                // segments: when these have finished, all have
  std::vector<side_lane> side_lanes_;
  std::vector<executors::lane_position> segment_waits_, begun_, side_ends_;
  std::shared_ptr<launch_times> latest_times_;  // of the launch that was submitted last
};

}  // namespace pianola::runtime
