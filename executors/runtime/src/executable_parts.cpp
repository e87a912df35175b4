// SPDX-License-Identifier: Apache-2.0
// The parts of an executable graph: one native graph for each segment, and the lanes that they run in.
#include "executable.hpp"

#include <algorithm>
#include <string>

#include <pianola/model/error.hpp>

#include "event_record.hpp"

namespace pianola::runtime {

using executors::lane_position;
using model::error_code;
using model::user_error;

// Where the native graphs of the domain are made and launched.
model::device_id executable_graph::device_of(const core& c, std::uint32_t domain) const {
  if (c.devices[device_.value()].domain == domain) return device_;
  if (domain == team_domain) return c.host_device;
  std::uint16_t d = 0;
  while (c.devices[d].domain != domain) ++d;
  return model::device_id(d);
}

void executable_graph::instantiate(core& c) {
  arguments_.assign(plan_.steps.size(), nullptr);
  std::vector<std::uint32_t> domains;
  domains.reserve(plan_.steps.size());
  for (const planner::step& s : plan_.steps)
    domains.push_back(c.devices[plan_.lanes[s.lane.value()].device.value()].domain);
  cut_ = cut_into_segments(plan_, domains, c.devices[device_.value()].domain);
  parts_.resize(cut_.segments.size());
  for (std::uint32_t i = 0; i < parts_.size(); ++i) instantiate_part(c, i);
  take_lanes(c);
}

void executable_graph::instantiate_part(core& c, std::uint32_t index) {
  const std::vector<std::uint32_t>& indices = cut_.segments[index].steps;
  std::vector<executors::graph_step> steps(indices.size());
  part& p = parts_[index];
  std::vector<std::vector<std::byte>>& contexts = p.contexts;
  contexts.resize(indices.size());
  std::vector<std::uint32_t> waits;
  std::vector<std::size_t> first_wait(indices.size() + 1, 0);
  std::vector<std::uint32_t> lane_tail(plan_.lanes.size(), 0);  // index + 1 of the last step
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const planner::step& s = plan_.steps[indices[i]];
    const device_entry& d = c.devices[plan_.lanes[s.lane.value()].device.value()];
    executors::graph_step& out = steps[i];
    out.action = resolve(c, s);
    out.owner = d.owner;
    out.device = d.index;
    out.lane = s.lane.value();
    contexts[i] = context_of(c, s);
    out.context = {contexts[i].data(), contexts[i].size()};
    // Lanes order their steps; a native graph has edges only. Other parts are waited for as a whole.
    first_wait[i] = waits.size();
    for (const model::step_id w : plan_.waits_of(s))
      if (cut_.segment_of[w.value()] == index) waits.push_back(cut_.index_of[w.value()]);
    if (lane_tail[s.lane.value()] != 0) waits.push_back(lane_tail[s.lane.value()] - 1);
    lane_tail[s.lane.value()] = static_cast<std::uint32_t>(i + 1);
  }
  first_wait[indices.size()] = waits.size();
  for (std::size_t i = 0; i < steps.size(); ++i)
    steps[i].waits = {waits.data() + first_wait[i], first_wait[i + 1] - first_wait[i]};
  p.owner = c.devices[device_of(c, cut_.segments[index].domain).value()].owner;
  const executors::status status = p.owner->instantiate(steps, p.native);
  if (!status.ok()) throw user_error(status.code, status.reason);
}

// The graph's own lane is of the device of its last part, so that the planner's step of a replay is this part's
// launch. All other parts of a domain share a lane.
void executable_graph::take_lanes(core& c) {
  const bool one_end = cut_.ends.size() == 1;
  lane_device_ = one_end ? device_of(c, cut_.segments[cut_.ends[0]].domain) : device_;
  std::vector<std::uint32_t> last_of_domain;  // index + 1 of the part
  for (std::uint32_t i = 0; i < parts_.size(); ++i) {
    const graph_segment& s = cut_.segments[i];
    if (last_of_domain.size() <= s.domain) last_of_domain.resize(s.domain + 1, 0);
    std::uint32_t& last = last_of_domain[s.domain];
    parts_[i].first = s.waits.empty() && last == 0;
    const bool main = one_end && i == cut_.ends[0];
    if (main) {
      // Not in the lane of those before it.
      if (last != 0) cut_.segments[i].waits.push_back(last - 1);
    } else if (last != 0) {
      parts_[i].lane = parts_[last - 1].lane;
    } else {
      const model::device_id device = device_of(c, s.domain);
      parts_[i].lane = static_cast<std::uint32_t>(side_lanes_.size());
      auto& free = c.free_side_lanes;
      const auto found = std::find_if(free.begin(), free.end(),
                                      [&](const side_lane& l) { return l.device == device; });
      if (found != free.end()) {
        side_lanes_.push_back(*found);
        free.erase(found);
      } else {
        side_lane made{device, parts_[i].owner, nullptr, 0};
        const executors::status status =
            made.owner->make_lane(c.devices[device.value()].index, made.native);
        if (!status.ok()) throw user_error(status.code, status.reason);
        side_lanes_.push_back(made);
      }
    }
    last = i + 1;
  }
  auto& free = c.free_graph_lanes;
  if (lane_device_.value() < free.size() && !free[lane_device_.value()].empty()) {
    lane_ = free[lane_device_.value()].back();
    free[lane_device_.value()].pop_back();
  } else {
    c.add_missing_lanes();
    lane_ = c.state.add_private_lane(lane_device_);
    c.add_missing_lanes();
  }
  static_cast<void>(c.lane(lane_));
}

void executable_graph::launch_one(executors::lane& lane, part& p, step_context& context,
                                  const std::shared_ptr<event_record>& record,
                                  model::array_view<const lane_position> waits) {
  executors::step_submission out;
  out.waits = waits;
  out.timed = record != nullptr && (context.opens || context.closes);
  context.record = out.timed ? new std::shared_ptr<event_record>(record) : nullptr;
  out.context = {reinterpret_cast<const std::byte*>(&context), sizeof context};
  const executors::status status = p.owner->launch(lane, *p.native, out);
  if (status.ok()) return;
  delete context.record;
  throw user_error(status.code, status.reason);
}

void* executable_graph::native_handle(model::native_kind what) const {
  if (parts_.size() != 1)
    throw user_error(
        error_code::feature_not_supported,
        "the graph is " + std::to_string(parts_.size()) +
            " graphs of drivers, cut where host tasks or other backends have their turn, so "
            "there is no one handle");
  executors::native_request request;
  request.what = what;
  request.graph = parts_[0].native.get();
  void* handle = nullptr;
  const executors::status status = parts_[0].owner->native_handle(request, handle);
  if (!status.ok()) throw user_error(status.code, status.reason);
  return handle;
}

void executable_graph::launch(core& c, const planner::step& planned, model::step_id step,
                              std::uint64_t queue_id, const std::shared_ptr<event_record>& record,
                              model::array_view<const lane_position> waits) {
  step_context context;
  context.queue = queue_id;
  context.step = step;
  context.what = "graph";
  context.replay = running_.get();
  if (parts_.size() == 1)
    launch_one(*c.lane(planned.lane).native, parts_[0], context, record, waits);
  else
    launch_parts(c, step, context, record, waits);
}

void executable_graph::launch_parts(core& c, model::step_id step, step_context& context,
                                    const std::shared_ptr<event_record>& record,
                                    model::array_view<const lane_position> waits) {
  lane_entry& own = c.lane(lane_);
  const lane_position here = c.position_of(step);
  const auto end_of = [&](std::uint32_t i) -> lane_position {
    return {&side_lanes_[parts_[i].lane].native->completion(), parts_[i].position};
  };
  for (std::uint32_t i = 0; i < parts_.size(); ++i) {
    part& p = parts_[i];
    part_waits_.clear();
    for (const std::uint32_t before : cut_.segments[i].waits) part_waits_.push_back(end_of(before));
    if (p.first) {
      part_waits_.assign(waits.begin(), waits.end());
      // What the planner leaves to the order of the graph's own lane: the replay before.
      if (here.position > 1) part_waits_.push_back({here.lane, here.position - 1});
    }
    const bool last = p.lane == no_lane;
    context.opens = p.first;
    context.closes = last;
    if (last) {
      launch_one(*own.native, p, context, record, part_waits_);
      c.begun_parts.clear();
      return;
    }
    side_lane& l = side_lanes_[p.lane];
    launch_one(*l.native, p, context, record, part_waits_);
    p.position = ++l.position;
    c.begun_parts.push_back(end_of(i));
  }
  part_waits_.clear();
  for (const std::uint32_t i : cut_.ends) part_waits_.push_back(end_of(i));
  step_context joined;
  joined.queue = context.queue;
  joined.step = step;
  joined.opens = false;
  executors::step_submission out;
  out.waits = part_waits_;
  out.timed = record != nullptr;
  if (out.timed) joined.record = new std::shared_ptr<event_record>(record);
  out.context = {reinterpret_cast<const std::byte*>(&joined), sizeof joined};
  const executors::status status = own.owner->submit(*own.native, out);
  if (status.ok()) {
    c.begun_parts.clear();
    return;
  }
  delete joined.record;
  throw user_error(status.code, status.reason);
}

}  // namespace pianola::runtime
