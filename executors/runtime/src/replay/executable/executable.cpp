// SPDX-License-Identifier: Apache-2.0
#include "replay/executable/executable.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include <pianola/host/running_task.hpp>
#include <pianola/host/team.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/command_edges.hpp>
#include <pianola/planner/owned_memory.hpp>
#include <pianola/planner/planning_state.hpp>
#include <pianola/planner/share_storage.hpp>

#include "commands/names.hpp"
#include "data/buffer_table.hpp"
#include "data/pointer_registry.hpp"
#include "execute/own_waits.hpp"
#include "execute/waiting.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
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

std::shared_ptr<executable_graph> executable_graph::make(graph_snapshot recorded,
                                                         model::device_id device,
                                                         const planning_request& wanted,
                                                         bool is_update) {
  process& rt = process::instance();
  describe_footprints(recorded);
  const auto g = begin(std::move(recorded), device);
  g->wanted_ = wanted;
  g->check_memory();
  g->make_staging(rt);
  g->take_plan(rt, is_update);
  g->make_controls();
  g->finish(rt);
  return g;
}

std::shared_ptr<executable_graph> executable_graph::make_planned(
    graph_snapshot recorded, model::device_id device, planner::plan plan,
    std::vector<executable::named_parameter> parameters) {
  process& rt = process::instance();
  const auto g = begin(std::move(recorded), device);
  g->make_staging(rt);
  g->plan_ = std::move(plan);
  g->plan_was_stored_ = true;
  g->parameters_ = std::move(parameters);
  g->make_controls();
  g->finish(rt);
  return g;
}

std::shared_ptr<executable_graph> executable_graph::make_part(graph_snapshot recorded,
                                                              model::device_id device,
                                                              planner::plan plan, role as) {
  process& rt = process::instance();
  const auto g = begin(std::move(recorded), device);
  if (as == role::body) g->make_staging(rt);
  g->plan_ = std::move(plan);
  g->plan_was_stored_ = true;
  g->make_controls();
  g->finish(rt, as);
  return g;
}

std::shared_ptr<executable_graph> executable_graph::begin(graph_snapshot recorded,
                                                          model::device_id device) {
  const std::shared_ptr<executable_graph> g(new executable_graph, &executable_graph::end);
  g->running_->graph = g.get();
  g->recorded_ = std::move(recorded);
  g->device_ = device;
  g->origin_ = g->recorded_.storage;
  g->place_ = g->recorded_.place;
  g->outside_ = std::exchange(g->recorded_.outside, {});
  g->recorded_.refer();
  return g;
}

void executable_graph::finish(process& rt, role as) {
  plan_.graph_hash = recorded_.hash;
  count_transfers();
  std::lock_guard lock(rt.mutex);
  if (plan_was_stored_)
    ++rt.counted.stored_plans;
  else
    rt.counted.planned_commands += recorded_.commands.size();
  if (as != role::inner && rt.recording != nullptr &&
      (rt.recording->times() || wanted_.options.node_times))
    times_ = std::make_shared<graph_times>(recorded_.commands.size(), !rt.recording->times());
  find_parameters(rt);
  if (wanted_.options.node_times) note_places();
  slots_ = slot_storage(rt.machine, plan_);
  adopt_buffers(rt, as != role::whole);
  make_requirements();
  // What parameters stand for is known when the graph is launched.
  if (has_parameters_ || as == role::inner) {
    allocate_buffers(rt);
  } else {
    allocate_entry(rt);
    instantiate(rt);
  }
  rt.replays.add(*this);
  log_info("graph of {} commands planned: {} steps, {} transfers in the body",
           recorded_.commands.size(), plan_.steps.size(), transfers_);
}

void executable_graph::take_plan(process& rt, bool is_update) {
  choices_ = find_choices(rt, recorded_, wanted_.placing);
  found_plan found = find_plan(rt, recorded_, wanted_, is_update,
                               [this](model::buffer_id b) { return name_of(b); });
  plan_ = std::move(found.plan);
  plan_was_stored_ = found.stored;
  if (found.parts) take_parts(*std::move(found.parts));
  if (!wanted_.placing.anywhere) return;
  for (const planner::step& s : plan_.steps)
    if (const auto* e = std::get_if<execute_step>(&s.action))
      recorded_.commands[e->command.value()].device = e->device;
}

void executable_graph::take_parts(split_snapshot made) {
  for (model::command& c : recorded_.commands) c.candidates = {};
  choices_.asked.clear();
  for (const model::command& c : made.parts.commands) choices_.asked.push_back(c.device);
  whole_ = std::make_unique<graph_snapshot>(std::exchange(recorded_, std::move(made.parts)));
  log_info("{} of {} commands run in parts, {} commands in all", made.kernels,
           whole_->commands.size(), recorded_.commands.size());
}

void executable_graph::count_transfers() {
  for (const auto& s : plan_.steps)
    if (const auto* t = std::get_if<transfer_step>(&s.action)) {
      const auto& info = recorded_.buffers[t->buffer.value()];
      ++transfers_;
      transferred_bytes_ += t->elements.count() * info.element_size;
      transferred_pages_ += info.grid.page_count(t->elements);
    }
}

bool executable_graph::ends_behind_calling_task(const process& rt) const noexcept {
  if (!in_host_task() || !lane_.valid()) return false;
  const model::step_id tail = rt.state.tail(lane_);
  if (rt.lanes.finished(tail)) return false;
  const lane_position end = rt.lanes.position_of(tail);
  return waits_for_own_task({&end, 1}) ||
         std::any_of(side_lanes_.begin(), side_lanes_.end(), [](const side_lane& side) {
           return &side.native->completion() == host::running_task().lane;
         });
}

void executable_graph::end(executable_graph* g) noexcept {
  const auto end_here = [](void* graph) { delete static_cast<executable_graph*>(graph); };
  process* const rt = process::started();
  const auto behind = [&] {
    std::lock_guard lock(rt->mutex);
    return g->ends_behind_calling_task(*rt);
  };
  if (rt != nullptr && behind())
    host::team::instance().run_detached(end_here, g);
  else
    end_here(g);
}

executable_graph::~executable_graph() {
  process* rt = process::started();
  if (rt != nullptr) {
    std::unique_lock lock(rt->mutex);
    if (rt->replays.were_last(*this)) rt->replays.settle(*rt);
    retell(*rt);
    if (lane_.valid()) {
      // Steps under way refer to this object.
      const model::step_id tail = rt->state.tail(lane_);
      if (!rt->lanes.finished(tail)) {
        const lane_position end = rt->lanes.position_of(tail);
        lock.unlock();
        wait_until_reached(*rt, {&end, 1});
        lock.lock();
      }
      rt->lanes.give_back_from_graph(lane_device_, lane_);
      rt->lanes.give_back(side_lanes_);
    }
    rt->replays.remove(*this);
    for (std::size_t i = 0; i < held_.size(); ++i)
      if (held_[i] != 0) {
        const model::buffer_id id = live_[i];
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

// Before anything runs on memory that something else has by then.
void executable_graph::check_memory() const {
  if (recorded_.memories.empty()) return;
  const auto misuses = planner::misuses_of_owned_memory(
      recorded_.commands, planner::command_edges(recorded_.commands, recorded_.buffers));
  for (const planner::memory_misuse& m : misuses) {
    const std::string text = fmt::format("command {} of the graph ('{}') {}", m.command,
                                         display_name(recorded_.commands[m.command]), m.what);
    if (m.certain)
      throw user_error(error_code::invalid,
                       text + "; order the commands with events or an in-order queue");
    log_warn("{}, if a pointer is what its arguments hold there", text);
  }
}

std::uint64_t executable_graph::owned_bytes() const {
  std::lock_guard lock(process::instance().mutex);
  std::uint64_t sum = 0;
  for (const auto& memory : recorded_.memories) sum += memory->bytes();
  sum += slots_.bytes();
  if (generations_ == nullptr || wanted_.options.in_flight == 1) return sum;
  for (const auto& g : generations_->all)
    if (g.get() != this) sum += g->slots_.bytes();
  return sum;
}

graph_memory_use executable_graph::memory_use(model::memory_id m) const {
  std::lock_guard lock(process::instance().mutex);
  for (const planner::memory_use& use : plan_.memories)
    if (use.memory == m) return {use.peak, use.block, use.apart, use.budget};
  return {};
}

std::string executable_graph::name_of(model::buffer_id b) const {
  const char* const label = b.value() < recorded_.labels.size() ? recorded_.labels[b.value()] : "";
  std::string name = fmt::format("buffer {}", b.value());
  if (*label != '\0') name += " ('" + std::string(label) + "')";
  return name;
}

// Each executable graph has its own: several of one graph may run at a time.
void executable_graph::make_staging(process& rt) {
  if (recorded_.staged.empty()) return;
  std::vector<planner::storage_request> requests;
  for (const recorder::staging& s : recorded_.staged) requests.push_back({s.bytes, s.in, s.out});
  const planner::storage_layout layout = planner::share_storage(
      requests, planner::command_edges(recorded_.commands, recorded_.buffers));
  staging_offsets_ = layout.offsets;
  const device_entry& host = rt.machine.device(rt.machine.host_device());
  void* pointer = nullptr;
  const executors::status status =
      host.owner->allocate(host.index, executors::memory_kind::host, layout.bytes, 0, pointer);
  if (!status.ok())
    throw user_error(status.code, status.reason +
                                      "; a graph's copies between devices of different "
                                      "backends go through memory of the host");
  staging_.reset(pointer, [&host](void* p) {
    pointer_registry::instance().remove(p);
    host.owner->deallocate(host.index, executors::memory_kind::host, p);
  });
  pointer_registry::instance().add(pointer, layout.bytes, usm_kind::host, rt.machine.host_device(),
                                   allocation_use::other);
}

void executable_graph::adopt_buffers(process& rt, bool ended_too) {
  for (std::size_t i = 0; i < recorded_.buffers.size(); ++i) {
    if (!ended_too) rt.buffers.living(recorded_.key(i));
    live_.push_back(buffer_table::id_of(recorded_.key(i)));
  }
  for (const model::buffer_id id : live_) ++rt.buffers[id].graph_uses;
  held_.assign(live_.size(), 1);
}

void executable_graph::allocate(process& rt, model::buffer_id b, model::memory_id m) {
  if (!rt.buffers[live_[b.value()]].parameter && !plan_.has_slots(b, m))
    rt.buffers.ensure_allocation(live_[b.value()], m);
}

void executable_graph::allocate_buffers(process& rt) {
  const std::vector<planner::memory_mask> memories =
      memories_of_buffers(rt.machine, recorded_, plan_);
  for (std::uint32_t i = 0; i < memories.size(); ++i)
    for (std::uint16_t m = 0; m < planner::max_memories; ++m)
      if ((memories[i] >> m & 1U) != 0) allocate(rt, model::buffer_id(i), model::memory_id(m));
  allocate_entry(rt);
}

void executable_graph::allocate_entry(process& rt) {
  for (const auto& e : plan_.contract)
    for (std::uint16_t m = 0; m < planner::max_memories; ++m) {
      if ((e.memories >> m & 1U) == 0) continue;
      allocate(rt, e.buffer, model::memory_id(m));
      if (rt.machine.staging_needed()) allocate(rt, e.buffer, model::host_memory);
    }
}

void executable_graph::make_requirements() {
  const auto add = [&](model::buffer_id plan, const model::requirement& r) {
    requirements_.push_back(r);
    requirements_.back().buffer = live_[plan.value()];
    required_.push_back(plan.value());
  };
  for (const auto& e : plan_.contract)
    for (std::uint16_t m = 0; m < planner::max_memories; ++m) {
      if ((e.memories >> m & 1U) == 0) continue;
      model::requirement r;
      r.mode = model::access_mode::read;
      r.memory = model::memory_id(m);
      r.elements = e.elements;
      add(e.buffer, r);
    }
  for (const auto& a : plan_.accesses) {
    // Reads are listed with their memories above.
    if (!a.written) continue;
    model::requirement r;
    r.mode = model::access_mode::write;
    r.no_init = true;
    r.memory = model::host_memory;
    r.elements = a.elements;
    add(a.buffer, r);
  }
}

void executable_graph::rebind(process& rt, model::buffer_id live) {
  if (!is_instantiated()) return;
  std::vector<std::uint32_t> steps;
  // What a launch has put in the place of a parameter may have ended, and its number be another buffer's by now.
  const buffer_key key = buffer_table::key_of(live, rt.buffers[live]);
  const bool bound =
      std::find(bound_.buffers.begin(), bound_.buffers.end(), key) != bound_.buffers.end();
  const auto touches = [&](model::buffer_id b) {
    return live_[b.value()] == live && (bound || held_[b.value()] != 0);
  };
  if (std::find(live_.begin(), live_.end(), live) == live_.end()) return;
  for (std::uint32_t i = 0; i < plan_.steps.size(); ++i) {
    const planner::step& s = plan_.steps[i];
    if (const auto* t = std::get_if<transfer_step>(&s.action)) {
      if (touches(t->buffer)) steps.push_back(i);
      continue;
    }
    const auto& needed =
        recorded_.commands[std::get<execute_step>(s.action).command.value()].requirements;
    if (std::any_of(needed.begin(), needed.end(), [&](const auto& r) { return touches(r.buffer); }))
      steps.push_back(i);
  }
  try {
    exchange_steps(rt, steps);
  } catch (const user_error& e) {
    log_warn("a graph could not be given a buffer's new address: {}", e.what());
  }
}

}  // namespace pianola::runtime
