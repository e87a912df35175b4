// SPDX-License-Identifier: Apache-2.0
#include "order_commands.hpp"

#include <algorithm>
#include <cstddef>
#include <list>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <pianola/model/saturating.hpp>

#include "state/uses.hpp"

namespace pianola::planner {

using model::buffer_id;
using model::memory_id;

namespace {

class command_orderer {
 public:
  command_orderer(window& w, const planning_state& state) : window_(w), im_(state.internals()) {
    memories_.resize(w.room.size());
    uses_.resize(w.commands.size());
    for (std::size_t c = 0; c < w.commands.size(); ++c) {
      for (const model::requirement& r : w.commands[c].requirements) {
        const memory_id m = memory_of(w.places[c], r);
        if (!w.may_leave(info(r.buffer), m)) continue;
        const place p{m, r.buffer};
        if (std::find(uses_[c].begin(), uses_[c].end(), p) == uses_[c].end()) uses_[c].push_back(p);
      }
      for (const place& p : uses_[c]) ++left_[p];
    }
  }

  void run() {
    const std::size_t n = window_.commands.size();
    std::vector<std::vector<std::uint32_t>> next(n);
    std::vector<std::uint32_t> waits(n, 0);
    for (const auto& [from, to] : *window_.edges_of_commands) {
      next[from].push_back(to);
      ++waits[to];
    }
    std::set<std::uint32_t> ready;
    for (std::uint32_t c = 0; c < n; ++c)
      if (waits[c] == 0) ready.insert(c);
    while (!ready.empty()) {
      const std::uint32_t c = choose(ready);
      ready.erase(c);
      window_.sequence.push_back(c);
      run_command(c);
      for (const std::uint32_t after : next[c])
        if (--waits[after] == 0) ready.insert(after);
    }
  }

 private:
  using place = std::pair<memory_id, buffer_id>;
  struct memory {
    std::uint64_t used = 0;
    std::list<buffer_id> recent;  // the last one was used last
    std::map<buffer_id, std::list<buffer_id>::iterator> where;
  };

  [[nodiscard]] const model::buffer_info& info(buffer_id b) const {
    return im_.buffers[b.value()].info;
  }
  [[nodiscard]] std::uint64_t missing(std::uint32_t c) const {
    std::uint64_t sum = 0;
    for (const auto& [m, b] : uses_[c])
      if (memories_[m.value()].where.count(b) == 0)
        sum = model::saturating_add(sum, info(b).bytes());
    return sum;
  }

  // Among the first few, so that wide graphs take no longer than others.
  [[nodiscard]] std::uint32_t choose(const std::set<std::uint32_t>& ready) const {
    constexpr std::size_t few = 64;
    std::uint32_t best = *ready.begin();
    std::uint64_t least = ~std::uint64_t{0};
    std::size_t seen = 0;
    for (const std::uint32_t c : ready) {
      if (++seen > few || least == 0) break;
      const std::uint64_t bytes = missing(c);
      if (bytes >= least) continue;
      least = bytes;
      best = c;
    }
    return best;
  }

  void run_command(std::uint32_t c) {
    for (const auto& [id, b] : uses_[c]) {
      memory& m = memories_[id.value()];
      if (const auto known = m.where.find(b); known != m.where.end())
        m.recent.erase(known->second);
      else
        m.used += info(b).bytes();
      m.where[b] = m.recent.insert(m.recent.end(), b);
    }
    for (const place& p : uses_[c])
      if (--left_[p] == 0) leave(memories_[p.first.value()], p.second);
    for (const auto& [id, b] : uses_[c]) {
      memory& m = memories_[id.value()];
      while (m.used > window_.room[id.value()] && m.recent.front() != b)
        leave(m, buffer_id(m.recent.front()));
    }
  }

  void leave(memory& m, buffer_id b) {
    const auto known = m.where.find(b);
    m.recent.erase(known->second);
    m.where.erase(known);
    m.used -= info(b).bytes();
  }

  window& window_;
  const planning_state::implementation& im_;
  std::vector<memory> memories_;          // index: memory
  std::vector<std::vector<place>> uses_;  // index: command
  std::map<place, std::uint32_t> left_;   // commands that have not run
};

}  // namespace

void order_commands(window& window, const planning_state& state) {
  if (window.room.empty())
    window.sequence = window.planned_order;
  else if (window.edges_of_commands != nullptr)
    command_orderer(window, state).run();
}

}  // namespace pianola::planner
