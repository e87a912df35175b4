// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include <pianola/executors/backend.hpp>
#include <pianola/model/ids.hpp>
#include <pianola/planner/planning_state.hpp>

namespace pianola::runtime {

class machine;

// A lane of the planner and what runs it. Host accesses have no executor: whoever made the access
// says when it has finished.
struct lane_entry {
  executors::backend* owner = nullptr;
  executors::lane* native = nullptr;  // null where the executor could not make it
  const executors::progress* completion = nullptr;
  std::unique_ptr<executors::progress> own;  // host accesses only

  // Steps that were planned and that the executor then did not take (a device that is lost, no memory left): the
  // lane counts on without them, and something else stands for each where others wait for it.
  struct refused_step {
    std::uint64_t position;  // as planned
    executors::lane_position stand_in;
  };
  std::vector<refused_step> refused;  // the latest ones, ascending
  std::uint64_t forgotten = 0;        // so many before them
  executors::lane_position hold_off;  // what comes next in the lane waits for this; null: nothing

  // Where a step of this position really is.
  [[nodiscard]] executors::lane_position place_of(std::uint64_t position) const noexcept {
    if (refused.empty() && forgotten == 0) [[likely]]
      return {completion, position};
    std::uint64_t before = forgotten;
    for (const refused_step& r : refused) {
      if (r.position == position) return r.stand_in;
      if (r.position < position) ++before;
    }
    return {completion, position - before};
  }
};

// A lane beside the planner's, for the segments of recorded graphs.
struct side_lane {
  model::device_id device;
  executors::backend* owner = nullptr;
  executors::lane* native = nullptr;
  std::uint64_t position = 0;  // of the last step
};

// The lanes of the live planning state and who runs them, and lanes that are used again. Lanes are for ever: what needs one
// for a while gives it back. Functions that make lanes throw model::user_error where the executor cannot. All expect the
// runtime's lock to be held.
class lane_table {
 public:
  lane_table(const machine& m, planner::planning_state& state) : machine_(m), state_(state) {}
  lane_table(const lane_table&) = delete;
  lane_table& operator=(const lane_table&) = delete;

  [[nodiscard]] std::size_t size() const noexcept { return lanes_.size(); }
  [[nodiscard]] lane_entry& operator[](model::lane_id id) noexcept { return lanes_[id.value()]; }
  // The same; made now if it could not be made before.
  lane_entry& ready(model::lane_id id) {
    lane_entry& e = lanes_[id.value()];
    if (e.native == nullptr && e.own == nullptr) [[unlikely]]
      start(e, state_.device_of(id));
    return e;
  }
  // The entry whose completion that is and that an executor runs; null if there is none.
  [[nodiscard]] const lane_entry* run_by_executor(
      const executors::progress* completion) const noexcept;
  // Of all but host accesses.
  [[nodiscard]] const std::vector<model::lane_id>& of_executors() const noexcept {
    return of_executors_;
  }

  // Those that the planner has added.
  void follow_planner() {
    if (lanes_.size() < state_.lane_count()) [[unlikely]]
      add_missing();
  }
  // A lane that the planner never chooses, for the caller alone.
  model::lane_id add_private(model::device_id);
  // The same for a lane that the executor has already.
  model::lane_id add_private(model::device_id, executors::backend& owner, executors::lane& native);
  // The lane of the device that commands with this wish share.
  model::lane_id preferred(model::device_id, std::uint32_t number);
  // The lane of the device for events of the program's.
  model::lane_id adopting(model::device_id);

  // A lane that no executor runs: whoever takes it says when its steps have finished.
  model::lane_id take_for_host();
  void give_back_from_host(model::lane_id id) { free_host_lanes_.push_back(id); }
  // Of host accesses; invalid for that of an executor.
  [[nodiscard]] model::lane_id host_lane_of(const executors::progress* p) const noexcept {
    const auto it = host_lanes_.find(p);
    return it == host_lanes_.end() ? model::lane_id() : it->second;
  }
  // The lane of an executable graph.
  model::lane_id take_for_graph(model::device_id);
  void give_back_from_graph(model::device_id, model::lane_id);
  side_lane take_side_lane(model::device_id);
  void give_back(const std::vector<side_lane>& lanes) {
    free_side_lanes_.insert(free_side_lanes_.end(), lanes.begin(), lanes.end());
  }

  [[nodiscard]] executors::lane_position position_of(model::step_id step) const {
    return lanes_[state_.lane_of(step).value()].place_of(state_.position_in_lane(step));
  }
  [[nodiscard]] bool finished(model::step_id step) const {
    if (!step.valid() || step < state_.retired()) return true;
    const executors::lane_position p = position_of(step);
    return p.lane->reached(p.position);
  }

  // A stream of the device's driver that nothing else uses, for host tasks of the program; null if there are none.
  [[nodiscard]] void* task_stream(model::device_id);

 private:
  void add_missing();
  void start(lane_entry& e, model::device_id device);
  // The next one that the planner's state has. Nothing has happened if it throws std::bad_alloc.
  void append(lane_entry&& e);

  const machine& machine_;
  planner::planning_state& state_;
  std::vector<lane_entry> lanes_;             // index: lane_id
  std::vector<model::lane_id> of_executors_;  // ascending
  std::unordered_map<const executors::progress*, model::lane_id> host_lanes_;
  std::vector<model::lane_id> free_host_lanes_;
  std::vector<std::vector<model::lane_id>> free_graph_lanes_;  // index: device_id
  std::vector<side_lane> free_side_lanes_;
  std::vector<std::vector<model::lane_id>> preferred_;  // by device and number
  std::map<std::uint32_t, model::lane_id> adopting_;    // by device
  std::map<std::uint32_t, void*> task_streams_;         // by device
  executors::progress nothing_;                         // of lanes that could not be made so far
};

}  // namespace pianola::runtime
