// SPDX-License-Identifier: Apache-2.0
// A plan: what to run and to move, in which order, on which lanes. Plain data, free of addresses.
#pragma once
#include <cstdint>
#include <variant>
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/model/geometry.hpp>
#include <pianola/model/ids.hpp>

namespace pianola::planner {

// Validity of one box over all memories: bit m is set if memory m holds the current data. No bit at
// all: nobody ever wrote it.
using memory_mask = std::uint64_t;
inline constexpr unsigned max_memories = 64;

constexpr memory_mask mask_of(model::memory_id m) noexcept { return memory_mask{1} << m.value(); }

struct execute_step {
  model::command_id command;  // index into the window that was planned
  model::device_id device;
};

struct transfer_step {
  model::buffer_id buffer;
  model::memory_id from;
  model::memory_id to;
  model::box elements;
};

struct step {
  std::variant<execute_step, transfer_step> action;
  model::lane_id lane;
  // Steps that must have finished first, besides what comes earlier in the same lane:
  // plan.waits[first_wait, first_wait + wait_count).
  std::uint32_t first_wait = 0;
  std::uint32_t wait_count = 0;
};

// A box of a buffer that must be (entry contract) or is (exit state) valid in these memories.
struct validity_entry {
  model::buffer_id buffer;
  model::box elements;
  memory_mask memories = 0;
};

// What a whole plan does to a buffer, for ordering it against everything else.
struct access_entry {
  model::buffer_id buffer;
  model::box elements;  // grown to whole pages
  bool written = false;
};

struct lane_info {
  model::device_id device;
};

// When the step of this id and those after it were handed out, all steps below had finished, and the program or
// the runtime knew it.
struct finished_entry {
  model::step_id step;
  model::step_id below;
};

struct plan {
  // Ids of steps: first_step + index. Zero for a recorded plan.
  std::uint64_t first_step = 0;
  std::vector<step> steps;  // a topological order; every wait points backwards
  std::vector<model::step_id> waits;

  // The rest is filled for recorded graphs only.
  std::vector<lane_info> lanes;          // index: lane_id
  std::vector<validity_entry> contract;  // sorted by buffer; boxes of one buffer are disjoint
  std::vector<validity_entry> exit;      // only boxes whose validity the plan changes
  std::vector<access_entry> accesses;    // boxes of one buffer are disjoint
  std::vector<finished_entry> finished;  // of what was planned step by step as it ran; ascending
  std::uint64_t graph_hash = 0;          // command_graph::structural_hash it was made for

  [[nodiscard]] model::array_view<const model::step_id> waits_of(const step& s) const noexcept {
    return {waits.data() + s.first_wait, s.wait_count};
  }
  void clear() noexcept {
    steps.clear();
    waits.clear();
    lanes.clear();
    contract.clear();
    exit.clear();
    accesses.clear();
    finished.clear();
  }
};

}  // namespace pianola::planner
