// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <pianola/model/ids.hpp>
#include <pianola/model/requirement.hpp>

namespace pianola::runtime {

// Accesses of the host program that have not ended. Under the runtime's lock but for `any`.
class held_accesses {
 public:
  struct entry {
    model::lane_id lane;  // of this access only
    model::buffer_id buffer;
    std::uint32_t generation = 0;
    model::access_mode mode = model::access_mode::read_write;
    std::thread::id thread;    // that began it; any other may end it
    std::uint32_t outers = 0;  // accesses around it that go on
    bool ended = false;        // by the program
  };

  // Lanes and accesses that were looked at to begin inside of others, and to end, for tests of what that costs.
  std::uint64_t looked_at = 0;

  [[nodiscard]] bool any() const noexcept { return count_.load(std::memory_order_relaxed) != 0; }
  // The access of the lane; null if it has none.
  [[nodiscard]] const entry* find(model::lane_id) const noexcept;
  // So that the next `add`, of one of so many lanes, does not throw. May throw std::bad_alloc.
  void make_room(std::size_t lanes) {
    if (entries_.size() == entries_.capacity()) entries_.reserve(2 * entries_.size() + 8);
    if (over_.capacity() < entries_.capacity()) over_.reserve(entries_.capacity());
    if (place_of_.size() < lanes) place_of_.resize(2 * lanes, nowhere);
  }
  void add(const entry& e) noexcept;
  // Something that was submitted later waits for the end of the lane's access, if it has one.
  void put_in_the_way(model::lane_id) noexcept;
  // Calls `visit` with the accesses that the thread has begun and that are in the way of something, until it is true;
  // whether it was. Looks at no other ones.
  template <class Visit>
  bool any_in_the_way(std::thread::id thread, const Visit& visit) const {
    for (auto it = in_the_way_.lower_bound({thread, model::lane_id(0)});
         it != in_the_way_.end() && it->first == thread; ++it)
      if (visit(*find(it->second))) return true;
    return false;
  }
  // The access of lane `inner` has begun while that of `outer`, which the same thread holds, goes on: it does not count
  // as over before that one, whichever the program ends first. May throw std::bad_alloc.
  void put_inside(model::lane_id inner, model::lane_id outer);
  // The program has ended the access of this lane. Calls `over` with the lane of each access that is over now: this one,
  // unless one around it goes on, and those inside of it that have ended. Costs the same however many there are.
  template <class Over>
  void end(model::lane_id lane, const Over& over) noexcept {
    for (std::optional<model::lane_id> next = end_one(lane); next; next = next_over()) over(*next);
  }

 private:
  static constexpr std::uint32_t nowhere = 0xffffffffU;

  [[nodiscard]] entry* entry_of(model::lane_id) noexcept;
  // Nothing if an access around it goes on.
  [[nodiscard]] std::optional<model::lane_id> end_one(model::lane_id) noexcept;
  [[nodiscard]] std::optional<model::lane_id> next_over() noexcept;
  // Nothing if the lane has none.
  void remove(model::lane_id) noexcept;

  std::vector<entry> entries_;
  std::vector<std::uint32_t> place_of_;                   // in entries_; index: lane_id
  std::multimap<model::lane_id, model::lane_id> inside_;  // inner ones by outer
  std::vector<model::lane_id> over_;                      // those that `end` has not told of yet
  std::set<std::pair<std::thread::id, model::lane_id>> in_the_way_;
  std::atomic<std::size_t> count_{0};
};

}  // namespace pianola::runtime
