// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/explain/change.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <pianola/model/error.hpp>

#include "pianola/planner/simulate/simulate.hpp"

namespace pianola::planner {

namespace {

[[noreturn]] void no_such(const char* what) {
  throw model::user_error(model::error_code::invalid,
                          fmt::format("a change names {} that the graph does not have", what));
}

}  // namespace

changed_graph::changed_graph(const graph_view& graph, const graph_change& change)
    : commands_(graph.commands().begin(), graph.commands().end()),
      buffers_(graph.buffers().begin(), graph.buffers().end()) {
  std::visit([this](const auto& c) { apply(c); }, change);
}

void changed_graph::apply(const page_change& c) {
  if (c.buffer.value() >= buffers_.size()) no_such("a buffer");
  model::buffer_info& b = buffers_[c.buffer.value()];
  b.grid = model::page_grid(b.grid.range(), c.page);
}

void changed_graph::own_requirements() {
  std::size_t count = 0;
  for (const model::command& c : commands_) count += c.requirements.size();
  requirements_.reserve(count);
  for (model::command& c : commands_) {
    const std::size_t first = requirements_.size();
    first_requirement_.push_back(first);
    requirements_.insert(requirements_.end(), c.requirements.begin(), c.requirements.end());
    c.requirements = {requirements_.data() + first, c.requirements.size()};
  }
}

model::requirement& changed_graph::requirement(const access_place& a) {
  if (a.command.value() >= commands_.size() ||
      a.requirement >= commands_[a.command.value()].requirements.size())
    no_such("an access");
  return requirements_[first_requirement_[a.command.value()] + a.requirement];
}

void changed_graph::apply(const access_change& c) {
  own_requirements();
  for (const access_place& a : c.accesses) {
    model::requirement& r = requirement(a);
    if (c.what == access_change::to::read_only) {
      r.mode = model::access_mode::read;
      r.no_init = false;
    } else {
      r.mode = model::access_mode::write;
      r.no_init = true;
    }
  }
}

void changed_graph::apply(const device_change& c) {
  for (const model::command_id id : c.commands) {
    if (id.value() >= commands_.size()) no_such("a command");
    commands_[id.value()].device = c.device;
    commands_[id.value()].candidates = {};
    commands_[id.value()].lane = {};
  }
}

void changed_graph::apply(const move_change& c) {
  const std::size_t from = c.command.value(), to = c.before.value();
  if (to >= commands_.size() || from >= to) no_such("a later command");
  // The commands in between are one place further on, and this one is the last of them. Who came after it comes after
  // what it came after.
  moved_.resize(commands_.size());
  for (std::size_t i = 0; i < moved_.size(); ++i) {
    const std::size_t now = i == from ? to - 1 : i > from && i < to ? i - 1 : i;
    moved_[i] = model::command_id(static_cast<std::uint32_t>(now));
  }
  const std::vector<model::command> old = commands_;
  std::vector<std::vector<std::uint64_t>> after(old.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < old.size(); ++i) {
    std::vector<std::uint64_t>& now = after[moved_[i].value()];
    for (const std::uint64_t a : old[i].after) {
      if (a == from && i < to)
        for (const std::uint64_t earlier : old[from].after) now.push_back(moved_[earlier].value());
      else
        now.push_back(moved_[a].value());
    }
    std::sort(now.begin(), now.end());
    now.erase(std::unique(now.begin(), now.end()), now.end());
    count += now.size();
    commands_[moved_[i].value()] = old[i];
  }
  after_.reserve(count);
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    const std::size_t first = after_.size();
    after_.insert(after_.end(), after[i].begin(), after[i].end());
    commands_[i].after = {after_.data() + first, after[i].size()};
  }
}

void changed_graph::apply(const order_change& c) {
  std::size_t count = 0;
  for (const order_change::list& l : c.after) count += l.after.size();
  after_.reserve(count);
  for (const order_change::list& l : c.after) {
    if (l.command.value() >= commands_.size()) no_such("a command");
    for (const std::uint64_t a : l.after)
      if (a >= l.command.value()) no_such("an earlier command");
    const std::size_t first = after_.size();
    after_.insert(after_.end(), l.after.begin(), l.after.end());
    commands_[l.command.value()].after = {after_.data() + first, l.after.size()};
  }
  // What is in one lane is in order.
  for (const auto& [from, to] : c.pairs) {
    if (to.value() >= commands_.size()) no_such("a command");
    commands_[to.value()].lane = {};
  }
}

graph_outcome outcome_of(model::array_view<const model::command> commands,
                         model::array_view<const model::buffer_info> buffers,
                         const model::topology& machine, const plan& plan) {
  graph_outcome o;
  for (const step& s : plan.steps)
    if (const auto* t = std::get_if<transfer_step>(&s.action)) {
      ++o.transfers;
      o.bytes += t->elements.count() * buffers[t->buffer.value()].element_size;
    }
  o.seconds = simulate(graph_view(commands, buffers, 0), plan, machine).makespan;
  return o;
}

bool tried_change::gains() const noexcept {
  // A millionth of the time is what adding it up in another order makes.
  const double little = 1e-6 * before.seconds;
  const bool faster = after.seconds < before.seconds - little;
  const bool slower = after.seconds > before.seconds + little;
  if (slower || after.bytes > before.bytes) return false;
  return faster || after.bytes < before.bytes || after.transfers < before.transfers ||
         after.edges < before.edges;
}

}  // namespace pianola::planner
