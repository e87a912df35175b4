// SPDX-License-Identifier: Apache-2.0
#include "flows.hpp"

#include <utility>
#include <variant>

#include "state/region_map.hpp"
#include "state/window.hpp"

namespace pianola::planner {

using model::box;
using model::memory_id;

namespace {

// Of one box: who has put it into which memory since it was written.
struct copies {
  std::vector<std::pair<memory_id, std::uint32_t>> makers;
  model::memory_set
      before;  // where it was when it was written; until then, where it must be at entry
  bool written = false;

  [[nodiscard]] std::uint32_t maker_in(memory_id m) const noexcept {
    for (const auto& [memory, maker] : makers)
      if (memory == m) return maker;
    return data_flow::entry;
  }
  friend bool operator==(const copies& a, const copies& b) noexcept {
    return a.makers == b.makers && a.before == b.before && a.written == b.written;
  }
};

memory_id memory_of(const model::command& c, const model::requirement& r, const execute_step& e,
                    const model::topology& machine) {
  if (r.memory.valid()) return r.memory;
  if (std::holds_alternative<model::host_access_command>(c.payload)) return model::host_memory;
  return machine.memory_of(e.device);
}

}  // namespace

// Where the data is while the plan's steps are gone through in order.
class plan_flows::follower {
 public:
  follower(plan_flows& into, model::array_view<const model::command> commands,
           model::array_view<const model::buffer_info> buffers, const model::topology& machine,
           const std::vector<validity_entry>& contract)
      : into_(into), commands_(commands), buffers_(buffers), machine_(machine) {
    for (const model::buffer_info& b : buffers) where_.emplace_back(box::of(b.grid.range()));
    for (const validity_entry& e : contract)
      where_[e.buffer.value()].update(e.elements, [&](const box&, copies& c) {
        c.before = e.memories;
        return true;
      });
  }

  void follow(std::uint32_t step, const transfer_step& t) {
    take(t.buffer, t.elements, t.from, step, data_flow::no_requirement);
    where_[t.buffer.value()].update(t.elements, [&](const box&, copies& c) {
      if (c.before.contains(t.to)) into_.was_there_[step] = true;
      for (auto& [memory, maker] : c.makers)
        if (memory == t.to) {
          maker = step;
          return true;
        }
      c.makers.emplace_back(t.to, step);
      return true;
    });
  }

  void follow(std::uint32_t step, const execute_step& e) {
    const model::command& c = commands_[e.command.value()];
    into_.step_of_[e.command.value()] = step;
    for (std::uint32_t r = 0; r < c.requirements.size(); ++r) {
      const model::requirement& need = c.requirements[r];
      if (need.needs_data() && !need.elements.empty())
        take(need.buffer, used(c, need), memory_of(c, need, e, machine_), step, r);
    }
    for (const model::requirement& need : c.requirements)
      if (writes(need.mode) && !need.elements.empty())
        write(need.buffer, used(c, need), memory_of(c, need, e, machine_), step);
  }

 private:
  [[nodiscard]] box used(const model::command& c, const model::requirement& r) const {
    return needs_pages(c) && r.needs_data()
               ? buffers_[r.buffer.value()].grid.page_aligned(r.elements)
               : r.elements;
  }

  void take(model::buffer_id b, const box& elements, memory_id memory, std::uint32_t step,
            std::uint32_t requirement) {
    where_[b.value()].visit(elements, [&](const box& part, const copies& c) {
      note({c.maker_in(memory), step, requirement, part});
    });
  }

  // Parts that follow each other and together are a box are one.
  void note(const data_flow& f) {
    if (!into_.flows_.empty()) {
      data_flow& last = into_.flows_.back();
      if (last.taker == f.taker && last.requirement == f.requirement && last.maker == f.maker) {
        const box both = hull(last.elements, f.elements);
        if (both.count() == last.elements.count() + f.elements.count()) {
          last.elements = both;
          return;
        }
      }
    }
    into_.flows_.push_back(f);
  }

  void write(model::buffer_id b, const box& elements, memory_id here, std::uint32_t step) {
    where_[b.value()].update(elements, [&](const box&, copies& now) {
      model::memory_set before = now.before;
      if (!now.makers.empty()) {
        before = {};
        for (const auto& held : now.makers) before.add(held.first);
      }
      now.makers.assign(1, {here, step});
      before.remove(here);
      now.before = std::move(before);
      now.written = true;
      return true;
    });
  }

  plan_flows& into_;
  model::array_view<const model::command> commands_;
  model::array_view<const model::buffer_info> buffers_;
  const model::topology& machine_;
  std::vector<region_map<copies>> where_;  // index: buffer
};

plan_flows::plan_flows(model::array_view<const model::command> commands,
                       model::array_view<const model::buffer_info> buffers,
                       const model::topology& machine, const plan& plan)
    : was_there_(plan.steps.size(), false), step_of_(commands.size(), plan.steps.size()) {
  follower data(*this, commands, buffers, machine, plan.contract);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    first_into_.push_back(flows_.size());
    std::visit([&](const auto& action) { data.follow(static_cast<std::uint32_t>(i), action); },
               plan.steps[i].action);
  }
  first_into_.push_back(flows_.size());
  sort_by_maker();
}

void plan_flows::sort_by_maker() {
  first_out_.assign(first_into_.size(), 0);
  for (const data_flow& f : flows_)
    if (f.maker != data_flow::entry) ++first_out_[f.maker + 1];
  for (std::size_t i = 1; i < first_out_.size(); ++i) first_out_[i] += first_out_[i - 1];
  by_maker_.resize(first_out_.back());
  std::vector<std::size_t> next(first_out_.begin(), first_out_.end() - 1);
  for (std::uint32_t i = 0; i < flows_.size(); ++i)
    if (flows_[i].maker != data_flow::entry) by_maker_[next[flows_[i].maker]++] = i;
}

}  // namespace pianola::planner
