// SPDX-License-Identifier: Apache-2.0
// What planning_state is made of; for the planner's own sources only.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <tuple>
#include <utility>
#include <vector>

#include <pianola/model/ids.hpp>
#include <pianola/model/requirement.hpp>

#include "compact_list.hpp"
#include "cost/routes.hpp"
#include "pianola/planner/cost/links.hpp"
#include "pianola/planner/plan.hpp"
#include "pianola/planner/planning_state.hpp"
#include "region_map.hpp"
#include "window.hpp"

namespace pianola::planner {

inline constexpr std::uint64_t no_step = model::step_id::invalid_value;

// Which step made the data valid in which memory. Memories that are valid without an entry here were
// so before anything that is planned.
class producer_list {
 public:
  // no_step if there is no entry.
  [[nodiscard]] std::uint64_t find(model::memory_id m) const noexcept {
    const std::uint64_t* const e = from(m);
    return e != entries_.end() && (*e & memory_bits) == m.value() ? *e >> shift : no_step;
  }
  void set(model::memory_id m, std::uint64_t step) {
    const std::uint64_t packed = step << shift | m.value();
    const auto place = static_cast<std::uint32_t>(from(m) - entries_.begin());
    if (place != entries_.size() && (entries_[place] & memory_bits) == m.value()) {
      entries_.begin()[place] = packed;
      return;
    }
    entries_.push_back(packed);
    for (std::uint32_t i = entries_.size() - 1; i != place; --i)
      std::swap(entries_.begin()[i - 1], entries_.begin()[i]);
  }
  void assign(model::memory_id m, std::uint64_t step) {
    entries_.clear();
    entries_.push_back(step << shift | m.value());
  }
  void clear() noexcept { entries_.clear(); }
  void take(const producer_list& other) { entries_.take(other.entries_); }
  [[nodiscard]] bool is_flat() const noexcept { return entries_.is_flat(); }
  void remove(model::memory_id m) noexcept {
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < entries_.size(); ++i)
      if ((entries_[i] & memory_bits) != m.value()) entries_.begin()[kept++] = entries_[i];
    entries_.shrink_to(kept);
  }
  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  // Drops entries of steps before `first`; whether there were any.
  bool drop_before(std::uint64_t first) noexcept {
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < entries_.size(); ++i)
      if (entries_[i] >> shift >= first) entries_.begin()[kept++] = entries_[i];
    const bool dropped = kept != entries_.size();
    entries_.shrink_to(kept);
    return dropped;
  }
  template <class F>
  void for_each(F&& f) const {
    for (std::uint64_t e : entries_) f(e >> shift);
  }
  friend bool operator==(const producer_list& a, const producer_list& b) noexcept {
    return a.entries_ == b.entries_;
  }

 private:
  static constexpr unsigned shift = 10;
  static constexpr std::uint64_t memory_bits = (std::uint64_t{1} << shift) - 1;
  static_assert(model::max_memories <= std::size_t{1} << shift);

  // The first entry of this memory or a later one: they are kept in order of memories, so that equal sets are equal lists.
  [[nodiscard]] const std::uint64_t* from(model::memory_id m) const noexcept {
    const std::uint64_t* e = entries_.begin();
    if (entries_.size() > 16) [[unlikely]]
      return std::partition_point(e, entries_.end(),
                                  [m](std::uint64_t x) { return (x & memory_bits) < m.value(); });
    while (e != entries_.end() && (*e & memory_bits) < m.value()) ++e;
    return e;
  }

  compact_list<2> entries_;
};

// Where the elements of one box are valid.
struct validity {
  model::memory_set valid;
  // Memories whose data of before the plan was used: the entry contract. Recorded planning only.
  model::memory_set taken;
  producer_list producers;

  // Whether its bytes are all of it: nothing is allocated.
  [[nodiscard]] bool is_flat() const noexcept {
    return valid.is_near() && taken.is_near() && producers.is_flat();
  }
  // A copy, in the memory that it has where that is enough.
  void take(const validity& other) {
    valid = other.valid;
    taken = other.taken;
    producers.take(other.producers);
  }
  friend bool operator==(const validity& a, const validity& b) noexcept {
    return a.valid == b.valid && a.taken == b.taken && a.producers == b.producers;
  }
};

// Who accessed the pages of one box: the last writer and everyone who has read since.
struct history {
  std::uint64_t writer = no_step;
  compact_list<3> readers;

  [[nodiscard]] bool is_flat() const noexcept { return readers.is_flat(); }
  void take(const history& other) {
    writer = other.writer;
    readers.take(other.readers);
  }
  friend bool operator==(const history& a, const history& b) noexcept {
    return a.writer == b.writer && a.readers == b.readers;
  }
};

struct buffer_state {
  model::buffer_info info;
  region_map<validity> valid;
  region_map<planner::history> history;
  // Leaves at which tidying up is worth its while again (see tidy).
  std::size_t tidy_at = 64;
  bool alive = false;
  bool one_page = false;
  // Recorded planning: no command of the window writes it, so its accesses need no order.
  bool read_only = false;
};

// region_map::update on the elements, or on all pages that they touch. Most buffers are used as a
// whole: that case comes first and moves no boxes around.
template <class T, class F>
void update_elements(region_map<T>& map, const model::box& elements, F&& f) {
  T* const all = map.uniform();
  if (all != nullptr && contains(elements, map.domain()))
    f(map.domain(), *all);
  else
    map.update(elements, f);
}
template <class T, class F>
void update_pages(const buffer_state& b, region_map<T>& map, const model::box& elements, F&& f) {
  T* const all = map.uniform();
  if (all != nullptr && b.one_page)
    f(map.domain(), *all);
  else
    update_elements(map, b.info.grid.page_aligned(elements), f);
}

enum class lane_use : std::uint8_t { compute, transfer, caller };

struct lane_state {
  model::device_id device;
  lane_use use = lane_use::compute;
  std::uint64_t tail = no_step;
  std::uint64_t length = 0;  // steps so far
  std::uint64_t held = 0;    // of its tail: see node::held
};

// Where the planner's own lanes of one device are.
struct device_lanes {
  std::vector<std::uint32_t> compute;
  std::vector<std::uint32_t> transfer;
};

// Lane and position of every step that is not retired, in a ring.
class step_ring {
 public:
  struct place {
    std::uint64_t position = 0;
    std::uint64_t held = 0;
    std::uint32_t lane = model::lane_id::invalid_value;
  };
  [[nodiscard]] const place& at(std::uint64_t step) const noexcept { return ring_[step & mask_]; }
  void append(std::uint64_t first_kept, std::uint64_t step, const place& p) {
    if (step - first_kept >= ring_.size()) grow(first_kept, step);
    ring_[step & mask_] = p;
  }

 private:
  void grow(std::uint64_t first_kept, std::uint64_t step) {
    std::size_t size = ring_.empty() ? 64 : ring_.size() * 2;
    while (step - first_kept >= size) size *= 2;
    std::vector<place> larger(size);
    for (std::uint64_t s = first_kept; s < step; ++s) larger[s & (size - 1)] = at(s);
    ring_.swap(larger);
    mask_ = size - 1;
  }
  std::vector<place> ring_;
  std::uint64_t mask_ = 0;
};

// What a window that cannot be planned to its end, for want of memory, had found: it is as if nobody had tried. Costs as much
// as looking at what the commands access.
class state_before {
 public:
  void note(const planning_state::implementation& state, model::array_view<const model::command>);
  void restore(planning_state::implementation& state, const window& planned) noexcept;

 private:
  template <class T>
  struct noted {
    model::buffer_id buffer;
    bool whole = false;  // all of the buffer, and not a box of it
    bool flat = false;   // `bytes` are those of the value, else `value` is it
    alignas(T) std::array<std::byte, sizeof(T)> bytes;
    model::box where;
    T value;

    [[nodiscard]] const T& get() const noexcept {
      return flat ? *std::launder(reinterpret_cast<const T*>(bytes.data())) : value;
    }
  };
  // Keeps what lists of an earlier window have grown to.
  template <class T>
  struct notes {
    std::vector<noted<T>> all;
    std::size_t count = 0;  // of this window
    noted<T>& add(model::buffer_id b, const T& value);
  };
  template <class T>
  static void note(const region_map<T>& map, const model::requirement& r,
                   const model::page_grid& grid, notes<T>& to);
  template <class T>
  static void restore(region_map<T>& map, const noted<T>& before);

  notes<validity> validities_;
  notes<history> histories_;
  std::uint64_t last_host_access_ = 0;
};

struct planning_state::implementation {
  std::vector<buffer_state> buffers;  // index: buffer_id
  std::vector<std::uint32_t> free_buffers;
  std::vector<lane_state> lanes;      // index: lane_id
  std::vector<device_lanes> devices;  // index: device_id
  step_ring steps;
  window scratch;
  state_before before;
  // One past the latest access by the host; if that is finished, no step is held.
  std::uint64_t last_host_access = 0;
  // Times that the lane of a reader was looked up, for tests of what histories cost.
  std::uint64_t reader_lanes_looked_at = 0;
  // Of the topology that was planned for last.
  connections links;
  transfer_devices transferring;
  std::tuple<const model::topology*, std::size_t, std::size_t, std::size_t> linked{};

  [[nodiscard]] buffer_state& at(model::buffer_id b) { return buffers[b.value()]; }
  [[nodiscard]] bool knows(model::buffer_id b) const noexcept {
    return b.valid() && b.value() < buffers.size() && buffers[b.value()].alive;
  }

  model::lane_id add_lane(model::device_id device, lane_use use);

  static void advance(planning_state& state, std::uint64_t steps) { state.next_step_ += steps; }

  // Drops what is known to be finished from the maps of a buffer that has been cut into many boxes,
  // so that boxes which differ in finished steps alone become one again.
  void tidy(buffer_state& b, std::uint64_t retired);
};

// How many boxes and list entries a state holds; for tests of bounded memory.
struct state_size {
  std::size_t validity_boxes = 0;
  std::size_t history_boxes = 0;
  std::size_t readers = 0;
};
[[nodiscard]] state_size size_of(const planning_state& state);

}  // namespace pianola::planner
