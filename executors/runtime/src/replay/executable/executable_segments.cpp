// SPDX-License-Identifier: Apache-2.0
// The segments of an executable graph: one native graph for each, and the lanes that they run in.
#include "replay/executable/executable.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <pianola/formats/file_bytes.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/cost/machine_costs.hpp>
#include <pianola/planner/schedule/priorities.hpp>

#include "execute/dispatcher.hpp"
#include "failures/step_context.hpp"
#include "machine/lane_table.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "queues/event_record.hpp"
#include "queues/launch_times.hpp"
#include "recording/graph_times.hpp"

namespace pianola::runtime {

using executors::lane_position;
using model::error_code;
using model::user_error;

// Where the native graphs of the domain are made and launched.
model::device_id executable_graph::device_of(const process& rt, std::uint32_t domain) const {
  if (rt.machine.domain_of(device_) == domain) return device_;
  if (domain == team_domain) return rt.machine.host_device();
  return rt.machine.device_in(domain);
}

void executable_graph::instantiate(process& rt) {
  accessible_.clear();
  arguments_.clear();
  formats::reserve_for_filling(arguments_, plan_.steps.size());
  arguments_.resize(plan_.steps.size());
  const auto room = arena_.reserve(argument_bytes_);
  formats::want_large_pages(room.data(), argument_bytes_);
  name_buffers(rt);
  cut(rt);
  const std::vector<std::uint32_t> lanes = arrange_segments(rt);
  const planner::machine_costs costs(rt.machine.topology());
  for (std::uint32_t i = 0; i < segments_.size(); ++i) instantiate_segment(rt, i, costs);
  take_lanes(rt, lanes);
}

void executable_graph::cut(process& rt) {
  std::vector<std::uint32_t> domains;
  domains.reserve(plan_.steps.size());
  for (const planner::step& s : plan_.steps)
    domains.push_back(rt.machine.domain_of(plan_.lanes[s.lane.value()].device));
  cut_ = planner::cut_into_segments(plan_, domains, rt.machine.domain_of(device_));
  segments_.resize(cut_.segments.size());
}

// What the planner decides by what the backends' graphs can do; the domains of the side lanes that it asks for.
std::vector<std::uint32_t> executable_graph::arrange_segments(process& rt) {
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

double executable_graph::expected(const planner::step& s,
                                  const planner::machine_costs& costs) const {
  constexpr double second = 1e9;
  if (const auto* const e = std::get_if<planner::execute_step>(&s.action))
    return second *
           costs.seconds(recorded_.commands[e->command.value()], recorded_.buffers, e->device);
  const auto& t = std::get<planner::transfer_step>(s.action);
  return second *
         costs.seconds(t.from, t.to,
                       t.elements.count() * recorded_.buffers[t.buffer.value()].element_size);
}

// What only stands for an order has no times.
bool executable_graph::does_something(const planner::step& s) const {
  const auto* const e = std::get_if<planner::execute_step>(&s.action);
  if (e == nullptr) return false;
  switch (model::kind_of(recorded_.commands[e->command.value()].payload)) {
    case model::command_kind::kernel:
    case model::command_kind::copy:
    case model::command_kind::fill:
    case model::command_kind::host_task:
    case model::command_kind::subgraph:
      return true;
    case model::command_kind::empty:
    case model::command_kind::barrier:
    case model::command_kind::prefetch:
    case model::command_kind::advise:
    case model::command_kind::host_access:
    case model::command_kind::acquire:
    case model::command_kind::allocate:
    case model::command_kind::free:
      break;
  }
  return false;
}

// The steps of a segment for its backend, made as it asks for them.
class executable_graph::segment_steps final : public executors::graph_steps {
 public:
  segment_steps(executable_graph& g, process& rt, std::uint32_t index,
                const planner::machine_costs& costs, std::size_t at_a_time)
      : g_(g),
        rt_(rt),
        index_(index),
        segment_(g.segments_[index]),
        indices_(g.cut_.segments[index].steps),
        costs_(costs),
        at_a_time_(at_a_time),
        addresses_(rt.machine.topology().memories.size(), g.live_.size()),
        lane_tail_(g.plan_.lanes.size(), 0) {
    // They are where they are from now on.
    segment_.contexts.clear();
    formats::reserve_for_filling(segment_.contexts, indices_.size());
    for (const planner::arranged_segment::inner_wait& w : segment_.inner_waits)
      outside_.push_back({g.segments_[w.segment].native.get(), w.on});
    // Threads of the team go by what steps are expected to take.
    if (g.cut_.segments[index].domain != team_domain) find_priorities();
  }
  [[nodiscard]] std::size_t count() const noexcept override { return indices_.size(); }
  [[nodiscard]] std::size_t most_waits() const noexcept override {
    // In front of each, there may be one in its lane.
    return g_.plan_.waits.size() + indices_.size();
  }
  [[nodiscard]] model::array_view<const executors::graph_step> next() override;

 private:
  [[nodiscard]] const planner::step& planned(std::size_t i) const {
    return g_.plan_.steps[indices_[i]];
  }
  void find_priorities();
  void add_waits(std::size_t i);
  void make(std::size_t i, executors::graph_step& out);
  void take_outside(std::size_t i, executors::graph_step& out);

  executable_graph& g_;
  process& rt_;
  std::uint32_t index_;
  native_segment& segment_;
  const std::vector<std::uint32_t>& indices_;
  const planner::machine_costs& costs_;
  std::size_t at_a_time_;
  known_addresses addresses_;
  std::size_t made_ = 0;
  std::vector<executors::graph_step> steps_;
  std::vector<std::uint32_t> waits_;  // of these
  std::vector<executors::outside_step> outside_;
  std::size_t next_outside_ = 0, next_signal_ = 0;
  std::vector<std::uint32_t> lane_tail_;  // index + 1 of the last step
  std::vector<int> priorities_;           // empty: nobody asks
};

// Lanes order their steps; a native graph has edges only.
void executable_graph::segment_steps::add_waits(std::size_t i) {
  const planner::step& s = planned(i);
  for (const model::step_id w : g_.plan_.waits_of(s))
    if (g_.cut_.segment_of[w.value()] == index_) waits_.push_back(g_.cut_.index_of[w.value()]);
  std::uint32_t& tail = lane_tail_[s.lane.value()];
  if (tail != 0) waits_.push_back(tail - 1);
  tail = static_cast<std::uint32_t>(i + 1);
}

void executable_graph::segment_steps::find_priorities() {
  std::vector<double> expected;
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < indices_.size(); ++i) {
    expected.push_back(g_.expected(planned(i), costs_));
    first.push_back(waits_.size());
    add_waits(i);
  }
  first.push_back(waits_.size());
  std::vector<model::array_view<const std::uint32_t>> waits;
  for (std::size_t i = 0; i < indices_.size(); ++i)
    waits.emplace_back(waits_.data() + first[i], first[i + 1] - first[i]);
  priorities_ = planner::priorities(expected, waits);
  lane_tail_.assign(lane_tail_.size(), 0);
}

void executable_graph::segment_steps::take_outside(std::size_t i, executors::graph_step& out) {
  const auto& signals = segment_.signals;
  if (next_signal_ < signals.size() && signals[next_signal_] == i) {
    out.signals = true;
    ++next_signal_;
  }
  const std::size_t begin = next_outside_;
  while (next_outside_ < outside_.size() && segment_.inner_waits[next_outside_].step == i)
    ++next_outside_;
  out.outside = {outside_.data() + begin, next_outside_ - begin};
}

void executable_graph::segment_steps::make(std::size_t i, executors::graph_step& out) {
  const planner::step& s = planned(i);
  const device_entry& d = rt_.machine.device(g_.plan_.lanes[s.lane.value()].device);
  if (const auto* const e = std::get_if<planner::execute_step>(&s.action))
    g_.touch_buffers(rt_, *e, indices_[i]);
  g_.resolve(rt_, s, out.action);
  out.owner = d.owner;
  out.device = d.index;
  out.lane = s.lane.value();
  out.expected = g_.expected(s, costs_);
  const context_head& head = segment_.contexts.emplace_back(g_.context_of(indices_[i]));
  out.context = {reinterpret_cast<const std::byte*>(&head), sizeof head};
  out.timed = g_.times_ != nullptr && !g_.times_->of_launches && head.command != context_head::none;
  out.stamped = g_.places_ != nullptr && g_.does_something(s);
  if (!priorities_.empty()) out.priority = priorities_[i];
  take_outside(i, out);
}

model::array_view<const executors::graph_step> executable_graph::segment_steps::next() {
  const std::size_t count = std::min(at_a_time_, indices_.size() - made_);
  struct looked_up {
    explicit looked_up(known_addresses*& where, known_addresses& all) : where_(where) {
      where_ = &all;
    }
    looked_up(const looked_up&) = delete;
    looked_up& operator=(const looked_up&) = delete;
    ~looked_up() { where_ = nullptr; }
    known_addresses*& where_;
  };
  const looked_up for_these(g_.known_, addresses_);
  steps_.clear();
  steps_.reserve(count);
  waits_.clear();
  std::vector<std::size_t> first;
  first.reserve(count + 1);
  for (std::size_t i = made_; i < made_ + count; ++i) {
    make(i, steps_.emplace_back());
    first.push_back(waits_.size());
    add_waits(i);
  }
  first.push_back(waits_.size());
  for (std::size_t i = 0; i < count; ++i)
    steps_[i].waits = {waits_.data() + first[i], first[i + 1] - first[i]};
  made_ += count;
  return steps_;
}

std::unique_ptr<executors::graph_steps> executable_graph::all_steps(
    process& rt, std::uint32_t segment, const planner::machine_costs& costs) {
  return std::make_unique<segment_steps>(*this, rt, segment, costs,
                                         cut_.segments[segment].steps.size());
}

void executable_graph::instantiate_segment(process& rt, std::uint32_t index,
                                           const planner::machine_costs& costs) {
  // So many stay in a core's own caches until the backend has looked at them.
  constexpr std::size_t at_a_time = 64;
  segment_steps steps(*this, rt, index, costs, at_a_time);
  native_segment& p = segments_[index];
  const executors::status status = p.owner->instantiate(steps, p.native);
  if (!status.ok()) throw user_error(status.code, status.reason);
}

// The graph's own lane is of the device of its last segment, if there is one, so that the planner's step of a replay is this
// segment's launch.
void executable_graph::take_lanes(process& rt, const std::vector<std::uint32_t>& domains) {
  lane_device_ = ends_.size() == 1 ? device_of(rt, cut_.segments[ends_[0]].domain) : device_;
  for (const std::uint32_t domain : domains)
    side_lanes_.push_back(rt.lanes.take_side_lane(device_of(rt, domain)));
  lane_ = rt.lanes.take_for_graph(lane_device_);
  static_cast<void>(rt.lanes.ready(lane_));
}

void executable_graph::launch_one(executors::lane& lane, native_segment& p, step_context& context,
                                  const std::shared_ptr<event_record>& record,
                                  model::array_view<const lane_position> waits,
                                  model::array_view<const lane_position> ends_after) {
  executors::step_submission out;
  out.waits = waits;
  out.begun = begun_;
  out.ends_after = ends_after;
  out.timed = record != nullptr && (context.opens || context.closes || places_ != nullptr);
  context.record = out.timed ? new std::shared_ptr<event_record>(record) : nullptr;
  out.context = {reinterpret_cast<const std::byte*>(&context), sizeof context};
  const executors::status status = p.owner->launch(lane, *p.native, out);
  if (status.ok()) return;
  delete context.record;
  throw user_error(status.code, status.reason);
}

void* executable_graph::native_handle(model::native_kind what) const {
  // An update of another thread's may put others in their place.
  const std::lock_guard lock(process::instance().mutex);
  if (has_parameters_)
    throw user_error(error_code::feature_not_supported,
                     "the graph has parameters, so it has several graphs of the driver, one for "
                     "each of the latest launches");
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

void executable_graph::launch(process& rt, const planner::step& planned, model::step_id step,
                              std::uint64_t queue_id, const std::shared_ptr<event_record>& record,
                              model::array_view<const lane_position> waits) {
  step_context context;
  context.queue = queue_id;
  context.step = step;
  context.what = "graph";
  context.head.replay = running_.get();
  if (record != nullptr && record->nodes != nullptr) {
    // No launch of this generation is under way.
    latest_times_ = record->nodes;
    running_->times.store(latest_times_.get(), std::memory_order_release);
  }
  begun_.clear();
  if (segments_.size() == 1)
    launch_one(*rt.lanes.ready(planned.lane).native, segments_[0], context, record, waits);
  else
    launch_segments(rt, step, context, record, waits);
}

// When the graph's own lane says that a launch is over, nothing tells of it any more: the launch may end, its times be read
// and the graph go.
model::array_view<const lane_position> executable_graph::side_ends() {
  side_ends_.clear();
  for (const side_lane& l : side_lanes_)
    side_ends_.push_back({&l.native->completion(), l.position});
  return side_ends_;
}

void executable_graph::launch_segments(process& rt, model::step_id step, step_context& context,
                                       const std::shared_ptr<event_record>& record,
                                       model::array_view<const lane_position> waits) {
  lane_entry& own = rt.lanes.ready(lane_);
  const lane_position here = rt.lanes.position_of(step);
  const auto end_of = [&](std::uint32_t i) -> lane_position {
    return {&side_lanes_[segments_[i].lane].native->completion(), segments_[i].position};
  };
  for (std::uint32_t i = 0; i < segments_.size(); ++i) {
    native_segment& p = segments_[i];
    segment_waits_.clear();
    for (const planner::arranged_segment::wait& w : p.waits)
      segment_waits_.push_back(w.step == planner::arranged_segment::end
                                   ? end_of(w.segment)
                                   : segments_[w.segment].native->signal(w.step));
    begun_.clear();
    for (const std::uint32_t other : p.begun) begun_.push_back(end_of(other));
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

}  // namespace pianola::runtime
