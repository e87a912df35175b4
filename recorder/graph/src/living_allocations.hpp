// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <iterator>
#include <map>

namespace pianola::recorder {

// What the commands of a graph have allocated and not freed, as they are read one after the other.
class living_allocations {
 public:
  // False: it would lie where another one does that lives.
  bool begin(std::uint64_t name, std::uint64_t place, std::uint64_t bytes) {
    if (bytes != 0) {
      const auto after = by_place_.lower_bound(place);
      if (after != by_place_.end() && after->first - place < bytes) return false;
      if (after != by_place_.begin() && std::prev(after)->second > place) return false;
      by_place_.emplace_hint(after, place, place + bytes);
    }
    by_name_.emplace(name, life{place, bytes});
    return true;
  }
  // False: there is none of this name. The last one ends, if there are several.
  bool end(std::uint64_t name) {
    const auto behind = by_name_.upper_bound(name);
    if (behind == by_name_.begin() || std::prev(behind)->first != name) return false;
    const auto last = std::prev(behind);
    if (last->second.bytes != 0) by_place_.erase(last->second.place);
    by_name_.erase(last);
    return true;
  }

 private:
  struct life {
    std::uint64_t place;
    std::uint64_t bytes;
  };
  std::map<std::uint64_t, std::uint64_t> by_place_;  // begin to end
  std::multimap<std::uint64_t, life> by_name_;       // of one name in the order of their beginnings
};

}  // namespace pianola::recorder
