// SPDX-License-Identifier: Apache-2.0
// Executable graphs that run within others, and those that have such.
#include <algorithm>

#include <fmt/format.h>

#include <pianola/host/host_graph.hpp>
#include <pianola/host/lane.hpp>
#include <pianola/host/team.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/cost/machine_costs.hpp>

#include "data/buffer_table.hpp"
#include "data/memory_parameters.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "replay/executable/control_step.hpp"
#include "replay/executable/executable.hpp"

namespace pianola::runtime {

using executors::lane_position;
using model::error_code;
using model::user_error;

static bool has_host_tasks(const model::command& c) {
  if (std::holds_alternative<model::host_task_command>(c.payload)) return true;
  const control* const what = control_of(c);
  return what != nullptr &&
         std::any_of(what->bodies.begin(), what->bodies.end(), [](const control::body& b) {
           return std::any_of(b.recorded.commands.begin(), b.recorded.commands.end(),
                              has_host_tasks);
         });
}

// Alignment included.
static std::size_t own_argument_bytes(const model::command& c) {
  const model::argument_block* a = nullptr;
  if (const auto* k = std::get_if<model::kernel_command>(&c.payload)) a = &k->arguments;
  if (const auto* t = std::get_if<model::host_task_command>(&c.payload)) a = &t->arguments;
  return a == nullptr || a->operations != nullptr ? 0 : a->size + a->alignment;
}

// All in one walk: commands may be more than caches hold.
void executable_graph::make_controls() {
  argument_bytes_ = 0;
  for (std::size_t i = 0; i < recorded_.commands.size(); ++i) {
    argument_bytes_ += own_argument_bytes(recorded_.commands[i]);
    has_host_tasks_ = has_host_tasks_ || has_host_tasks(recorded_.commands[i]);
    const control* const what = control_of(recorded_.commands[i]);
    if (what == nullptr) continue;
    controls_.resize(recorded_.commands.size());
    controls_[i] = make_control_step(*what, *running_);
  }
}

executors::resolved_action executable_graph::resolve_control(process& rt, std::size_t step) const {
  const auto& e = std::get<planner::execute_step>(plan_.steps[step].action);
  const model::command& command = recorded_.commands[e.command.value()];
  const control* const what = control_of(command);
  if (what == nullptr) return {};
  control_step& runner = *controls_[e.command.value()];
  runner.bind(rt, *this);
  if (what->pointer != nullptr && !bound_.memory.empty())
    runner.find_condition(uses_->translate(const_cast<void*>(what->pointer), bound_.memory));
  const std::uint32_t condition = std::get<model::subgraph_command>(command.payload).condition;
  if (condition != model::memory_operand::no_requirement)
    runner.find_condition(
        static_cast<const unsigned char*>(address_of(rt, command.requirements[condition].buffer,
                                                     memory_of(rt, command, condition), step)) +
        what->byte_offset);
  return runner.action();
}

bound_values executable_graph::values_from(process& rt, const executable_graph& holder) const {
  bound_values values;
  for (const generations::bindable& b : generations_->buffers) {
    const auto& all = holder.recorded_.externals;
    const auto at = std::find(all.begin(), all.end(), b.recorded.value() + 1) - all.begin();
    const model::buffer_id live = holder.live_[static_cast<std::size_t>(at)];
    values.buffers.push_back(buffer_table::key_of(live, rt.buffers[live]));
  }
  for (const memory_parameters::parameter& p : uses_->memory()) {
    const auto& all = holder.uses_->memory();
    const auto at = std::find_if(all.begin(), all.end(),
                                 [&](const auto& other) { return other.begin == p.begin; }) -
                    all.begin();
    values.memory.push_back(holder.bound_.memory[static_cast<std::size_t>(at)]);
  }
  return values;
}

void executable_graph::bind_as_body(process& rt, const executable_graph& holder) {
  if (!has_parameters_) return;
  prepare_generations(rt);
  bound_values values = values_from(rt, holder);
  if (is_instantiated()) return bind(rt, *generations_, values);
  take_values(rt, std::move(values));
  instantiate(rt);
}

model::array_view<const executors::graph_step> executable_graph::inner_steps(
    process& rt, const executable_graph& holder) {
  if (has_parameters_) {
    prepare_generations(rt);
    take_values(rt, values_from(rt, holder));
  }
  arguments_.resize(plan_.steps.size());
  name_buffers(rt);
  cut(rt);
  if (segments_.size() > 1)
    throw user_error(error_code::runtime,
                     fmt::format("internal error of Pianola, please report it: the body of a loop "
                                 "that its device runs by itself is {} graphs of drivers",
                                 segments_.size()));
  inner_.reset();
  if (segments_.empty()) return {};
  segments_[0].owner = rt.machine.device(device_).owner;
  const planner::machine_costs costs(rt.machine.topology());
  inner_ = all_steps(rt, 0, costs);
  return inner_->next();
}

// Of a body that is not instantiated.
void executable_graph::take_values(process& rt, bound_values values) {
  for (std::size_t i = 0; i < values.buffers.size(); ++i) {
    const model::buffer_id plan = generations_->buffers[i].plan;
    // The graph that has it keeps it.
    if (held_[plan.value()] != 0) --rt.buffers[live_[plan.value()]].graph_uses;
    held_[plan.value()] = 0;
    take_buffer(rt, plan, buffer_table::id_of(values.buffers[i]));
  }
  bound_ = std::move(values);
  allocate_buffers(rt);
}

step_context executable_graph::context_as_body(std::uint64_t queue, model::step_id step) const {
  step_context context;
  context.queue = queue;
  context.step = step;
  context.what = "graph";
  context.head.replay = running_.get();
  return context;
}

bool executable_graph::run_as_body(const side_lane& own, std::uint64_t queue, model::step_id step) {
  if (segments_.size() != 1 || !process::instance().machine.runs_on_team(lane_device_))
    return false;
  const step_context context = context_as_body(queue, step);
  static_cast<host::lane&>(*own.native)
      .run_now(static_cast<host::host_graph&>(*segments_[0].native), &context);
  return true;
}

// As a replay's segments are launched, but for what only the live state needs.
void executable_graph::launch_as_body(side_lane& own, std::uint64_t queue, model::step_id step) {
  step_context context = context_as_body(queue, step);
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

void executable_graph::wait_as_body(const side_lane& own) const noexcept {
  for (const side_lane& l : side_lanes_)
    host::team::instance().wait(l.native->completion(), l.position);
  host::team::instance().wait(own.native->completion(), own.position);
}

}  // namespace pianola::runtime
