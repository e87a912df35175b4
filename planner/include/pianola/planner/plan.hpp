// SPDX-License-Identifier: Apache-2.0
// A plan: what to run and to move, in which order, on which lanes. Plain data, free of addresses.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <variant>
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/model/geometry.hpp>
#include <pianola/model/ids.hpp>
#include <pianola/model/memory_set.hpp>

namespace pianola::planner {

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

// A box of a buffer that must be (entry contract) or is (exit state) valid in these memories. In none: nobody ever wrote it.
struct validity_entry {
  model::buffer_id buffer;
  model::box elements;
  model::memory_set memories;
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

// Where a buffer is in a memory for as long as some steps of the plan use it: those from `first` to `last` find it at
// `offset` of the one block that the graph has there. A buffer that is in a memory without any of these has an
// allocation of its own there, of its full size.
struct storage_slot {
  model::buffer_id buffer;
  model::memory_id memory;
  std::uint64_t offset = 0;
  std::uint32_t first = 0;  // indices of steps
  std::uint32_t last = 0;
};

// What a plan needs of a memory at most at any time, in bytes.
struct memory_use {
  model::memory_id memory;
  std::uint64_t peak =
      0;  // buffers with allocations of their own, the block, what commands allocate
  std::uint64_t block = 0;      // of the slots
  std::uint64_t apart = 0;      // of the buffers in slots, if each had an allocation of its own
  std::uint64_t budget = 0;     // that the peak must not exceed; 0: none
  std::uint64_t allocated = 0;  // by commands; those that share room have it once
  std::uint64_t allocated_apart = 0;  // the same, if each had room of its own

  // What sharing saves.
  [[nodiscard]] std::uint64_t saved() const noexcept {
    const auto less = [](std::uint64_t than, std::uint64_t is) {
      return than > is ? than - is : 0;
    };
    return less(apart, block) + less(allocated_apart, allocated);
  }
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
  std::vector<storage_slot> slots;       // sorted by buffer, memory and step
  std::vector<memory_use> memories;  // ascending; those that the plan uses. Empty in older files
  std::uint64_t graph_hash = 0;      // command_graph::structural_hash it was made for

  [[nodiscard]] model::array_view<const model::step_id> waits_of(const step& s) const noexcept {
    return {waits.data() + s.first_wait, s.wait_count};
  }
  // The slot that a step finds the buffer in; null: it has an allocation of its own.
  [[nodiscard]] const storage_slot* slot_of(model::buffer_id b, model::memory_id m,
                                            std::size_t step) const noexcept {
    const auto of = [](const storage_slot& s) { return std::make_tuple(s.buffer, s.memory); };
    const auto after = std::partition_point(slots.begin(), slots.end(), [&](const storage_slot& s) {
      return of(s) < std::make_tuple(b, m) || (of(s) == std::make_tuple(b, m) && s.first <= step);
    });
    if (after == slots.begin()) return nullptr;
    const storage_slot& last = after[-1];
    return of(last) == std::make_tuple(b, m) && step <= last.last ? &last : nullptr;
  }
  [[nodiscard]] bool has_slots(model::buffer_id b, model::memory_id m) const noexcept {
    const auto at = std::partition_point(slots.begin(), slots.end(), [&](const storage_slot& s) {
      return std::make_tuple(s.buffer, s.memory) < std::make_tuple(b, m);
    });
    return at != slots.end() && at->buffer == b && at->memory == m;
  }
  void clear() noexcept {
    steps.clear();
    waits.clear();
    lanes.clear();
    contract.clear();
    exit.clear();
    accesses.clear();
    finished.clear();
    slots.clear();
    memories.clear();
  }
};

}  // namespace pianola::planner
