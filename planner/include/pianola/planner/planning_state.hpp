// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include <pianola/model/geometry.hpp>
#include <pianola/model/ids.hpp>
#include <pianola/model/requirement.hpp>

#include "plan.hpp"

namespace pianola::planner {

struct buffer_state;  // per buffer: validity by element boxes, access history by page boxes
struct lane_state;

// Everything planning knows about what was planned before: for each buffer where each part is valid
// and which step made it so, and who accessed it last; for each lane its last step. The live state
// of eager mode is one of these; planning a recorded graph uses a fresh one. Not thread-safe.
//
// Cost: registering a buffer, and any query or update that touches b boxes, is O(b log boxes),
// never in proportion to the number of pages. Memory stays bounded over any number of plans: steps
// below `retired()` are forgotten.
class planning_state {
 public:
  planning_state();
  ~planning_state();
  planning_state(planning_state&&) noexcept;
  planning_state& operator=(planning_state&&) noexcept;

  // `initially_valid`: memories that hold the buffer's data at the start (none: uninitialised). Ids of
  // removed buffers are used again.
  model::buffer_id add_buffer(const model::buffer_info& info,
                              const model::memory_set& initially_valid);
  void remove_buffer(model::buffer_id);
  [[nodiscard]] const model::buffer_info& info(model::buffer_id) const;

  // Calls f(box, memories) for disjoint boxes that together are `elements`.
  template <class F>
  void for_each_validity(model::buffer_id b, const model::box& elements, F&& f) const {
    auto call = [](void* ctx, const model::box& e, const model::memory_set& m) {
      (*static_cast<std::remove_reference_t<F>*>(ctx))(e, m);
    };
    visit_validity(b, elements, call, &f);
  }
  // Sets where a box is valid, and the step after which it is (invalid: already).
  void set_validity(model::buffer_id b, const model::box& elements, const model::memory_set& valid,
                    model::step_id since);

  // For steps that did not do what was planned, once everything before them has finished; what later
  // steps were planned to do stays. The step has not written: the data is where `valid` says.
  void take_back_write(model::buffer_id b, const model::box& elements, model::step_id step,
                       const model::memory_set& valid);
  // The step has not copied the data to the memory.
  void take_back_copy(model::buffer_id b, const model::box& elements, model::step_id step,
                      model::memory_id to);

  // Steps that an access to these pages would have to wait for (every earlier conflicting access),
  // appended to `out`; for work that is ordered by hand: write-back, destruction of a buffer.
  void conflicting_steps(model::buffer_id b, const model::box& elements, bool writes,
                         std::vector<model::step_id>& out) const;
  // Those that wrote these pages last, appended to `out`.
  void writing_steps(model::buffer_id b, const model::box& elements,
                     std::vector<model::step_id>& out) const;

  // The id that the next planned step gets.
  [[nodiscard]] model::step_id next_step() const noexcept { return model::step_id(next_step_); }
  // Every step below has finished; the caller (who watches the executors) says so. Waiting for such
  // a step is never planned, and they are dropped from histories.
  void retire_below(model::step_id) noexcept;
  [[nodiscard]] model::step_id retired() const noexcept { return model::step_id(retired_); }

  // Lane of a step that is not retired.
  [[nodiscard]] model::lane_id lane_of(model::step_id) const;
  // Position of the step in its lane, counted from 1 over the life of the lane: a step is finished
  // once the lane has finished that many.
  [[nodiscard]] std::uint64_t position_in_lane(model::step_id) const;

  // Lanes of one device that the planner may choose from are made on demand, up to
  // topology.devices[d].maximum_lanes. A lane made here belongs to the caller: commands name it in
  // command::lane, the planner never chooses it.
  model::lane_id add_private_lane(model::device_id);
  [[nodiscard]] std::size_t lane_count() const noexcept;
  [[nodiscard]] model::device_id device_of(model::lane_id) const;
  // The last step planned on the lane; invalid if none.
  [[nodiscard]] model::step_id tail(model::lane_id) const;

  struct implementation;
  [[nodiscard]] implementation& internals() noexcept { return *implementation_; }
  [[nodiscard]] const implementation& internals() const noexcept { return *implementation_; }

 private:
  using validity_visitor = void (*)(void*, const model::box&, const model::memory_set&);
  void visit_validity(model::buffer_id, const model::box&, validity_visitor, void*) const;

  friend struct implementation;
  std::uint64_t next_step_ = 0;
  std::unique_ptr<implementation> implementation_;
  std::uint64_t retired_ = 0;
};

}  // namespace pianola::planner
