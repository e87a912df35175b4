// SPDX-License-Identifier: Apache-2.0
#include "derive_dependencies.hpp"

#include <algorithm>
#include <functional>

namespace pianola::planner {

using model::box;

namespace {

class deriver {
 public:
  deriver(window& window, planning_state& state)
      : window_(window), im_(state.internals()), found_(window.found) {}

  void derive(std::uint32_t index) {
    node& n = window_.nodes[index];
    found_.clear();
    const std::uint64_t* data = window_.data_edges.data() + n.first_edge;
    for (std::uint32_t e = 0; e < n.edge_count; ++e) found_.push_back(data[e]);
    for (; slot_edge_ < window_.slot_edges.size() && window_.slot_edges[slot_edge_].later == index;
         ++slot_edge_)
      found_.push_back(window_.first + window_.slot_edges[slot_edge_].earlier);
    if (n.transfer && !window_.room.empty()) {
      // Who writes the data next, on the host or in order to bring it there again, comes after this.
      const pending_transfer& t = window_.transfers[n.index];
      if (window_.may_leave(im_.at(t.buffer).info, t.from)) {
        model::requirement r;
        r.buffer = t.buffer;
        r.mode = model::access_mode::read;
        r.elements = t.elements;
        access(r, window_.first + index);
      }
    }
    if (!n.transfer) {
      const model::command& c = window_.commands[n.index];
      for (const std::uint64_t after : c.after)
        add(window_.relative ? window_.first + window_.node_of_command[after] : after);
      const std::uint64_t self = window_.first + index;
      for (const model::requirement& r : c.requirements)
        if (!r.elements.empty()) access(r, self);
    }
    sort_found();
    n.first_edge = static_cast<std::uint32_t>(window_.edges.size());
    n.edge_count = static_cast<std::uint32_t>(found_.size());
    for (const std::uint64_t step : found_) window_.edges.push_back(step);
  }

 private:
  void add(std::uint64_t step) {
    if (step >= window_.retired) found_.push_back(step);
  }
  // Unlike `add` for what comes out of a history, where neighbours often name the same step.
  void add_writer(std::uint64_t step) {
    if (step == no_step || step < window_.retired) return;
    if (found_.empty() || found_.back() != step) found_.push_back(step);
  }

  void access(const model::requirement& r, std::uint64_t self) {
    buffer_state& b = im_.at(r.buffer);
    if (b.read_only) {
      update_pages(b, b.history, r.elements, [&](const box&, history& h) {
        if (!h.readers.empty()) return false;
        h.readers.push_back(self);
        return true;
      });
      return;
    }
    if (writes(r.mode)) {
      update_pages(b, b.history, r.elements, [&](const box&, history& h) {
        if (h.writer == self) return false;
        // Readers have waited for the writer, so they stand for it.
        if (h.readers.empty()) add_writer(h.writer);
        for (const std::uint64_t reader : h.readers)
          if (reader != self) add(reader);
        h.writer = self;
        h.readers.clear();
        return true;
      });
    } else {
      update_pages(b, b.history, r.elements, [&](const box&, history& h) {
        if (h.writer == self) return false;
        add_writer(h.writer);
        if (!h.readers.empty() && h.readers.back() == self) return false;
        if (h.readers.full() && !window_.recorded) forget_readers(h);
        h.readers.push_back(self);
        return true;
      });
    }
  }

  // Drops readers that are finished, and those followed by a later reader on their lane, which
  // stands for them. What is left is bounded by the number of lanes.
  void forget_readers(history& h) {
    std::uint64_t* const begin = h.readers.begin();
    std::uint64_t* const end = h.readers.end();
    window_.seen.clear();
    // In place from the latest down: what is kept gathers at the end.
    std::uint64_t* kept = end;
    for (std::uint64_t* at = end; at-- != begin;) {
      if (*at < window_.retired) continue;
      // Steps of this window have no lane yet.
      if (*at < window_.first && !window_.seen.add(lane_of(*at))) continue;
      *--kept = *at;
    }
    std::move(kept, end, begin);
    h.readers.shrink_to(static_cast<std::uint32_t>(end - kept));
    // Room enough that this is not done again at every read.
    if (h.readers.size() > h.readers.capacity() / 4 * 3) h.readers.grow();
  }

  std::uint32_t lane_of(std::uint64_t step) {
    ++im_.reader_lanes_looked_at;
    return im_.steps.at(step).lane;
  }

  void sort_found() {
    if (found_.size() < 2) return;
    if (found_.size() <= 12) {
      for (std::size_t i = 1; i < found_.size(); ++i) {
        const std::uint64_t v = found_[i];
        std::size_t at = i;
        for (; at > 0 && found_[at - 1] < v; --at) found_[at] = found_[at - 1];
        found_[at] = v;
      }
    } else {
      std::sort(found_.begin(), found_.end(), std::greater<>());
    }
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
  }

  window& window_;
  planning_state::implementation& im_;
  std::vector<std::uint64_t>& found_;
  std::size_t slot_edge_ = 0;
};

}  // namespace

void derive_dependencies(window& window, planning_state& state) {
  deriver all(window, state);
  const auto n = static_cast<std::uint32_t>(window.nodes.size());
  for (std::uint32_t i = 0; i < n; ++i) all.derive(i);
}

}  // namespace pianola::planner
