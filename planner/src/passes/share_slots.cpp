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
    std::uint32_t lane, first, last;  // the lane's column in the clocks; nodes
  };
  std::vector<span> lanes;
};

// Each lane is two lines of time. On both, positions in the lane are even points, and odd ones are between them. On the
// first line there are the lives that one lane uses, from their first position to their last one; on the second one
// those that several use, whatever lanes those are, between the last position that comes before them and the first one
// that comes after.
class sharer {
 public:
  sharer(window& w, const planning_state& state) : window_(w), im_(state.internals()) {
    lane_clocks clocks(w, im_);
    for (std::uint32_t i = 0; i < w.nodes.size(); ++i) {
      // A single step has no clock, and nothing comes after it.
      const bool alone = w.nodes.size() == 1;
      const std::uint32_t lane = alone ? 0 : w.nodes[i].column;
      if (steps_of_.size() <= lane) steps_of_.resize(lane + 1);
      steps_of_[lane].push_back(i);
      positions_.push_back(static_cast<std::uint32_t>(steps_of_[lane].size()));
      ticks_.push_back(alone ? 0 : clocks.place_of(w.first + i).tick);
    }
  }

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
    const std::uint32_t lane = lane_of(i);
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

  [[nodiscard]] std::uint32_t lane_of(std::uint32_t i) const {
    return positions_.size() == 1 ? 0 : window_.nodes[i].column;
  }
  // Of steps of different lanes.
  [[nodiscard]] bool comes_after(std::uint32_t later, std::uint32_t earlier) const {
    return later > earlier &&
           window_.clocks.tick_if_any(later, window_.nodes[earlier].column) >= ticks_[earlier];
  }
  // How many of the lane's steps come before the node.
  [[nodiscard]] std::uint32_t steps_before(std::uint32_t i, std::uint32_t lane) const {
    if (lane_of(i) == lane) return positions_[i] - 1;
    const std::vector<std::uint32_t>& steps = steps_of_[lane];
    const auto end = std::partition_point(
        steps.begin(), steps.end(), [&](std::uint32_t other) { return comes_after(i, other); });
    return static_cast<std::uint32_t>(end - steps.begin());
  }
  // How many of them do not come after it.
  [[nodiscard]] std::uint32_t steps_not_after(std::uint32_t i, std::uint32_t lane) const {
    if (lane_of(i) == lane) return positions_[i];
    const std::vector<std::uint32_t>& steps = steps_of_[lane];
    const auto end = std::partition_point(
        steps.begin(), steps.end(), [&](std::uint32_t other) { return !comes_after(other, i); });
    return static_cast<std::uint32_t>(end - steps.begin());
  }

  static std::uint32_t line_of_single(std::uint32_t lane) { return 2 * lane; }
  static std::uint32_t line_of_several(std::uint32_t lane) { return 2 * lane + 1; }

  // From behind the last position that comes before all of it until before the first one that comes after all of it.
  [[nodiscard]] timed_request::span around(const slot_life& life, std::uint32_t lane,
                                           std::uint32_t line) const {
    std::uint32_t before = ~0U, not_after = 0;
    for (const slot_life::span& s : life.lanes) {
      before = std::min(before, steps_before(s.first, lane));
      not_after = std::max(not_after, steps_not_after(s.last, lane));
    }
    return {line, 2 * before + 1, 2 * not_after + 1};
  }

  [[nodiscard]] timed_request request_of(const slot_life& life) const {
    timed_request r;
    r.bytes = im_.buffers[life.buffer.value()].info.bytes();
    for (std::uint32_t lane = 0; lane < steps_of_.size(); ++lane)
      r.avoids.push_back(around(life, lane, line_of_single(lane)));
    if (life.lanes.size() == 1) {
      const slot_life::span& own = life.lanes.front();
      const std::uint32_t first = 2 * positions_[own.first], last = 2 * positions_[own.last];
      r.takes.push_back({line_of_single(own.lane), first, last});
      r.avoids.push_back({line_of_several(own.lane), first, last});
      return r;
    }
    for (std::uint32_t lane = 0; lane < steps_of_.size(); ++lane)
      r.takes.push_back(around(life, lane, line_of_several(lane)));
    // Where neither of two lives is over before the other, these meet in the lane of a step that does not come before
    // the other life, or of one that does not come after it. They may also meet where one is over: then they share less.
    for (const slot_life::span& s : life.lanes)
      r.avoids.push_back(around(life, s.lane, line_of_several(s.lane)));
    return r;
  }

  void place(memory_id m, std::vector<slot_life*>& lives) {
    std::sort(lives.begin(), lives.end(), [](const slot_life* a, const slot_life* b) {
      return std::make_pair(a->first, a->buffer) < std::make_pair(b->first, b->buffer);
    });
    std::vector<timed_request> requests;
    for (const slot_life* l : lives) requests.push_back(request_of(*l));
    const storage_layout layout = share_storage(requests);
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
  std::vector<std::vector<std::uint32_t>> steps_of_;  // index: lane
  std::vector<std::uint32_t> positions_, ticks_;      // index: node
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
