// SPDX-License-Identifier: Apache-2.0
// What is in a memory with too little room for all: which buffers leave, when, and where the others lie.
//
// Works while transfers are inserted, since what leaves has to be brought back by them. Before a command, each buffer that
// it needs in such a memory gets a place there. If there is none, buffers leave: those first that nobody will miss, then
// those that are needed again the furthest in the future (Belady's rule), until there is a gap that is large enough. Of
// equals the one leaves that was used the longest ago: what takes its place can come while later commands are at work. A
// place is a buffer's until it leaves; who comes back gets a new one. Where the pieces that are left are too small, all
// leave and the command's buffers are put side by side.
#pragma once
#include <cstdint>
#include <vector>

#include "state/region_map.hpp"
#include "state/state.hpp"
#include "state/window.hpp"

namespace pianola::planner {

class evictor {
 public:
  struct departure {
    model::buffer_id buffer;
    model::memory_id memory;
    bool keep;  // somebody will need what it holds
  };

  // The commands have been placed, and window.room says where there is too little.
  evictor(window& window, planning_state::implementation& state);

  // Calls leave(departure) for what has to go before the transfers of the command at this position; that may add nodes. Throws
  // model::user_error (memory_allocation) if the command alone needs more than there is.
  template <class F>
  void make_room(std::uint32_t position, F&& leave) {
    for (const model::memory_id m : limited_) {
      choose(position, m);
      for (const departure& d : leaving_) leave(d);
      take_places(m);
    }
    pass_uses(position);
  }
  // All commands are there, and what is left leaves.
  template <class F>
  void finish(F&& leave) {
    for (const model::memory_id m : limited_) {
      choose_all(m);
      for (const departure& d : leaving_) leave(d);
      take_places(m);
    }
  }

 private:
  static constexpr std::uint32_t never = 0xffffffffU;
  static constexpr std::uint32_t none = 0xffffffffU;
  struct use {
    std::uint32_t position;
    model::memory_id memory;
    bool replaces;  // all of it, without a look at what was there
  };
  struct resident {
    model::buffer_id buffer;
    std::uint64_t from = 0, to = 0;
    std::uint32_t slot = none;  // none: it comes
    std::uint32_t used = 0;     // the position of the last command that has needed it
    bool needed = false;        // by the command
    bool leaves = false;
  };
  // What is lost if a buffer leaves.
  struct regret {
    std::uint32_t next = never;      // the position at which it has to be here again
    std::uint64_t written_back = 0;  // bytes
    std::uint64_t moved = 0;         // bytes, with those of fetching it
  };
  struct gap {
    std::uint64_t from = 0, to = 0;
    [[nodiscard]] std::uint64_t size() const noexcept { return to - from; }
  };

  void choose(std::uint32_t position, model::memory_id m);
  void choose_all(model::memory_id m);
  void take_places(model::memory_id m);
  void pass_uses(std::uint32_t position);
  bool find_place(model::buffer_id b, model::memory_id m);
  // Among gaps between those for which stays(resident) is true; the smallest that is large enough. Empty: none.
  template <class F>
  [[nodiscard]] gap smallest_gap(model::memory_id m, std::uint64_t bytes, F&& stays) const;
  void take(model::buffer_id b, model::memory_id m, const gap& g);
  void put_side_by_side(std::uint32_t position, model::memory_id m);
  void list_departures(model::memory_id m);
  [[nodiscard]] regret regret_of(const resident& r, model::memory_id m) const;
  [[nodiscard]] const use* next_use(model::buffer_id b) const;
  [[nodiscard]] const use* next_use(model::buffer_id b, model::memory_id m) const;
  [[nodiscard]] bool needed_again(model::buffer_id b) const;
  [[nodiscard]] std::uint64_t space(model::buffer_id b) const;

  window& window_;
  planning_state::implementation& im_;
  std::vector<model::memory_id> limited_;
  std::vector<std::vector<use>> uses_;          // index: buffer; of those that may leave a memory
  std::vector<std::uint32_t> passed_;           // index: buffer; its uses by earlier commands
  std::vector<std::vector<resident>> present_;  // index: memory; ascending by place
  std::vector<region_map<std::uint32_t>> last_slot_;  // index: memory; who had its bytes last
  std::uint32_t position_ = 0;                        // of the command that gets its places
  std::vector<model::buffer_id> wanted_;
  std::vector<departure> leaving_;
};

// Fills window.slot_edges from window.slots: who gets room comes after everybody who worked on what had it before, and a
// buffer's other users after its first. Transfers have got their last numbers.
void order_slots(window& window, const planning_state& state);

}  // namespace pianola::planner
