// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace pianola::planner::checking {

// Sets of bytes, as disjoint intervals that do not touch each other.
class intervals {
 public:
  using interval = std::pair<std::int64_t, std::int64_t>;  // half-open

  void cover(std::int64_t begin, std::int64_t end) {
    auto it = all_.upper_bound(begin);
    if (it != all_.begin() && std::prev(it)->second >= begin) --it;
    while (it != all_.end() && it->first <= end) {
      begin = std::min(begin, it->first);
      end = std::max(end, it->second);
      it = all_.erase(it);
    }
    all_.emplace(begin, end);
  }
  // The first bytes of [begin, end) that are not covered, up to one that is; [end, end) if there are none.
  [[nodiscard]] interval gap(std::int64_t begin, std::int64_t end) const {
    auto it = all_.upper_bound(begin);
    if (it != all_.begin() && std::prev(it)->second > begin) begin = std::prev(it)->second;
    while (it != all_.end() && it->first == begin) begin = it++->second;
    if (begin >= end) return {end, end};
    return {begin, it == all_.end() ? end : std::min(end, it->first)};
  }
  // There is one.
  [[nodiscard]] interval first() const { return *all_.begin(); }

 private:
  std::map<std::int64_t, std::int64_t> all_;  // begin to end
};

}  // namespace pianola::planner::checking
