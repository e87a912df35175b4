// SPDX-License-Identifier: Apache-2.0
#include "replay/values/rebindable.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

#include <pianola/model/payload_members.hpp>

#include "commands/memory_parameter_uses.hpp"
#include "machine/machine.hpp"
#include "replay/recorded/control.hpp"

namespace pianola::runtime {

using planner::execute_step;
using planner::transfer_step;

namespace {

using pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

model::memory_id memory_of(const machine& m, const model::command& c, const model::requirement& r) {
  return r.memory.valid() ? r.memory : m.memory_of(c.device);
}

model::argument_block arguments_of(const model::command& c) noexcept {
  const model::argument_block* const own = model::arguments_of(c.payload);
  return own == nullptr ? model::argument_block() : *own;
}

// Calls see(parameter) for each one that the graphs use which a command runs, and for what it decides by.
template <class F>
void for_each_in_bodies(const model::command& c, const F& see) {
  const control* const what = control_of(c);
  if (what == nullptr) return;
  if (what->pointer != nullptr)
    if (const auto p = memory_parameters::instance().find(what->pointer); p.begin != 0) see(p);
  for (const control::body& b : what->bodies)
    for (const model::command& inner : b.recorded.commands) {
      for_each_parameter_word(arguments_of(inner),
                              [&](std::uint32_t, const auto& p, std::uintptr_t) { see(p); });
      for_each_parameter_operand(inner.payload, see);
      for_each_in_bodies(inner, see);
    }
}

}  // namespace

std::vector<model::memory_set> memories_of_buffers(const machine& m, const graph_snapshot& recorded,
                                                   const planner::plan& plan) {
  std::vector<model::memory_set> memories(recorded.buffers.size());
  const auto need = [&](model::buffer_id b, model::memory_id where) {
    model::memory_set& known = memories[b.value()];
    if (!known.contains(where) && !plan.has_slots(b, where)) known.add(where);
  };
  for (const model::command& c : recorded.commands)
    for (const model::requirement& r : c.requirements) need(r.buffer, memory_of(m, c, r));
  for (const planner::step& s : plan.steps)
    if (const auto* t = std::get_if<transfer_step>(&s.action)) {
      need(t->buffer, t->from);
      need(t->buffer, t->to);
    }
  return memories;
}

bool uses_memory_parameters(const graph_snapshot& recorded) {
  if (!memory_parameters::instance().any()) return false;
  bool any = false;
  for (const model::command& c : recorded.commands) {
    for_each_parameter_word(arguments_of(c),
                            [&](std::uint32_t, const auto&, std::uintptr_t) { any = true; });
    for_each_parameter_operand(c.payload, [&](const auto&) { any = true; });
    for_each_in_bodies(c, [&](const auto&) { any = true; });
    if (any) return true;
  }
  return false;
}

void rebindable::table::build(std::size_t rows, const pairs& entries) {
  first_.assign(rows + 1, 0);
  for (const auto& [row, number] : entries) ++first_[row + 1];
  for (std::size_t i = 0; i < rows; ++i) first_[i + 1] += first_[i];
  numbers_.resize(entries.size());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (const auto& [row, number] : entries) numbers_[next[row]++] = number;
}

std::uint32_t rebindable::number_of(const memory_parameters::parameter& p) {
  const auto known = std::find_if(parameters_.begin(), parameters_.end(),
                                  [&](const auto& other) { return other.begin == p.begin; });
  const auto number = static_cast<std::uint32_t>(known - parameters_.begin());
  if (known == parameters_.end()) parameters_.push_back(p);
  return number;
}

// `uses`: command and parameter.
void rebindable::find_places(const graph_snapshot& recorded, pairs& uses) {
  if (!memory_parameters::instance().any()) return;
  for (std::uint32_t i = 0; i < recorded.commands.size(); ++i) {
    const model::command& c = recorded.commands[i];
    for_each_parameter_word(
        arguments_of(c),
        [&](std::uint32_t at, const memory_parameters::parameter& p, std::uintptr_t word) {
          places_.push_back({i, number_of(p), at, word - p.begin});
          uses.emplace_back(i, places_.back().parameter);
        });
    const auto use = [&](const memory_parameters::parameter& p) {
      uses.emplace_back(i, number_of(p));
    };
    for_each_parameter_operand(c.payload, use);
    for_each_in_bodies(c, use);
  }
  std::sort(uses.begin(), uses.end());
  uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
}

rebindable::rebindable(const machine& m, const graph_snapshot& recorded, const planner::plan& plan)
    : memories_(memories_of_buffers(m, recorded, plan)), changed_(recorded.buffers.size(), 0) {
  pairs parameters_of_commands;
  find_places(recorded, parameters_of_commands);
  pairs of_buffers, of_parameters;
  const auto use = [&](model::buffer_id b, std::uint32_t step) {
    if (of_buffers.empty() || of_buffers.back() != std::pair(b.value(), step))
      of_buffers.emplace_back(b.value(), step);
  };
  for (std::uint32_t i = 0; i < plan.steps.size(); ++i) {
    if (const auto* t = std::get_if<transfer_step>(&plan.steps[i].action)) {
      use(t->buffer, i);
      changed_[t->buffer.value()] = 1;
      continue;
    }
    const std::uint32_t command = std::get<execute_step>(plan.steps[i].action).command.value();
    for (const model::requirement& r : recorded.commands[command].requirements) {
      use(r.buffer, i);
      if (model::writes(r.mode)) changed_[r.buffer.value()] = 1;
    }
    for (auto p = std::lower_bound(parameters_of_commands.begin(), parameters_of_commands.end(),
                                   std::pair(command, std::uint32_t{0}));
         p != parameters_of_commands.end() && p->first == command; ++p)
      of_parameters.emplace_back(p->second, i);
  }
  steps_of_buffers_.build(recorded.buffers.size(), of_buffers);
  steps_of_parameters_.build(parameters_.size(), of_parameters);
}

void rebindable::write_arguments(std::uint32_t command, void* bytes,
                                 const std::vector<void*>& at) const noexcept {
  for (auto p = std::lower_bound(places_.begin(), places_.end(), command,
                                 [](const place& a, std::uint32_t c) { return a.command < c; });
       p != places_.end() && p->command == command; ++p) {
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(at[p->parameter]) + p->behind;
    std::memcpy(static_cast<unsigned char*>(bytes) + p->offset, &address, sizeof address);
  }
}

void* rebindable::translate(void* pointer, const std::vector<void*>& at) const noexcept {
  const memory_parameters::parameter found = memory_parameters::instance().find(pointer);
  if (found.begin == 0) return pointer;
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (parameters_[i].begin == found.begin)
      return static_cast<unsigned char*>(at[i]) +
             (reinterpret_cast<std::uintptr_t>(pointer) - found.begin);
  return pointer;
}

}  // namespace pianola::runtime
