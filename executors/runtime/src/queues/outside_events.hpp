// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <pianola/model/ids.hpp>
#include <pianola/runtime/events.hpp>

#include "queues/queue_table.hpp"

namespace pianola::runtime {

// Commands of devices that commands of a graph depend on: what was submitted before the graph first runs and has to be over
// by then. Of those on one lane the last one is over last, so there are never more than lanes. Where each launch waits, it is
// for what the queues have been given by then.
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
    for (const std::uint64_t id : others.queues_) add_queue(id);
  }
  void add_queue(std::uint64_t id) {
    if (std::find(queues_.begin(), queues_.end(), id) == queues_.end()) queues_.push_back(id);
  }
  // A launch has waited.
  void clear() noexcept { list_.clear(); }
  [[nodiscard]] const std::vector<std::uint64_t>& queues() const noexcept { return queues_; }
  void set_queues(std::vector<std::uint64_t> ids) noexcept { queues_ = std::move(ids); }
  // The steps that a launch would wait for now. The runtime's lock is held.
  template <class F>
  void for_each(const queue_table& all, const F& see) const {
    for (const place& p : list_) see(p.step);
    for (const std::uint64_t id : queues_)
      if (const queue* const q = all.look_at(id))
        for (const queue::lane_tail& t : q->tails) see(t.step);
  }

 private:
  struct place {
    const executors::progress* lane;
    model::step_id step;
  };
  std::vector<place> list_;
  std::vector<std::uint64_t> queues_;  // of which each launch waits for what they were given last
};

}  // namespace pianola::runtime
