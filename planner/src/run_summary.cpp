// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/run_summary.hpp"

#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <pianola/model/error.hpp>

#include "state/region_map.hpp"

namespace pianola::planner {

using model::box;

namespace {

struct element_state {
  model::memory_set valid;  // now
  model::memory_set taken;  // from before the run
  bool written = false;
  enum : std::uint8_t { untouched, read, changed } access = untouched;  // of its pages

  friend bool operator==(const element_state& a, const element_state& b) noexcept {
    return a.valid == b.valid && a.taken == b.taken && a.written == b.written &&
           a.access == b.access;
  }
};

class summary {
 public:
  summary(model::array_view<const model::buffer_info> buffers, const model::topology& topology,
          const summary_limits& limits)
      : buffers_(buffers), topology_(topology), limits_(limits) {
    for (const model::buffer_info& b : buffers) maps_.emplace_back(box::of(b.grid.range()));
    boxes_ = maps_.size();
  }

  void add(const transfer_step& t) {
    update(t.buffer, t.elements, [&](const box&, element_state& s) {
      take(s, t.from);
      s.valid.add(t.to);
      return true;
    });
  }

  void add(const execute_step& e, const model::command& command) {
    const memory_of_step where{*this, e, command};
    const bool launch = std::holds_alternative<model::subgraph_command>(command.payload);
    for (const model::requirement& r : command.requirements) {
      if (r.no_init || r.elements.empty()) continue;
      update(r.buffer, launch ? r.elements : pages(r), [&](const box&, element_state& s) {
        take(s, where(r));
        return true;
      });
    }
    // What several requirements of one command write is valid in all of their memories.
    for (const bool first : {true, false})
      for (const model::requirement& r : command.requirements) {
        if (!writes(r.mode) || r.elements.empty()) continue;
        update(r.buffer, r.no_init ? r.elements : pages(r), [&](const box&, element_state& s) {
          if (first)
            s.valid = {};
          else
            s.valid.add(where(r));
          s.written = true;
          return true;
        });
      }
    for (const model::requirement& r : command.requirements) {
      if (r.elements.empty()) continue;
      update(r.buffer, pages(r), [&](const box&, element_state& s) {
        if (writes(r.mode))
          s.access = element_state::changed;
        else if (s.access == element_state::untouched)
          s.access = element_state::read;
        return true;
      });
    }
  }

  [[nodiscard]] std::uint64_t looked_at() const noexcept { return looked_at_; }

  void write_to(plan& run) const {
    for (std::uint32_t i = 0; i < maps_.size(); ++i) {
      const model::buffer_id id(i);
      maps_[i].visit(maps_[i].domain(), [&](const box& where, const element_state& s) {
        if (!s.taken.empty()) run.contract.push_back({id, where, s.taken});
        if (s.written) run.exit.push_back({id, where, s.valid});
        if (s.access != element_state::untouched)
          run.accesses.push_back({id, where, s.access == element_state::changed});
      });
    }
  }

 private:
  struct memory_of_step {
    const summary& of;
    const execute_step& step;
    const model::command& command;
    model::memory_id operator()(const model::requirement& r) const {
      if (r.memory.valid()) return r.memory;
      if (std::holds_alternative<model::host_access_command>(command.payload))
        return model::host_memory;
      return of.topology_.memory_of(step.device);
    }
  };

  static void take(element_state& s, model::memory_id m) {
    if (s.written || s.valid.contains(m)) return;
    s.taken.add(m);
    s.valid.add(m);
  }
  template <class F>
  void update(model::buffer_id b, const box& where, F&& f) {
    region_map<element_state>& map = maps_[b.value()];
    boxes_ -= map.leaf_count();
    bool first = true;
    map.update(where, [&](const box& part, element_state& s) {
      if (!std::exchange(first, false)) ++looked_at_;
      return f(part, s);
    });
    boxes_ += map.leaf_count();
    if (boxes_ > limits_.boxes + maps_.size())
      throw model::user_error(
          model::error_code::invalid,
          fmt::format("the data of the run lies in more than {} boxes that differ, the most that "
                      "are taken apart",
                      limits_.boxes));
    if (looked_at_ > limits_.looked_at)
      throw model::user_error(
          model::error_code::invalid,
          fmt::format(
              "the commands of the run use buffers that lie in boxes that differ, more than {} "
              "in all, the most that are looked at; record fewer of them",
              limits_.looked_at));
  }
  [[nodiscard]] box pages(const model::requirement& r) const {
    return buffers_[r.buffer.value()].grid.page_aligned(r.elements);
  }

  model::array_view<const model::buffer_info> buffers_;
  const model::topology& topology_;
  std::vector<region_map<element_state>> maps_;
  const summary_limits limits_;
  std::size_t boxes_ = 0;        // one of each buffer is within the limits
  std::uint64_t looked_at_ = 0;  // besides one for each use of a buffer
};

}  // namespace

std::uint64_t summarise_run(model::array_view<const model::command> commands,
                            model::array_view<const model::buffer_info> buffers,
                            const model::topology& topology, plan& run,
                            const summary_limits& limits) {
  summary s(buffers, topology, limits);
  for (const step& x : run.steps) {
    if (const auto* e = std::get_if<execute_step>(&x.action))
      s.add(*e, commands[e->command.value()]);
    else
      s.add(std::get<transfer_step>(x.action));
  }
  run.contract.clear();
  run.exit.clear();
  run.accesses.clear();
  s.write_to(run);
  return s.looked_at();
}

}  // namespace pianola::planner
