// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "checker.hpp"

namespace pianola::planner::verification {

namespace {

// What decides which graphs a command runs, and how often, is one element that is read on the host or where it runs.
bool finds_its_condition(const model::command& c) {
  const auto* const s = std::get_if<model::subgraph_command>(&c.payload);
  if (s == nullptr || s->condition == model::memory_operand::no_requirement) return true;
  if (!model::has_condition(s->control) || s->condition >= c.requirements.size()) return false;
  const model::requirement& r = c.requirements[s->condition];
  return r.needs_data() && (r.memory == model::host_memory || !r.memory.valid()) &&
         r.elements.count() == 1;
}

// A kernel reads a number for each dimension.
bool finds_its_range(const model::command& c) {
  const auto* const k = std::get_if<model::kernel_command>(&c.payload);
  if (k == nullptr || !k->indirect.used ||
      k->indirect.requirement == model::indirect_range::in_memory)
    return true;
  if (k->indirect.requirement >= c.requirements.size()) return false;
  const model::requirement& r = c.requirements[k->indirect.requirement];
  return r.needs_data() && !r.memory.valid() && r.elements.count() >= k->geometry.dimensions;
}

}  // namespace

bool checker::check_shape() {
  if (!check_requirements() || !check_steps() || !check_finished()) return false;
  check_commands();
  check_states();
  return problems_.empty();
}

bool checker::check_requirements() {
  for (std::size_t c = 0; c < commands_.size(); ++c)
    for (const model::requirement& r : commands_[c].requirements)
      if (!r.elements.empty() && !box_fits(r.buffer, r.elements)) {
        complain(nothing,
                 fmt::format("command {} needs elements that its buffer does not have", c));
        return false;
      }
  return true;
}

bool checker::check_steps() {
  step_of_.assign(commands_.size(), nothing);
  lane_before_.assign(plan_.steps.size(), nothing);
  std::map<std::uint32_t, std::uint32_t> tails;
  for (std::uint32_t i = 0; i < plan_.steps.size(); ++i) {
    const step& s = plan_.steps[i];
    if (std::size_t{s.first_wait} + s.wait_count > plan_.waits.size()) {
      complain(i, fmt::format("step {} has waits beyond the plan's list of waits", i));
      return false;
    }
    model::device_id device;
    if (const auto* e = std::get_if<execute_step>(&s.action)) {
      if (!check_execution(i, *e)) return false;
      device = e->device;
    } else if (!check_transfer(i, std::get<transfer_step>(s.action))) {
      return false;
    }
    if (!plan_.lanes.empty()) {
      if (!s.lane.valid() || s.lane.value() >= plan_.lanes.size())
        complain(i, describe(i) + " runs on a lane that does not exist");
      else if (device.valid() && plan_.lanes[s.lane.value()].device != device)
        complain(i, describe(i) + " runs on a lane of another device");
    }
    if (!check_order(i)) return false;
    const auto tail = tails.find(s.lane.value());
    if (tail != tails.end()) lane_before_[i] = tail->second;
    tails[s.lane.value()] = i;
  }
  return true;
}

bool checker::check_execution(std::uint32_t i, const execute_step& e) {
  if (!e.command.valid() || e.command.value() >= commands_.size()) {
    complain(i, fmt::format("step {} runs a command that does not exist", i));
    return false;
  }
  const model::command& c = commands_[e.command.value()];
  if (step_of_[e.command.value()] != nothing)
    complain(i, describe(i) + " runs a command that has already run");
  step_of_[e.command.value()] = i;
  if (!e.device.valid() || e.device.value() >= machine_.devices.size()) {
    complain(i, describe(i) + " runs on a device that does not exist");
    return false;
  }
  if (c.device.valid() && c.device != e.device &&
      std::find(c.candidates.begin(), c.candidates.end(), e.device) == c.candidates.end())
    complain(i, fmt::format("{} runs on device {}, but the command asks for device {}{}",
                            describe(i), e.device.value(), c.device.value(),
                            c.candidates.empty() ? "" : " or another of its candidates"));
  return true;
}

bool checker::check_transfer(std::uint32_t i, const transfer_step& t) {
  if (!box_fits(t.buffer, t.elements)) {
    complain(i, fmt::format("step {} moves elements that its buffer does not have: {}", i,
                            text(t.elements)));
    return false;
  }
  if (!t.from.valid() || !t.to.valid() || t.from == t.to ||
      t.from.value() >= machine_.memories.size() || t.to.value() >= machine_.memories.size() ||
      linked_.count({t.from, t.to}) == 0) {
    complain(i, describe(i) + " goes between memories that are not connected");
    return false;
  }
  return true;
}

bool checker::check_order(std::uint32_t i) {
  for (const model::step_id w : plan_.waits_of(plan_.steps[i])) {
    if (w.value() < plan_.first_step) {
      complain(i, describe(i) + " waits for a step outside of the plan");
      return false;
    }
    if (w.value() - plan_.first_step >= i) {
      complain(i, fmt::format("{} waits for step {}, which does not come before it", describe(i),
                              w.value()));
      return false;
    }
  }
  return true;
}

bool checker::check_finished() {
  for (std::size_t f = 0; f < plan_.finished.size(); ++f) {
    const finished_entry& e = plan_.finished[f];
    if (e.step.value() < plan_.first_step || e.below.value() < plan_.first_step ||
        e.step.value() - plan_.first_step >= plan_.steps.size() || e.step < e.below ||
        (f != 0 &&
         (!(plan_.finished[f - 1].step < e.step) || e.below < plan_.finished[f - 1].below))) {
      complain(nothing, "the list of what had finished names steps out of order");
      return false;
    }
  }
  return true;
}

void checker::check_commands() {
  for (std::size_t c = 0; c < commands_.size(); ++c) {
    if (step_of_[c] == nothing) complain(nothing, fmt::format("command {} is never run", c));
    if (!finds_its_condition(commands_[c]))
      complain(step_of_[c], fmt::format("command {} decides by what is not one element that it "
                                        "reads in the host's memory or where it runs",
                                        c));
    if (!finds_its_range(commands_[c]))
      complain(step_of_[c], fmt::format("command {} has a range that it does not read where it "
                                        "runs, a number for each dimension",
                                        c));
  }
}

void checker::check_states() {
  const model::memory_set all = model::memory_set::first(machine_.memories.size());
  for (const auto* list : {&plan_.contract, &plan_.exit})
    for (const validity_entry& e : *list)
      if (!box_fits(e.buffer, e.elements) || !all.contains(e.memories))
        complain(nothing,
                 std::string(list == &plan_.contract ? "the entry contract" : "the exit state") +
                     " names elements or memories that do not exist");
  for (const access_entry& e : plan_.accesses)
    if (!box_fits(e.buffer, e.elements))
      complain(nothing, "the list of accesses names elements that do not exist");
}

}  // namespace pianola::planner::verification
