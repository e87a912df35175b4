// SPDX-License-Identifier: Apache-2.0
#include "share_slots.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "pianola/planner/share_storage.hpp"
#include "schedule/lane_clocks.hpp"
#include "state/uses.hpp"

namespace pianola::planner {

using model::buffer_id;
using model::memory_id;

namespace {

// Who uses a buffer in a memory: the first and the last of each lane.
struct slot_life {
  buffer_id buffer;
  std::uint32_t first = 0, last = 0;  // nodes
  struct span {
    std::uint32_t lane, first, last;
  };
  std::vector<span> lanes;
};

class sharer {
 public:
  sharer(window& w, const planning_state& state)
      : window_(w), im_(state.internals()), clocks_(w, im_) {}

  void run() {
    for (std::uint32_t i = 0; i < window_.nodes.size(); ++i)
      for_each_use(window_, window_.nodes[i], [&](buffer_id b, memory_id m) {
        const model::buffer_info& info = im_.buffers[b.value()].info;
        if (info.temporary && !window_.may_leave(info, m)) note(i, b, lives_[{m, b}]);
      });
    std::vector<slot_life*> here;
    for (auto l = lives_.begin(); l != lives_.end();) {
      const memory_id m = l->first.first;
      here.clear();
      for (; l != lives_.end() && l->first.first == m; ++l) here.push_back(&l->second);
      place(m, here);
    }
  }

 private:
  void note(std::uint32_t i, buffer_id b, slot_life& of) {
    const std::uint32_t lane = window_.nodes[i].lane;
    if (of.lanes.empty()) {
      of.buffer = b;
      of.first = i;
    }
    of.last = i;
    for (slot_life::span& s : of.lanes)
      if (s.lane == lane) {
        s.last = i;
        return;
      }
    of.lanes.push_back({lane, i, i});
  }

  [[nodiscard]] bool comes_after(std::uint32_t later, std::uint32_t earlier) {
    const node &a = window_.nodes[earlier], &b = window_.nodes[later];
    if (a.lane == b.lane) return a.position < b.position;
    return window_.clocks.tick(later, a.column) >= clocks_.place_of(window_.first + earlier).tick;
  }

  [[nodiscard]] bool over_before(const slot_life& a, const slot_life& b) {
    if (a.last >= b.first) return false;
    return std::all_of(b.lanes.begin(), b.lanes.end(), [&](const slot_life::span& later) {
      return std::all_of(a.lanes.begin(), a.lanes.end(), [&](const slot_life::span& earlier) {
        return comes_after(later.first, earlier.last);
      });
    });
  }

  void place(memory_id m, std::vector<slot_life*>& lives) {
    std::sort(lives.begin(), lives.end(), [](const slot_life* a, const slot_life* b) {
      return std::make_pair(a->first, a->buffer) < std::make_pair(b->first, b->buffer);
    });
    std::vector<std::uint64_t> sizes;
    for (const slot_life* l : lives) sizes.push_back(im_.buffers[l->buffer.value()].info.bytes());
    const storage_layout layout = share_storage(sizes, [&](std::size_t a, std::size_t b) {
      return over_before(*lives[a], *lives[b]) || over_before(*lives[b], *lives[a]);
    });
    for (std::size_t i = 0; i < lives.size(); ++i) {
      window_slot& s = window_.slots.emplace_back();
      s.buffer = lives[i]->buffer;
      s.memory = m;
      s.offset = layout.offsets[i];
      s.first = lives[i]->first;
      s.last = lives[i]->last;
    }
  }

  window& window_;
  const planning_state::implementation& im_;
  lane_clocks clocks_;
  std::map<std::pair<memory_id, buffer_id>, slot_life> lives_;
};

}  // namespace

void share_slots(window& window, const planning_state& state) {
  const auto& buffers = state.internals().buffers;
  if (std::none_of(buffers.begin(), buffers.end(),
                   [](const buffer_state& b) { return b.info.temporary; }))
    return;
  sharer(window, state).run();
}

}  // namespace pianola::planner
