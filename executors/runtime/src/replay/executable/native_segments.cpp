// SPDX-License-Identifier: Apache-2.0
#include "replay/executable/native_segments.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <pianola/host/host_graph.hpp>
#include <pianola/host/lane.hpp>
#include <pianola/host/team.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/cost/machine_costs.hpp>

#include "execute/dispatcher.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "queues/event_record.hpp"
#include "queues/launch_times.hpp"
#include "replay/executable/segment_steps.hpp"
#include "replay/executable/step_maker.hpp"

namespace pianola::runtime {

using executors::lane_position;
using model::error_code;
using model::user_error;

// Where the native graphs of the domain are made and launched.
model::device_id native_segments::device_of(const process& rt, std::uint32_t domain) const {
  if (rt.machine.domain_of(g_.device) == domain) return g_.device;
  if (domain == team_domain) return rt.machine.host_device();
  return rt.machine.device_in(domain);
}

void native_segments::instantiate(process& rt, step_maker& maker) {
  cut(rt);
  const std::vector<std::uint32_t> lanes = arrange_segments(rt);
  const planner::machine_costs costs(rt.machine.topology());
  for (std::uint32_t i = 0; i < segments_.size(); ++i) instantiate_segment(rt, maker, i, costs);
  take_lanes(rt, lanes);
}

model::array_view<const executors::graph_step> native_segments::inner_steps(process& rt,
                                                                            step_maker& maker) {
  cut(rt);
  if (segments_.size() > 1)
    throw user_error(error_code::runtime,
                     fmt::format("internal error of Pianola, please report it: the body of a loop "
                                 "that its device runs by itself is {} graphs of drivers",
                                 segments_.size()));
  inner_.reset();
  if (segments_.empty()) return {};
  segments_[0].owner = rt.machine.device(g_.device).owner;
  const planner::machine_costs costs(rt.machine.topology());
  inner_ = std::make_unique<segment_steps>(rt, maker, g_, cut_, segments_, 0, costs,
                                           cut_.segments[0].steps.size());
  return inner_->next();
}

void native_segments::give_back_lanes(process& rt) {
  rt.lanes.give_back_from_graph(lane_device_, lane_);
  rt.lanes.give_back(side_lanes_);
}

bool native_segments::has_side_lane(const executors::progress* lane) const noexcept {
  return std::any_of(side_lanes_.begin(), side_lanes_.end(),
                     [&](const side_lane& side) { return &side.native->completion() == lane; });
}

void native_segments::cut(process& rt) {
  std::vector<std::uint32_t> domains;
  domains.reserve(g_.plan.steps.size());
  for (const planner::step& s : g_.plan.steps)
    domains.push_back(rt.machine.domain_of(g_.plan.lanes[s.lane.value()].device));
  cut_ = planner::cut_into_segments(g_.plan, domains, rt.machine.domain_of(g_.device));
  segments_.resize(cut_.segments.size());
}

// What the planner decides by what the backends' graphs can do; the domains of the side lanes that it asks for.
std::vector<std::uint32_t> native_segments::arrange_segments(process& rt) {
  std::vector<planner::graph_capabilities> capabilities;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const std::uint32_t domain = cut_.segments[i].domain;
    segments_[i].owner = rt.machine.device(device_of(rt, domain)).owner;
    if (capabilities.size() <= domain) capabilities.resize(std::size_t{domain} + 1);
    if (segments_.size() == 1) continue;
    const executors::graph_links links = segments_[i].owner->links();
    capabilities[domain] = {links.signals, links.waits};
  }
  planner::segment_arrangement arranged = planner::arrange_segments(cut_, capabilities);
  for (std::size_t i = 0; i < segments_.size(); ++i)
    static_cast<planner::arranged_segment&>(segments_[i]) = std::move(arranged.segments[i]);
  ends_ = std::move(arranged.ends);
  return std::move(arranged.lanes);
}

void native_segments::instantiate_segment(process& rt, step_maker& maker, std::uint32_t index,
                                          const planner::machine_costs& costs) {
  // So many stay in a core's own caches until the backend has looked at them.
  constexpr std::size_t at_a_time = 64;
  segment_steps steps(rt, maker, g_, cut_, segments_, index, costs, at_a_time);
  native_segment& p = segments_[index];
  const executors::status status = p.owner->instantiate(steps, p.native);
  if (!status.ok()) throw user_error(status.code, status.reason);
}

// The graph's own lane is of the device of its last segment, if there is one, so that the planner's step of a replay is this
// segment's launch.
void native_segments::take_lanes(process& rt, const std::vector<std::uint32_t>& domains) {
  lane_device_ = ends_.size() == 1 ? device_of(rt, cut_.segments[ends_[0]].domain) : g_.device;
  for (const std::uint32_t domain : domains)
    side_lanes_.push_back(rt.lanes.take_side_lane(device_of(rt, domain)));
  lane_ = rt.lanes.take_for_graph(lane_device_);
  static_cast<void>(rt.lanes.ready(lane_));
}

void native_segments::launch_one(executors::lane& lane, native_segment& p, step_context& context,
                                 const std::shared_ptr<event_record>& record,
                                 model::array_view<const lane_position> waits,
                                 model::array_view<const lane_position> ends_after) {
  executors::step_submission out;
  out.waits = waits;
  out.begun = begun_;
  out.ends_after = ends_after;
  out.timed = g_.places != nullptr || (record != nullptr && (context.opens || context.closes));
  // A body's launches have none.
  context.record =
      out.timed && record != nullptr ? new std::shared_ptr<event_record>(record) : nullptr;
  out.context = {reinterpret_cast<const std::byte*>(&context), sizeof context};
  const executors::status status = p.owner->launch(lane, *p.native, out);
  if (status.ok()) return;
  delete context.record;
  throw user_error(status.code, status.reason);
}

void native_segments::launch(process& rt, const planner::step& planned, model::step_id step,
                             std::uint64_t queue_id, const std::shared_ptr<event_record>& record,
                             model::array_view<const lane_position> waits) {
  step_context context;
  context.queue = queue_id;
  context.step = step;
  context.what = "graph";
  context.head.replay = &running_;
  if (record != nullptr && record->nodes != nullptr) {
    // No launch of this generation is under way.
    latest_times_ = record->nodes;
    running_.times.store(latest_times_.get(), std::memory_order_release);
  }
  begun_.clear();
  if (segments_.size() == 1)
    launch_one(*rt.lanes.ready(planned.lane).native, segments_[0], context, record, waits);
  else
    launch_segments(rt, step, context, record, waits);
}

// When the graph's own lane says that a launch is over, nothing tells of it any more: the launch may end, its times be read
// and the graph go.
model::array_view<const lane_position> native_segments::side_ends() {
  side_ends_.clear();
  for (const side_lane& l : side_lanes_)
    side_ends_.push_back({&l.native->completion(), l.position});
  return side_ends_;
}

lane_position native_segments::end_of(std::uint32_t segment) const {
  const native_segment& s = segments_[segment];
  return {&side_lanes_[s.lane].native->completion(), s.position};
}

void native_segments::gather_waits(const native_segment& of) {
  segment_waits_.clear();
  for (const planner::arranged_segment::wait& w : of.waits)
    segment_waits_.push_back(w.step == planner::arranged_segment::end
                                 ? end_of(w.segment)
                                 : segments_[w.segment].native->signal(w.step));
  begun_.clear();
  for (const std::uint32_t other : of.begun) begun_.push_back(end_of(other));
}

void native_segments::launch_segments(process& rt, model::step_id step, step_context& context,
                                      const std::shared_ptr<event_record>& record,
                                      model::array_view<const lane_position> waits) {
  lane_entry& own = rt.lanes.ready(lane_);
  const lane_position here = rt.lanes.position_of(step);
  for (std::uint32_t i = 0; i < segments_.size(); ++i) {
    native_segment& p = segments_[i];
    gather_waits(p);
    if (p.first) {
      segment_waits_.assign(waits.begin(), waits.end());
      // What the planner leaves to the order of the graph's own lane: the replay before.
      if (here.position > 1) segment_waits_.push_back({here.lane, here.position - 1});
    }
    const bool last = p.lane == planner::arranged_segment::own_lane;
    context.opens = p.first;
    context.closes = last;
    if (last) {
      launch_one(*own.native, p, context, record, segment_waits_, side_ends());
      rt.dispatcher.begun_segments.clear();
      return;
    }
    side_lane& l = side_lanes_[p.lane];
    launch_one(*l.native, p, context, record, segment_waits_);
    p.position = ++l.position;
    rt.dispatcher.begun_segments.push_back(end_of(i));
  }
  segment_waits_.clear();
  for (const std::uint32_t i : ends_) segment_waits_.push_back(end_of(i));
  step_context joined;
  joined.queue = context.queue;
  joined.step = step;
  joined.opens = false;
  executors::step_submission out;
  out.waits = segment_waits_;
  out.ends_after = side_ends();
  out.timed = record != nullptr;
  if (out.timed) joined.record = new std::shared_ptr<event_record>(record);
  out.context = {reinterpret_cast<const std::byte*>(&joined), sizeof joined};
  const executors::status status = own.owner->submit(*own.native, out);
  if (status.ok()) {
    rt.dispatcher.begun_segments.clear();
    return;
  }
  delete joined.record;
  throw user_error(status.code, status.reason);
}

step_context native_segments::context_as_body(std::uint64_t queue, model::step_id step) const {
  step_context context;
  context.queue = queue;
  context.step = step;
  context.what = "graph";
  context.head.replay = &running_;
  return context;
}

bool native_segments::run_as_body(const side_lane& own, std::uint64_t queue, model::step_id step) {
  if (segments_.size() != 1 || !process::instance().machine.runs_on_team(lane_device_))
    return false;
  const step_context context = context_as_body(queue, step);
  static_cast<host::lane&>(*own.native)
      .run_now(static_cast<host::host_graph&>(*segments_[0].native), &context);
  return true;
}

// As a replay's segments are launched, but for what only the live state needs.
void native_segments::launch_as_body(side_lane& own, std::uint64_t queue, model::step_id step) {
  step_context context = context_as_body(queue, step);
  for (std::uint32_t i = 0; i < segments_.size(); ++i) {
    native_segment& p = segments_[i];
    gather_waits(p);
    // The run before; the lane is in order by itself.
    if (p.first && segments_.size() > 1 && own.position != 0)
      segment_waits_.push_back({&own.native->completion(), own.position});
    if (p.lane == planner::arranged_segment::own_lane) {
      launch_one(*own.native, p, context, nullptr, segment_waits_, side_ends());
      ++own.position;
      return;
    }
    side_lane& l = side_lanes_[p.lane];
    launch_one(*l.native, p, context, nullptr, segment_waits_);
    p.position = ++l.position;
  }
  segment_waits_.clear();
  for (const std::uint32_t i : ends_) segment_waits_.push_back(end_of(i));
  step_context joined;
  joined.queue = queue;
  joined.step = step;
  executors::step_submission out;
  out.waits = segment_waits_;
  out.ends_after = side_ends();
  out.context = {reinterpret_cast<const std::byte*>(&joined), sizeof joined};
  const executors::status status = own.owner->submit(*own.native, out);
  if (!status.ok()) throw user_error(status.code, status.reason);
  ++own.position;
}

void native_segments::wait_as_body(const side_lane& own) const noexcept {
  for (const side_lane& l : side_lanes_)
    host::team::instance().wait(l.native->completion(), l.position);
  host::team::instance().wait(own.native->completion(), own.position);
}

void native_segments::update(const std::vector<change>& changes) {
  executors::status failure;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    if (changes[i].indices.empty()) continue;
    executors::status status =
        segments_[i].owner->update(*segments_[i].native, changes[i].indices, changes[i].steps);
    if (failure.ok()) failure = std::move(status);
  }
  if (!failure.ok()) throw user_error(failure.code, failure.reason);
}

void* native_segments::native_handle(model::native_kind what) const {
  if (segments_.size() != 1)
    throw user_error(error_code::feature_not_supported,
                     fmt::format("the graph is {} graphs of drivers, cut where host tasks or other "
                                 "backends have their turn, so there is no one handle",
                                 segments_.size()));
  executors::native_request request;
  request.what = what;
  request.graph = segments_[0].native.get();
  void* handle = nullptr;
  const executors::status status = segments_[0].owner->native_handle(request, handle);
  if (!status.ok()) throw user_error(status.code, status.reason);
  return handle;
}

}  // namespace pianola::runtime
