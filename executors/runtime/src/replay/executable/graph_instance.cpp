// SPDX-License-Identifier: Apache-2.0
#include "replay/executable/graph_instance.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <pianola/host/running_task.hpp>
#include <pianola/host/team.hpp>
#include <pianola/model/error.hpp>
#include <pianola/model/payload_members.hpp>
#include <pianola/planner/command_edges.hpp>
#include <pianola/planner/owned_memory.hpp>
#include <pianola/planner/planning_state.hpp>

#include "commands/candidates.hpp"
#include "commands/names.hpp"
#include "data/buffer_table.hpp"
#include "data/memory_parameters.hpp"
#include "execute/own_waits.hpp"
#include "execute/waiting.hpp"
#include "machine/lane_table.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "queues/launch_times.hpp"
#include "recording/eager_recorder.hpp"
#include "recording/graph_times.hpp"
#include "replay/executable/control_step.hpp"
#include "replay/executable/replay_table.hpp"
#include "replay/recorded/kernel_footprints.hpp"
#include "support/log.hpp"

namespace pianola::runtime {

using executors::lane_position;
using model::error_code;
using model::user_error;
using planner::execute_step;
using planner::transfer_step;

namespace {

// Before anything runs on memory that something else has by then.
void check_memory(const graph_snapshot& recorded) {
  if (recorded.memories.empty()) return;
  const auto misuses = planner::misuses_of_owned_memory(
      recorded.commands, planner::command_edges(recorded.commands, recorded.buffers));
  for (const planner::memory_misuse& m : misuses) {
    const std::string text = fmt::format("command {} of the graph ('{}') {}", m.command,
                                         display_name(recorded.commands[m.command]), m.what);
    if (m.certain)
      throw user_error(error_code::invalid,
                       text + "; order the commands with events or an in-order queue");
    log_warn("{}, if a pointer is what its arguments hold there", text);
  }
}

}  // namespace

std::shared_ptr<graph_instance> graph_instance::make(graph_snapshot recorded,
                                                     model::device_id device,
                                                     const planning_request& wanted,
                                                     bool is_update) {
  process& rt = process::instance();
  describe_footprints(recorded);
  const auto g = begin(std::move(recorded), device);
  g->wanted_ = wanted;
  check_memory(g->g_.recorded);
  g->make_staging(rt);
  g->take_plan(rt, is_update);
  g->maker_.make_controls(g->wanted_.options.node_times);
  g->finish(rt);
  return g;
}

std::shared_ptr<graph_instance> graph_instance::make_planned(
    graph_snapshot recorded, model::device_id device, planner::plan plan,
    std::vector<executable::named_parameter> parameters) {
  process& rt = process::instance();
  const auto g = begin(std::move(recorded), device);
  g->make_staging(rt);
  g->g_.plan = std::move(plan);
  g->plan_was_stored_ = true;
  g->parameters_ = std::move(parameters);
  g->maker_.make_controls(g->wanted_.options.node_times);
  g->finish(rt);
  return g;
}

std::shared_ptr<graph_instance> graph_instance::make_body(graph_snapshot recorded,
                                                          model::device_id device,
                                                          planner::plan plan, role as,
                                                          bool node_times) {
  process& rt = process::instance();
  const auto g = begin(std::move(recorded), device);
  g->wanted_.options.node_times = node_times;
  if (as == role::body) g->make_staging(rt);
  g->g_.plan = std::move(plan);
  g->plan_was_stored_ = true;
  g->maker_.make_controls(g->wanted_.options.node_times);
  g->finish(rt, as);
  return g;
}

std::shared_ptr<graph_instance> graph_instance::begin(graph_snapshot recorded,
                                                      model::device_id device) {
  const std::shared_ptr<graph_instance> g(new graph_instance, &graph_instance::end);
  g->g_.recorded = std::move(recorded);
  g->g_.device = device;
  g->g_.recorded.outside.clear();
  g->g_.recorded.refer();
  return g;
}

void graph_instance::make_staging(const process& rt) {
  maker_.set_staging(host_staging(rt.machine, g_.recorded));
}

void graph_instance::finish(process& rt, role as) {
  g_.plan.graph_hash = g_.recorded.hash;
  std::lock_guard lock(rt.mutex);
  if (plan_was_stored_)
    ++rt.counted.stored_plans;
  else
    rt.counted.planned_commands += g_.recorded.commands.size();
  if (as != role::inner && rt.recording != nullptr &&
      (rt.recording->times() || wanted_.options.node_times))
    g_.times = std::make_shared<graph_times>(g_.recorded.commands.size(), !rt.recording->times());
  find_parameters(rt);
  if (wanted_.options.node_times) {
    const graph_snapshot& from = whole_ != nullptr ? *whole_ : g_.recorded;
    note_places(from.storage, from.place);
  }
  maker_.set_slots(slot_storage(rt.machine, g_.plan));
  adopt_buffers(rt, as != role::whole);
  replays_.prepare(wanted_.options, maker_.has_host_tasks());
  // What parameters stand for is known when the graph is launched.
  if (has_parameters_ || as == role::inner) {
    allocate_buffers(rt);
  } else {
    allocate_entry(rt);
    instantiate(rt);
  }
  rt.replays.add(*this);
  log_info("graph of {} commands planned: {} steps, {} transfers in the body",
           g_.recorded.commands.size(), g_.plan.steps.size(), replays_.transfers());
}

void graph_instance::take_plan(process& rt, bool is_update) {
  choices_ = find_choices(rt, g_.recorded, wanted_.placing);
  found_plan found = find_plan(rt, g_.recorded, wanted_, is_update,
                               [this](model::buffer_id b) { return name_of(b); });
  g_.plan = std::move(found.plan);
  plan_was_stored_ = found.stored;
  if (found.parts) take_parts(*std::move(found.parts));
  if (!wanted_.placing.anywhere) return;
  for (const planner::step& s : g_.plan.steps)
    if (const auto* e = std::get_if<execute_step>(&s.action))
      g_.recorded.commands[e->command.value()].device = e->device;
}

void graph_instance::take_parts(split_snapshot made) {
  for (model::command& c : g_.recorded.commands) c.candidates = {};
  choices_.asked.clear();
  for (const model::command& c : made.parts.commands) choices_.asked.push_back(c.device);
  whole_ = std::make_unique<graph_snapshot>(std::exchange(g_.recorded, std::move(made.parts)));
  log_info("{} of {} commands run in parts, {} commands in all", made.kernels,
           whole_->commands.size(), g_.recorded.commands.size());
}

bool graph_instance::ends_behind_calling_task(const process& rt) const noexcept {
  if (!in_host_task() || !is_instantiated()) return false;
  const model::step_id last = tail(rt);
  if (rt.lanes.finished(last)) return false;
  const lane_position end = rt.lanes.position_of(last);
  return waits_for_own_task({&end, 1}) || segments_.has_side_lane(host::running_task().lane);
}

void graph_instance::end(graph_instance* g) noexcept {
  process* const rt = process::started();
  if (rt != nullptr && rt->mutex.held_here()) {
    // The end waits for what is under way, which needs the lock.
    g->next_to_end_ = std::exchange(to_end_, g);
    return;
  }
  end_put_off();
  end_without_lock(rt, g);
}

void graph_instance::end_without_lock(process* rt, graph_instance* g) noexcept {
  const auto end_here = [](void* graph) { delete static_cast<graph_instance*>(graph); };
  const auto behind = [&] {
    std::lock_guard lock(rt->mutex);
    return g->ends_behind_calling_task(*rt);
  };
  if (rt != nullptr && behind())
    host::team::instance().run_detached(end_here, g);
  else
    end_here(g);
}

void graph_instance::end_put_off() noexcept {
  process* const rt = process::started();
  if (rt == nullptr) return;
  graph_instance* first = nullptr;
  {
    const std::lock_guard lock(rt->mutex);
    first = std::exchange(to_end_, nullptr);
  }
  while (first != nullptr) end_without_lock(rt, std::exchange(first, first->next_to_end_));
}

graph_instance::~graph_instance() {
  process* rt = process::started();
  if (rt != nullptr) {
    std::unique_lock lock(rt->mutex);
    replays_.settle_if_last(*rt);
    replays_.retell(*rt);
    if (is_instantiated()) {
      // Steps under way refer to this object.
      const model::step_id last = tail(*rt);
      if (!rt->lanes.finished(last)) {
        const lane_position end = rt->lanes.position_of(last);
        lock.unlock();
        wait_until_reached(*rt, {&end, 1});
        lock.lock();
      }
      segments_.give_back_lanes(*rt);
    }
    rt->replays.remove(*this);
    for (std::size_t i = 0; i < g_.held.size(); ++i)
      if (g_.held[i] != 0) {
        const model::buffer_id id = g_.live[i];
        buffer_entry& b = rt->buffers[id];
        if (--b.graph_uses != 0 || b.alive) continue;
        // The program's buffer ended before.
        std::vector<model::step_id> steps;
        rt->state.conflicting_steps(id, model::box::of(b.info.grid.range()), true, steps);
        std::vector<lane_position> users;
        for (const model::step_id s : steps)
          if (!rt->lanes.finished(s)) users.push_back(rt->lanes.position_of(s));
        rt->buffers.retire(std::move(users), b.allocations);
        rt->buffers.release(id);
      }
    rt->buffers.collect_retired();
  }
}

std::string graph_instance::name_of(model::buffer_id b) const {
  const char* const label =
      b.value() < g_.recorded.labels.size() ? g_.recorded.labels[b.value()] : "";
  std::string name = fmt::format("buffer {}", b.value());
  if (*label != '\0') name += fmt::format(" ('{}')", label);
  return name;
}

static void check_not_lost(const process& rt, model::buffer_id live) {
  if (rt.buffers[live].lost)
    throw user_error(error_code::memory_allocation,
                     "a graph works on a buffer that has ended, and whose contents there was no "
                     "memory for: free some before the buffer ends, or let it end after the graph");
}

void graph_instance::adopt_buffers(process& rt, bool ended_too) {
  for (std::size_t i = 0; i < g_.recorded.buffers.size(); ++i) {
    if (!ended_too) rt.buffers.living(g_.recorded.key(i));
    g_.live.push_back(buffer_table::id_of(g_.recorded.key(i)));
  }
  for (const model::buffer_id id : g_.live) check_not_lost(rt, id);
  for (const model::buffer_id id : g_.live) ++rt.buffers[id].graph_uses;
  g_.held.assign(g_.live.size(), 1);
}

void graph_instance::allocate(process& rt, model::buffer_id b, model::memory_id m) {
  if (!rt.buffers[g_.live[b.value()]].parameter && !g_.plan.has_slots(b, m))
    rt.buffers.ensure_allocation(g_.live[b.value()], m);
}

void graph_instance::allocate_buffers(process& rt) {
  const std::vector<model::memory_set> memories =
      memories_of_buffers(rt.machine, g_.recorded, g_.plan);
  for (std::uint32_t i = 0; i < memories.size(); ++i)
    memories[i].for_each([&](model::memory_id m) { allocate(rt, model::buffer_id(i), m); });
  allocate_entry(rt);
}

void graph_instance::allocate_entry(process& rt) {
  for (const auto& e : g_.plan.contract)
    e.memories.for_each([&](model::memory_id m) {
      allocate(rt, e.buffer, m);
      if (rt.machine.staging_needed()) allocate(rt, e.buffer, model::host_memory);
    });
}

bool graph_instance::rebind(process& rt, model::buffer_id live) {
  if (!is_instantiated()) return true;
  if (std::find(g_.live.begin(), g_.live.end(), live) == g_.live.end()) return true;
  const bool was_stale = std::exchange(stale_, true);
  try {
    const std::vector<std::uint32_t> steps = steps_on(rt, live);
    if (!steps.empty()) {
      if (rt.buffers[live].lost) return false;
      exchange_steps(rt, steps);
    }
    stale_ = was_stale;
  } catch (const std::exception& e) {
    log_warn("a graph could not be given a buffer's new address: {}", e.what());
  }
  return !stale_;
}

std::vector<std::uint32_t> graph_instance::steps_on(const process& rt,
                                                    model::buffer_id live) const {
  std::vector<std::uint32_t> steps;
  // What a launch has put in the place of a parameter may have ended, and its number be another buffer's by now.
  const buffer_key key = buffer_table::key_of(live, rt.buffers[live]);
  const bool bound =
      std::find(g_.bound.buffers.begin(), g_.bound.buffers.end(), key) != g_.bound.buffers.end();
  const auto touches = [&](model::buffer_id b) {
    return g_.live[b.value()] == live && (bound || g_.held[b.value()] != 0);
  };
  for (std::uint32_t i = 0; i < g_.plan.steps.size(); ++i) {
    const planner::step& s = g_.plan.steps[i];
    if (const auto* t = std::get_if<transfer_step>(&s.action)) {
      if (touches(t->buffer)) steps.push_back(i);
      continue;
    }
    const auto& needed =
        g_.recorded.commands[std::get<execute_step>(s.action).command.value()].requirements;
    if (std::any_of(needed.begin(), needed.end(), [&](const auto& r) { return touches(r.buffer); }))
      steps.push_back(i);
  }
  return steps;
}

void graph_instance::check_addresses(process& rt) {
  maker_.check_addresses_of_bodies(rt);
  if (!stale_) return;
  for (const model::buffer_id live : g_.live) check_not_lost(rt, live);
  std::vector<std::uint32_t> steps(g_.plan.steps.size());
  std::iota(steps.begin(), steps.end(), 0U);
  exchange_steps(rt, steps);
  stale_ = false;
}

void graph_instance::find_uses(const process& rt) {
  if (g_.uses == nullptr)
    g_.uses = std::make_shared<const rebindable>(rt.machine, g_.recorded, g_.plan);
}

void graph_instance::find_parameters_of_body(const process& rt) {
  if (parameters_of_body_) return;
  find_uses(rt);
  parameters_of_body_.emplace();
  for (std::uint32_t i = 0; i < g_.live.size(); ++i)
    if (rt.buffers[g_.live[i]].parameter)
      parameters_of_body_->push_back({model::buffer_id(i), g_.recorded.key(i), true});
  g_.bound = {};
}

model::step_id graph_instance::tail(const process& rt) const noexcept {
  return rt.state.tail(segments_.lane());
}

bound_values graph_instance::values_from(process& rt, const planned_graph& holder) const {
  bound_values values;
  for (const bindable_buffer& b : *parameters_of_body_) {
    const auto& all = holder.recorded.externals;
    const auto at = std::find(all.begin(), all.end(), b.recorded.value() + 1) - all.begin();
    const model::buffer_id live = holder.live[static_cast<std::size_t>(at)];
    values.buffers.push_back(buffer_table::key_of(live, rt.buffers[live]));
  }
  for (const memory_parameters::parameter& p : g_.uses->memory()) {
    const auto& all = holder.uses->memory();
    const auto at = std::find_if(all.begin(), all.end(),
                                 [&](const auto& other) { return other.begin == p.begin; }) -
                    all.begin();
    values.memory.push_back(holder.bound.memory[static_cast<std::size_t>(at)]);
  }
  return values;
}

void graph_instance::bind_as_body(process& rt, const planned_graph& holder) {
  if (!has_parameters_) return;
  find_parameters_of_body(rt);
  bound_values values = values_from(rt, holder);
  if (is_instantiated()) return bind(rt, *parameters_of_body_, values);
  take_values(rt, std::move(values));
  instantiate(rt);
}

model::array_view<const executors::graph_step> graph_instance::inner_steps(
    process& rt, const planned_graph& holder) {
  if (has_parameters_) {
    find_parameters_of_body(rt);
    take_values(rt, values_from(rt, holder));
  }
  maker_.begin_again();
  name_buffers(rt);
  return segments_.inner_steps(rt, maker_);
}

// Of a body that is not instantiated.
void graph_instance::take_values(process& rt, bound_values values) {
  for (std::size_t i = 0; i < values.buffers.size(); ++i) {
    const model::buffer_id plan = (*parameters_of_body_)[i].plan;
    // The graph that has it keeps it.
    if (g_.held[plan.value()] != 0) --rt.buffers[g_.live[plan.value()]].graph_uses;
    g_.held[plan.value()] = 0;
    take_buffer(rt, plan, buffer_table::id_of(values.buffers[i]));
  }
  g_.bound = std::move(values);
  allocate_buffers(rt);
}

static std::shared_ptr<command_places> places_of(const graph_snapshot& recorded,
                                                 const planner::plan& plan) {
  auto made = std::make_shared<command_places>();
  made->places.resize(recorded.commands.size());
  for (const planner::step& s : plan.steps)
    if (const auto* e = std::get_if<planner::execute_step>(&s.action))
      made->places[e->command.value()] = {e->device, s.lane.value()};
  made->own_commands = recorded.commands.size();
  made->moved = recorded.place;
  made->origin = recorded.storage;
  for (std::size_t i = 0; i < recorded.commands.size(); ++i) {
    const control* const what = control_of(recorded.commands[i]);
    if (what == nullptr) continue;
    for (const control::body& b : what->bodies) {
      const std::shared_ptr<command_places> of = places_of(b.recorded, b.plan);
      of->own_commands = b.own_commands;
      made->bodies.push_back({i, of});
    }
  }
  return made;
}

void graph_instance::note_places(std::shared_ptr<const void> origin,
                                 const std::vector<std::uint32_t>& moved) {
  const std::shared_ptr<command_places> made = places_of(g_.recorded, g_.plan);
  made->moved = moved;
  made->origin = std::move(origin);
  made->in_parts = whole_ != nullptr;
  g_.places = made;
}

void graph_instance::take_buffer(process& rt, model::buffer_id plan,
                                 model::buffer_id live) noexcept {
  replays_.take_buffer(rt, plan, live);
  g_.live[plan.value()] = live;
  if (plan.value() < g_.generation.size())
    g_.generation[plan.value()] = rt.buffers[live].generation;
}

void graph_instance::name_buffers(const process& rt) {
  running_.least_times =
      g_.times != nullptr && !g_.times->of_launches ? g_.times->least.get() : nullptr;
  g_.generation.clear();
  for (const model::buffer_id id : g_.live) g_.generation.push_back(rt.buffers[id].generation);
}

void graph_instance::add_change(process& rt, std::uint32_t step,
                                std::vector<native_segments::change>& changes) {
  maker_.resolve(rt, g_.plan.steps[step], segments_.add(changes, step));
}

void graph_instance::exchange_steps(process& rt, const std::vector<std::uint32_t>& steps) {
  std::vector<native_segments::change> changes = segments_.no_changes();
  for (const std::uint32_t i : steps) add_change(rt, i, changes);
  segments_.update(changes);
}

void graph_instance::instantiate(process& rt) {
  maker_.begin();
  name_buffers(rt);
  segments_.instantiate(rt, maker_);
}

std::size_t graph_instance::place_of(buffer_key recorded) const noexcept {
  return static_cast<std::size_t>(
      std::find(g_.recorded.externals.begin(), g_.recorded.externals.end(), recorded.value() + 1) -
      g_.recorded.externals.begin());
}

void graph_instance::let_go(process& rt, buffer_key recorded) {
  const std::size_t at = place_of(recorded);
  if (at == g_.recorded.externals.size() || g_.held[at] == 0) return;
  g_.held[at] = 0;
  --rt.buffers[g_.live[at]].graph_uses;
}

void graph_instance::exchange_buffers(process& rt, const std::vector<buffer_change>& buffers) {
  find_uses(rt);
  // First what may fail.
  for (const buffer_change& b : buffers) {
    const model::buffer_id plan(static_cast<std::uint32_t>(place_of(b.recorded)));
    rt.buffers.living(b.now);
    g_.uses->memories_of(plan).for_each(
        [&](model::memory_id m) { rt.buffers.ensure_allocation(buffer_table::id_of(b.now), m); });
    if (rt.machine.staging_needed())
      rt.buffers.ensure_allocation(buffer_table::id_of(b.now), model::host_memory);
  }
  // Replays that the live state has not seen are of the buffers before.
  replays_.settle_if_last(rt);
  std::vector<std::uint32_t> steps;
  for (const buffer_change& b : buffers) {
    const std::size_t at = place_of(b.recorded);
    const model::buffer_id plan(static_cast<std::uint32_t>(at));
    let_go(rt, b.recorded);
    take_buffer(rt, plan, buffer_table::id_of(b.now));
    const auto more = g_.uses->steps_of(plan);
    steps.insert(steps.end(), more.begin(), more.end());
  }
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  exchange_steps(rt, steps);
}

void graph_instance::exchange_values(process& rt, const std::vector<value_change>& values,
                                     const std::vector<std::uint32_t>& place) {
  // What uses which buffer does not follow from values.
  const std::shared_ptr<const rebindable> uses = g_.uses;
  std::vector<std::uint32_t> changed;
  changed.reserve(values.size());
  for (const value_change& v : values) {
    const std::uint32_t at = place.empty() ? v.command : place[v.command];
    model::command& c = g_.recorded.commands[at];
    if (auto* const kernel = std::get_if<model::kernel_command>(&c.payload)) {
      const auto& other = std::get<model::kernel_command>(*v.payload);
      kernel->geometry = other.geometry;
      kernel->arguments = other.arguments;
      kernel->footprints = {};  // of the values before
    } else {
      c.payload = *v.payload;
    }
    changed.push_back(at);
  }
  std::vector<own_arguments> replaced;
  exchange_commands(rt, changed, replaced);
  g_.uses = uses;
}

void graph_instance::find_parameters(const process& rt) {
  const auto is_parameter = [&](std::uint64_t external) {
    const buffer_key key(external - 1);
    return rt.buffers[buffer_table::id_of(key)].parameter;
  };
  has_parameters_ =
      std::any_of(g_.recorded.externals.begin(), g_.recorded.externals.end(), is_parameter) ||
      uses_memory_parameters(g_.recorded);
  if (has_parameters_)
    g_.uses = std::make_shared<const rebindable>(rt.machine, g_.recorded, g_.plan);
}

bool graph_instance::is_idle(const process& rt) const { return rt.lanes.finished(tail(rt)); }

std::shared_ptr<graph_instance> graph_instance::make_generation(
    process& rt, const std::vector<bindable_buffer>& known, const bound_values& values,
    std::unique_lock<runtime_mutex>& lock) const {
  auto g = begin_generation(g_.recorded.copy());
  g->g_.bound = values;
  for (std::size_t i = 0; i < values.buffers.size(); ++i)
    g->g_.live[known[i].plan.value()] = buffer_table::id_of(values.buffers[i]);
  finish_generation(rt, g, lock);
  return g;
}

std::shared_ptr<graph_instance> graph_instance::begin_generation(graph_snapshot contents) const {
  contents.outside = {};
  auto g = begin(std::move(contents), g_.device);
  g->g_.plan = g_.plan;
  g->plan_was_stored_ = plan_was_stored_;
  g->parameters_ = parameters_;
  g->choices_ = choices_;
  g->g_.times = g_.times;
  g->wanted_ = wanted_;
  g->g_.uses = g_.uses;
  g->g_.places = g_.places;
  g->g_.live = g_.live;
  g->has_parameters_ = has_parameters_;
  g->g_.held.assign(g_.live.size(), 0);
  if (wanted_.options.in_flight == 1) {
    // One runs after the other.
    g->maker_.share_storage(maker_);
  }
  return g;
}

void graph_instance::finish_generation(process& rt, std::shared_ptr<graph_instance>& made,
                                       std::unique_lock<runtime_mutex>& lock) const {
  lock.unlock();
  try {
    if (wanted_.options.in_flight > 1) made->make_staging(rt);
    made->maker_.make_controls(wanted_.options.node_times);
    made->finish_generation(rt);
  } catch (...) {
    // Ends without the lock, which the caller expects.
    made.reset();
    lock.lock();
    throw;
  }
  lock.lock();
}

void graph_instance::finish_generation(process& rt) {
  const std::lock_guard guard(rt.mutex);
  for (const model::buffer_id live : g_.live) check_not_lost(rt, live);
  for (std::size_t i = 0; i < g_.live.size(); ++i)
    if (g_.live[i] == buffer_table::id_of(g_.recorded.key(i)) &&
        !rt.buffers[g_.live[i]].parameter) {
      g_.held[i] = 1;
      ++rt.buffers[g_.live[i]].graph_uses;
    }
  if (wanted_.options.in_flight > 1) maker_.set_slots(slot_storage(rt.machine, g_.plan));
  allocate_buffers(rt);
  replays_.prepare(wanted_.options, maker_.has_host_tasks());
  instantiate(rt);
  rt.replays.add(*this);
}

void graph_instance::bind(process& rt, const std::vector<bindable_buffer>& known,
                          const bound_values& values) {
  std::vector<std::uint32_t> steps;
  const auto touched = [&](model::array_view<const std::uint32_t> more) {
    steps.insert(steps.end(), more.begin(), more.end());
  };
  // First what may fail.
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < values.buffers.size(); ++i) {
    if (g_.bound.buffers[i] == values.buffers[i]) continue;
    const model::buffer_id plan = known[i].plan;
    const model::buffer_id live = buffer_table::id_of(values.buffers[i]);
    changed.push_back(i);
    g_.uses->memories_of(plan).for_each(
        [&](model::memory_id m) { rt.buffers.ensure_allocation(live, m); });
    if (rt.machine.staging_needed()) rt.buffers.ensure_allocation(live, model::host_memory);
  }
  // Replays that the live state has not seen are of the buffers before.
  replays_.settle_if_last(rt);
  for (const std::size_t i : changed) {
    const model::buffer_id plan = known[i].plan;
    const model::buffer_id live = buffer_table::id_of(values.buffers[i]);
    buffer_entry& before = rt.buffers[g_.live[plan.value()]];
    if (g_.held[plan.value()] != 0) --before.graph_uses;  // the graph itself keeps it
    g_.held[plan.value()] = 0;
    take_buffer(rt, plan, live);
    touched(g_.uses->steps_of(plan));
  }
  for (std::size_t i = 0; i < values.memory.size(); ++i)
    if (g_.bound.memory[i] != values.memory[i]) touched(g_.uses->steps_of_memory(i));
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  g_.bound = values;
  try {
    exchange_steps(rt, steps);
  } catch (...) {
    // Nobody knows which steps have which addresses: the next launch gives them all.
    std::fill(g_.bound.buffers.begin(), g_.bound.buffers.end(), buffer_key());
    std::fill(g_.bound.memory.begin(), g_.bound.memory.end(), nullptr);
    throw;
  }
}

void graph_instance::exchange_commands(process& rt, const std::vector<std::uint32_t>& changed,
                                       std::vector<own_arguments>& replaced) {
  g_.uses.reset();
  find_parameters(rt);
  if (!is_instantiated()) return;
  replaced.reserve(replaced.size() + changed.size());
  if (step_of_.empty()) {
    step_of_.assign(g_.recorded.commands.size(), none);
    for (std::size_t i = 0; i < g_.plan.steps.size(); ++i)
      if (const auto* e = std::get_if<execute_step>(&g_.plan.steps[i].action))
        step_of_[e->command.value()] = static_cast<std::uint32_t>(i);
  }
  std::vector<native_segments::change> changes = segments_.no_changes();
  for (const std::uint32_t i : changed) {
    const std::uint32_t step = step_of_[i];
    if (step == none) continue;
    if (const auto* arguments = model::arguments_of(g_.recorded.commands[i].payload))
      maker_.take_arguments(step, *arguments, replaced);
    add_change(rt, step, changes);
  }
  segments_.update(changes);
}

void graph_instance::keep_place(const process& rt, model::command& next, std::size_t index) const {
  if (choices_.asked.empty() || whole_ != nullptr) return;
  const model::device_id placed = g_.recorded.commands[index].device;
  if (next.device == placed || next.device != choices_.asked[index]) return;
  const std::vector<model::device_id> may =
      candidates_of(rt.machine, next, wanted_.placing.devices);
  if (!std::binary_search(may.begin(), may.end(), placed)) return;
  next.device = placed;
  next.candidates = choices_.candidates[index];
}

// What a failed update has changed. Native graphs that cannot take back what they have are run step by step.
void graph_instance::put_back(process& rt, const std::vector<std::uint32_t>& changed,
                              std::vector<own_arguments>& replaced) noexcept {
  try {
    exchange_commands(rt, changed, replaced);
  } catch (const std::exception& e) {
    log_info("an update that failed was not taken back at once: {}", e.what());
  }
}

void graph_instance::exchange(process& rt, graph_snapshot& next,
                              const std::vector<std::uint32_t>& changed,
                              std::vector<own_arguments>& replaced) {
  // What the commands refer to stays until the native graphs have let go of it.
  std::swap(g_.recorded, next);
  g_.recorded.refer();
  try {
    exchange_commands(rt, changed, replaced);
  } catch (...) {
    std::swap(g_.recorded, next);
    g_.recorded.refer();
    put_back(rt, changed, replaced);
    throw;
  }
}

void graph_instance::exchange(process& rt, std::vector<node_change>& changes,
                              std::vector<own_arguments>& replaced) {
  std::vector<std::uint32_t> changed;
  g_.recorded.exchanged.resize(g_.recorded.commands.size());
  const auto exchange = [&] {
    for (node_change& change : changes) {
      std::swap(g_.recorded.commands[change.index], change.command);
      std::swap(g_.recorded.exchanged[change.index], change.refers_to);
    }
  };
  for (const node_change& change : changes) changed.push_back(change.index);
  exchange();
  try {
    exchange_commands(rt, changed, replaced);
  } catch (...) {
    exchange();
    put_back(rt, changed, replaced);
    throw;
  }
}

void graph_instance::take_commands(const graph_snapshot& now, bool all,
                                   const std::vector<std::uint32_t>& stale,
                                   command_exchange& change) {
  graph_snapshot& to = g_.recorded;
  // The edges stay.
  const auto take = [&](std::uint32_t i, const model::command& c,
                        std::shared_ptr<const void> refers_to) {
    const auto after = to.commands[i].after;
    to.commands[i] = c;
    to.commands[i].after = after;
    change.dropped.push_back(std::exchange(to.exchanged[i], std::move(refers_to)));
  };
  if (change.whole != nullptr) {
    std::swap(to, *change.whole);
    to.refer();
    return;
  }
  if (all) {
    change.before = std::exchange(to, now.copy());
    to.refer();
  } else {
    to.exchanged.resize(to.commands.size());
    for (const std::uint32_t i : stale)
      take(i, now.commands[i], i < now.exchanged.size() ? now.exchanged[i] : nullptr);
  }
  to.exchanged.resize(to.commands.size());
  for (const node_change& c : *change.nodes) take(c.index, c.command, c.refers_to);
}

}  // namespace pianola::runtime
