// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/planning_state.hpp"

#include <algorithm>

#include <pianola/model/error.hpp>

#include "state.hpp"

namespace pianola::planner {

using model::box;

planning_state::planning_state() : implementation_(new implementation) {}
planning_state::~planning_state() = default;
planning_state::planning_state(planning_state&&) noexcept = default;
planning_state& planning_state::operator=(planning_state&&) noexcept = default;

model::buffer_id planning_state::add_buffer(const model::buffer_info& info,
                                            const model::memory_set& initially_valid) {
  implementation& im = *implementation_;
  std::uint32_t id;
  if (im.free_buffers.empty()) {
    id = static_cast<std::uint32_t>(im.buffers.size());
    im.buffers.emplace_back();
  } else {
    id = im.free_buffers.back();
    im.free_buffers.pop_back();
  }
  buffer_state& b = im.buffers[id];
  const box all = box::of(info.grid.range());
  validity v;
  v.valid = initially_valid;
  b = buffer_state{};
  b.info = info;
  b.valid = region_map<validity>(all, v);
  b.history = region_map<planner::history>(all);
  b.one_page = info.grid.single_page();
  b.alive = true;
  return model::buffer_id(id);
}

void planning_state::remove_buffer(model::buffer_id b) {
  if (!implementation_->knows(b))
    throw model::internal_error("a buffer was removed twice from the planning state");
  implementation_->at(b) = buffer_state{};
  implementation_->free_buffers.push_back(b.value());
}

const model::buffer_info& planning_state::info(model::buffer_id b) const {
  return implementation_->buffers[b.value()].info;
}

void planning_state::set_validity(model::buffer_id b, const box& elements,
                                  const model::memory_set& valid, model::step_id since) {
  buffer_state& state = implementation_->at(b);
  validity fresh;
  fresh.valid = valid;
  if (since.valid() && since.value() >= retired_)
    valid.for_each([&](model::memory_id m) { fresh.producers.set(m, since.value()); });
  state.valid.update(elements, [&](const box&, validity& v) {
    v = fresh;
    return true;
  });
  implementation_->tidy(state, retired_);
}

void planning_state::take_back_write(model::buffer_id b, const box& elements, model::step_id step,
                                     const model::memory_set& valid) {
  buffer_state& state = implementation_->at(b);
  state.valid.update(elements, [&](const box&, validity& v) {
    bool made_it = false;
    v.producers.for_each([&](std::uint64_t s) { made_it = made_it || s == step.value(); });
    if (!made_it) return false;
    v = validity();
    v.valid = valid;
    return true;
  });
  implementation_->tidy(state, retired_);
}

void planning_state::take_back_copy(model::buffer_id b, const box& elements, model::step_id step,
                                    model::memory_id to) {
  buffer_state& state = implementation_->at(b);
  state.valid.update(elements, [&](const box&, validity& v) {
    const std::uint64_t producer = v.producers.find(to);
    if (!v.valid.contains(to) || v.valid.at_most_one() ||
        (producer != no_step && producer > step.value()))
      return false;
    v.valid.remove(to);
    v.producers.remove(to);
    return true;
  });
  implementation_->tidy(state, retired_);
}

void planning_state::conflicting_steps(model::buffer_id b, const box& elements, bool writes,
                                       std::vector<model::step_id>& out) const {
  const buffer_state& state = implementation_->buffers[b.value()];
  const std::size_t before = out.size();
  auto add = [&](std::uint64_t step) {
    if (step != no_step && step >= retired_) out.emplace_back(step);
  };
  const box pages = state.info.grid.page_aligned(elements);
  state.history.visit(pages, [&](const box&, const planner::history& h) {
    add(h.writer);
    if (writes)
      for (std::uint64_t r : h.readers) add(r);
  });
  // Who reads by hand may look at a copy that a transfer is still making.
  state.valid.visit(pages, [&](const box&, const validity& v) { v.producers.for_each(add); });
  std::sort(out.begin() + static_cast<std::ptrdiff_t>(before), out.end());
  out.erase(std::unique(out.begin() + static_cast<std::ptrdiff_t>(before), out.end()), out.end());
}

void planning_state::writing_steps(model::buffer_id b, const box& elements,
                                   std::vector<model::step_id>& out) const {
  const buffer_state& state = implementation_->buffers[b.value()];
  state.history.visit(state.info.grid.page_aligned(elements),
                      [&](const box&, const planner::history& h) {
                        if (h.writer != no_step && h.writer >= retired_) out.emplace_back(h.writer);
                      });
}

void planning_state::retire_below(model::step_id s) noexcept {
  retired_ = std::max(retired_, std::min(s.value(), next_step_));
}

model::lane_id planning_state::lane_of(model::step_id s) const {
  if (s.value() < retired_ || s.value() >= next_step_) return {};
  return model::lane_id(implementation_->steps.at(s.value()).lane);
}

std::uint64_t planning_state::position_in_lane(model::step_id s) const {
  if (s.value() < retired_ || s.value() >= next_step_) return 0;
  return implementation_->steps.at(s.value()).position;
}

model::lane_id planning_state::add_private_lane(model::device_id device) {
  return implementation_->add_lane(device, lane_use::caller);
}
std::size_t planning_state::lane_count() const noexcept { return implementation_->lanes.size(); }
model::device_id planning_state::device_of(model::lane_id lane) const {
  return implementation_->lanes[lane.value()].device;
}
model::step_id planning_state::tail(model::lane_id lane) const {
  return model::step_id(implementation_->lanes[lane.value()].tail);
}

void planning_state::visit_validity(model::buffer_id b, const box& elements,
                                    validity_visitor visitor, void* context) const {
  implementation_->buffers[b.value()].valid.visit(
      elements, [&](const box& where, const validity& v) { visitor(context, where, v.valid); });
}

model::lane_id planning_state::implementation::add_lane(model::device_id device, lane_use use) {
  const auto id = static_cast<std::uint32_t>(lanes.size());
  lanes.push_back(lane_state{device, use, no_step, 0});
  if (use != lane_use::caller) {
    if (devices.size() <= device.value()) devices.resize(device.value() + std::size_t{1});
    device_lanes& d = devices[device.value()];
    (use == lane_use::compute ? d.compute : d.transfer).push_back(id);
  }
  return model::lane_id(id);
}

void planning_state::implementation::tidy(buffer_state& b, std::uint64_t retired) {
  if (b.valid.leaf_count() + b.history.leaf_count() <= b.tidy_at) return;
  b.valid.transform([&](validity& v) { v.producers.drop_before(retired); });
  b.history.transform([&](planner::history& h) {
    if (h.writer != no_step && h.writer < retired) h.writer = no_step;
    std::uint32_t kept = 0;
    for (std::uint64_t r : h.readers)
      if (r >= retired) h.readers.begin()[kept++] = r;
    h.readers.shrink_to(kept);
  });
  b.tidy_at = std::max<std::size_t>(64, 2 * (b.valid.leaf_count() + b.history.leaf_count()));
}

state_size size_of(const planning_state& state) {
  state_size s;
  for (const buffer_state& b : state.internals().buffers) {
    if (!b.alive) continue;
    s.validity_boxes += b.valid.leaf_count();
    s.history_boxes += b.history.leaf_count();
    b.history.visit(b.history.domain(),
                    [&](const box&, const planner::history& h) { s.readers += h.readers.size(); });
  }
  return s;
}

}  // namespace pianola::planner
