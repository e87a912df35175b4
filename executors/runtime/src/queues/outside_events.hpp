// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <vector>

#include <pianola/model/ids.hpp>
#include <pianola/runtime/events.hpp>

namespace pianola::runtime {

// Commands of devices that commands of a graph depend on: what was submitted before the graph first runs and has to be over
// by then. Of those on one lane the last one is over last, so there are never more than lanes.
class outside_events {
 public:
  void add(const event& e) {
    if (!e.step.valid()) return;
    const auto known =
        std::find_if(list_.begin(), list_.end(), [&](const place& p) { return p.lane == e.lane; });
    if (known == list_.end())
      list_.push_back({e.lane, e.step});
    else
      known->step = std::max(known->step, e.step);
  }
  void add(const outside_events& others) {
    for (const place& p : others.list_) {
      event e;
      e.lane = p.lane;
      e.step = p.step;
      add(e);
    }
  }
  void clear() noexcept { list_.clear(); }
  [[nodiscard]] bool empty() const noexcept { return list_.empty(); }
  template <class F>
  void for_each(const F& see) const {
    for (const place& p : list_) see(p.step);
  }

 private:
  struct place {
    const executors::progress* lane;
    model::step_id step;
  };
  std::vector<place> list_;
};

}  // namespace pianola::runtime
