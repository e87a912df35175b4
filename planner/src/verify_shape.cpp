// SPDX-License-Identifier: Apache-2.0
#include <map>

#include <pianola/model/error.hpp>

#include "verify_checker.hpp"

namespace pianola::planner::verification {

bool checker::check_shape() {
  for (std::size_t c = 0; c < commands_.size(); ++c)
    for (const model::requirement& r : commands_[c].requirements)
      if (!r.elements.empty() && !box_fits(r.buffer, r.elements)) {
        complain(nothing,
                 "command " + std::to_string(c) + " needs elements that its buffer does not have");
        return false;
      }
  step_of_.assign(commands_.size(), nothing);
  lane_before_.assign(plan_.steps.size(), nothing);
  std::map<std::uint32_t, std::uint32_t> tails;
  for (std::uint32_t i = 0; i < plan_.steps.size(); ++i) {
    const step& s = plan_.steps[i];
    if (std::size_t{s.first_wait} + s.wait_count > plan_.waits.size()) {
      complain(i, "step " + std::to_string(i) + " has waits beyond the plan's list of waits");
      return false;
    }
    model::device_id device;
    if (const auto* e = std::get_if<execute_step>(&s.action)) {
      if (!e->command.valid() || e->command.value() >= commands_.size()) {
        complain(i, "step " + std::to_string(i) + " runs a command that does not exist");
        return false;
      }
      const model::command& c = commands_[e->command.value()];
      if (step_of_[e->command.value()] != nothing)
        complain(i, describe(i) + " runs a command that has already run");
      step_of_[e->command.value()] = i;
      if (!e->device.valid() || e->device.value() >= machine_.devices.size()) {
        complain(i, describe(i) + " runs on a device that does not exist");
        return false;
      }
      if (c.device.valid() && c.device != e->device)
        complain(i, describe(i) + " runs on device " + std::to_string(e->device.value()) +
                        ", but the command asks for device " + std::to_string(c.device.value()));
      device = e->device;
    } else {
      const auto& t = std::get<transfer_step>(s.action);
      if (!box_fits(t.buffer, t.elements)) {
        complain(i, "step " + std::to_string(i) +
                        " moves elements that its buffer does not have: " + text(t.elements));
        return false;
      }
      if (!t.from.valid() || !t.to.valid() || t.from == t.to ||
          t.from.value() >= machine_.memories.size() || t.to.value() >= machine_.memories.size() ||
          machine_.link(t.from, t.to) == nullptr) {
        complain(i, describe(i) + " goes between memories that are not connected");
        return false;
      }
    }
    if (!plan_.lanes.empty()) {
      if (!s.lane.valid() || s.lane.value() >= plan_.lanes.size())
        complain(i, describe(i) + " runs on a lane that does not exist");
      else if (device.valid() && plan_.lanes[s.lane.value()].device != device)
        complain(i, describe(i) + " runs on a lane of another device");
    }
    for (const model::step_id w : plan_.waits_of(s)) {
      if (w.value() < plan_.first_step) {
        complain(i, describe(i) + " waits for a step outside of the plan");
        return false;
      }
      if (w.value() - plan_.first_step >= i) {
        complain(i, describe(i) + " waits for step " + std::to_string(w.value()) +
                        ", which does not come before it");
        return false;
      }
    }
    const auto tail = tails.find(s.lane.value());
    if (tail != tails.end()) lane_before_[i] = tail->second;
    tails[s.lane.value()] = i;
  }
  for (std::size_t c = 0; c < commands_.size(); ++c)
    if (step_of_[c] == nothing) complain(nothing, "command " + std::to_string(c) + " is never run");
  for (const auto* list : {&plan_.contract, &plan_.exit})
    for (const validity_entry& e : *list)
      if (!box_fits(e.buffer, e.elements) || (machine_.memories.size() < max_memories &&
                                              (e.memories >> machine_.memories.size()) != 0))
        complain(nothing,
                 std::string(list == &plan_.contract ? "the entry contract" : "the exit state") +
                     " names elements or memories that do not exist");
  for (const access_entry& e : plan_.accesses)
    if (!box_fits(e.buffer, e.elements))
      complain(nothing, "the list of accesses names elements that do not exist");
  return problems_.empty();
}

void checker::cut_into_cells() {
  grids_.resize(buffers_.size());
  for (std::size_t b = 0; b < buffers_.size(); ++b)
    grids_[b].add_faces(box::of(buffers_[b].grid.range()));
  for (const model::command& c : commands_)
    for (const model::requirement& r : c.requirements)
      if (!r.elements.empty()) {
        grids_[r.buffer.value()].add_faces(r.elements);
        grids_[r.buffer.value()].add_faces(pages(r));
      }
  for (const step& s : plan_.steps)
    if (const auto* t = std::get_if<transfer_step>(&s.action))
      grids_[t->buffer.value()].add_faces(t->elements);
  for (const auto* list : {&plan_.contract, &plan_.exit})
    for (const validity_entry& e : *list) grids_[e.buffer.value()].add_faces(e.elements);
  for (const access_entry& e : plan_.accesses) grids_[e.buffer.value()].add_faces(e.elements);
  std::size_t total = 0;
  for (cell_grid& g : grids_) total = std::min(most_cells + 1, total + g.fix());
  if (total > most_cells)
    throw model::user_error(model::error_code::invalid,
                            "the buffers are cut into too many different boxes to be verified");
}

}  // namespace pianola::planner::verification
