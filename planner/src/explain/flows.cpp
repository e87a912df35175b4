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
  memory_mask before =
      0;  // where it was when it was written; until then, where it must be at entry
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

plan_flows::plan_flows(model::array_view<const model::command> commands,
                       model::array_view<const model::buffer_info> buffers,
                       const model::topology& machine, const plan& plan)
    : was_there_(plan.steps.size(), false), step_of_(commands.size(), plan.steps.size()) {
  std::vector<region_map<copies>> where;
  for (const model::buffer_info& b : buffers) where.emplace_back(box::of(b.grid.range()));
  for (const validity_entry& e : plan.contract)
    where[e.buffer.value()].update(e.elements, [&](const box&, copies& c) {
      c.before = e.memories;
      return true;
    });
  const auto take = [&](model::buffer_id b, const box& elements, memory_id memory,
                        std::uint32_t step, std::uint32_t requirement) {
    where[b.value()].visit(elements, [&](const box& part, const copies& c) {
      const std::uint32_t maker = c.maker_in(memory);
      if (!flows_.empty()) {
        data_flow& last = flows_.back();
        if (last.taker == step && last.requirement == requirement && last.maker == maker) {
          // Parts that follow each other and together are a box.
          const box both = hull(last.elements, part);
          if (both.count() == last.elements.count() + part.count()) {
            last.elements = both;
            return;
          }
        }
      }
      flows_.push_back({maker, step, requirement, part});
    });
  };

  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const auto step = static_cast<std::uint32_t>(i);
    first_into_.push_back(flows_.size());
    if (const auto* t = std::get_if<transfer_step>(&plan.steps[i].action)) {
      take(t->buffer, t->elements, t->from, step, data_flow::no_requirement);
      where[t->buffer.value()].update(t->elements, [&](const box&, copies& c) {
        if ((c.before & mask_of(t->to)) != 0) was_there_[i] = true;
        for (auto& [memory, maker] : c.makers)
          if (memory == t->to) {
            maker = step;
            return true;
          }
        c.makers.emplace_back(t->to, step);
        return true;
      });
      continue;
    }
    const auto& e = std::get<execute_step>(plan.steps[i].action);
    const model::command& c = commands[e.command.value()];
    step_of_[e.command.value()] = i;
    const auto used = [&](const model::requirement& r) {
      return needs_pages(c) && r.needs_data()
                 ? buffers[r.buffer.value()].grid.page_aligned(r.elements)
                 : r.elements;
    };
    for (std::uint32_t r = 0; r < c.requirements.size(); ++r) {
      const model::requirement& need = c.requirements[r];
      if (need.needs_data() && !need.elements.empty())
        take(need.buffer, used(need), memory_of(c, need, e, machine), step, r);
    }
    for (const model::requirement& need : c.requirements) {
      if (!writes(need.mode) || need.elements.empty()) continue;
      const memory_id here = memory_of(c, need, e, machine);
      where[need.buffer.value()].update(used(need), [&](const box&, copies& now) {
        memory_mask before = now.before;
        if (!now.makers.empty()) {
          before = 0;
          for (const auto& held : now.makers) before |= mask_of(held.first);
        }
        now.makers.assign(1, {here, step});
        now.before = before & ~mask_of(here);
        now.written = true;
        return true;
      });
    }
  }
  first_into_.push_back(flows_.size());

  first_out_.assign(plan.steps.size() + 1, 0);
  for (const data_flow& f : flows_)
    if (f.maker != data_flow::entry) ++first_out_[f.maker + 1];
  for (std::size_t i = 1; i < first_out_.size(); ++i) first_out_[i] += first_out_[i - 1];
  by_maker_.resize(first_out_.back());
  std::vector<std::size_t> next(first_out_.begin(), first_out_.end() - 1);
  for (std::uint32_t i = 0; i < flows_.size(); ++i)
    if (flows_[i].maker != data_flow::entry) by_maker_[next[flows_[i].maker]++] = i;
}

}  // namespace pianola::planner
