// SPDX-License-Identifier: Apache-2.0
#pragma once
// Slow and obvious on purpose, and without a line in common with the passes. The plan is run box by box:
//   data   in the order of the plan's steps, the boxes that a memory holds carry the number of the write
//          that made their contents; who reads must find the number of the latest write everywhere.
//   order  any two steps that touch the same elements in the same memory, one of them writing, and any two
//          commands whose page ranges conflict, must be ordered by waits and lanes, the commands as
//          they were submitted. Then every execution does what the plan's own order does.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "box_index.hpp"
#include "pianola/planner/verify.hpp"

namespace pianola::planner::verification {

using model::box;
using model::memory_id;

inline constexpr std::uint32_t nothing = 0xffffffffU;
// In the place of a memory: what commands allocate; what slots share.
inline constexpr std::uint32_t allocations = 0xfffffffeU;
inline constexpr std::uint32_t shared_room = 0xfffffffdU;

std::string text(const box& b);
std::string name(model::buffer_id b);
std::string name(memory_id m);

struct problem {
  std::uint64_t step;  // index; nothing for the plan as a whole
  std::string reason;
};

// One step must come before another one, and why.
struct must_precede {
  std::uint32_t first, second;
  std::uint32_t buffer;  // nothing: explicit order
  std::uint32_t memory;  // nothing: a conflict of page ranges
};
inline bool comes_first(const must_precede& a, const must_precede& b) noexcept {
  return std::tie(a.first, a.second, a.buffer, a.memory) <
         std::tie(b.first, b.second, b.buffer, b.memory);
}

// Who wrote what last, and who has read it since.
struct users {
  box_index writers, readers;
};

class checker {
 public:
  checker(model::array_view<const model::command> commands,
          model::array_view<const model::buffer_info> buffers, const model::topology& machine,
          const plan& checked)
      : commands_(commands), buffers_(buffers), machine_(machine), plan_(checked) {
    for (const model::link_description& l : machine.links) linked_.emplace(l.from, l.to);
  }

  std::optional<violation> run();
  // What the check has cost.
  [[nodiscard]] std::uint64_t boxes_met() const noexcept { return boxes_met_; }

 private:
  void complain(std::uint64_t step, std::string reason) {
    problems_.push_back({step, std::move(reason)});
  }
  std::optional<violation> report() const;
  // What another one, of the same plan, has found out. What has to come before what is sorted in both (thin).
  void add(checker&& other);
  std::vector<box_index::entry> meeting(const box_index& index, const box& elements) {
    std::vector<box_index::entry> met = index.meeting(elements);
    boxes_met_ += met.size();
    return met;
  }
  [[nodiscard]] std::string describe(std::uint64_t i) const;
  [[nodiscard]] box pages(const model::requirement& r) const;
  [[nodiscard]] memory_id memory_of(const execute_step& e, const model::requirement& r) const;
  [[nodiscard]] bool box_fits(model::buffer_id b, const box& e) const;

  // Everything that is named exists, every command runs once, every wait points backwards. False if
  // nothing else can be checked.
  bool check_shape();
  // In turn; false if nothing else can be checked.
  bool check_requirements();
  bool check_steps();
  bool check_execution(std::uint32_t step, const execute_step& e);
  bool check_transfer(std::uint32_t step, const transfer_step& t);
  bool check_order(std::uint32_t step);
  bool check_finished();
  void check_commands();
  void check_states();

  // Data, in the order of the plan.
  struct place {
    box_index held;  // whose write is there
    users used;
  };
  struct contents {
    box_index current;                      // latest write: its command and one; 0: from before
    std::map<std::uint16_t, place> places;  // by memory; those that something is done in
  };
  void run_through();
  void run_through_beside_order_of_commands();
  // Where a memory does not hold the latest contents.
  struct difference {
    box where;
    std::uint32_t current;
    bool outdated;  // older contents are there
  };
  std::optional<difference> outdated(std::size_t buffer, memory_id m, const box& elements);
  // Complains if the step does not find the latest contents.
  bool finds(std::uint32_t i, std::size_t buffer, memory_id m, const box& elements);
  void run_transfer(std::uint32_t i, const transfer_step& t);
  void run_command(std::uint32_t i, const execute_step& e);
  void use(users& by, std::uint32_t i, const box& elements, bool writes, std::size_t buffer,
           std::uint32_t memory);
  void need(std::uint32_t first, std::uint32_t second, std::uint32_t buffer, std::uint32_t memory);
  void thin();

  // Order. Of the buffers every so-manieth, from `share` on; the first share has what commands say themselves.
  void order_commands(std::size_t share, std::size_t shares);
  // Whoever gets memory comes after the end of everybody who had some of it.
  void order_allocations();
  void check_order();

  // Memory: where buffers are, and how much that takes.
  // Slots are listed in order, lie in their block, and are there whenever their buffers are used. False if nothing else
  // can be checked.
  bool check_slots();
  // Who gets the room of a slot comes after everybody who used that.
  void order_slots();
  void check_peaks();
  [[nodiscard]] const memory_use* use_of(memory_id m) const;
  // What a slot holds comes and goes with it.
  void begin_and_end_slots(std::uint32_t step);
  void forget(const storage_slot& s);

  // What the plan says about itself.
  void check_entry_and_exit();

  model::array_view<const model::command> commands_;
  model::array_view<const model::buffer_info> buffers_;
  const model::topology& machine_;
  const plan& plan_;
  std::set<std::pair<memory_id, memory_id>> linked_;
  std::vector<std::uint32_t> step_of_;      // index: command
  std::vector<std::uint32_t> lane_before_;  // index: step
  std::vector<contents> contents_;          // index: buffer
  std::vector<must_precede> needs_;
  std::vector<std::vector<std::uint32_t>> slot_users_;  // index: slot; steps, ascending
  // By step: slots that begin with it; that have ended before it.
  std::multimap<std::uint32_t, std::uint32_t> begins_, ended_;
  std::size_t thin_at_ = std::size_t{1} << 20;
  std::uint64_t boxes_met_ = 0;
  std::vector<problem> problems_;
};

}  // namespace pianola::planner::verification
