// SPDX-License-Identifier: Apache-2.0
#include "replay/executable/executable.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include <pianola/host/running_task.hpp>
#include <pianola/host/team.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/command_edges.hpp>
#include <pianola/planner/owned_memory.hpp>
#include <pianola/planner/planning_state.hpp>
#include <pianola/planner/share_storage.hpp>

#include "commands/accessible_boxes.hpp"
#include "commands/addresses.hpp"
#include "commands/names.hpp"
#include "data/buffer_table.hpp"
#include "data/pointer_registry.hpp"
#include "execute/native_access.hpp"
#include "execute/own_waits.hpp"
#include "execute/waiting.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "recording/eager_recorder.hpp"
#include "recording/graph_times.hpp"
#include "replay/executable/control.hpp"
#include "replay/executable/replay_table.hpp"
#include "replay/recorded/kernel_footprints.hpp"
#include "support/log.hpp"

namespace pianola::runtime {

using executors::lane_position;
using model::error_code;
using model::user_error;
using planner::execute_step;
using planner::transfer_step;

std::shared_ptr<executable_graph> executable_graph::make(graph::snapshot recorded,
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
    graph::snapshot recorded, model::device_id device, planner::plan plan,
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

std::shared_ptr<executable_graph> executable_graph::make_part(graph::snapshot recorded,
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

std::shared_ptr<executable_graph> executable_graph::begin(graph::snapshot recorded,
                                                          model::device_id device) {
  const std::shared_ptr<executable_graph> g(new executable_graph, &executable_graph::end);
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
  if (!has_parameters_ && as != role::inner) instantiate(rt);
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
  whole_ = std::make_unique<graph::snapshot>(std::exchange(recorded_, std::move(made.parts)));
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
  allocate_buffers(rt);
  for (const model::buffer_id id : live_) ++rt.buffers[id].graph_uses;
  held_.assign(live_.size(), 1);
}

// All memory that any replay will need: nothing can run out in the middle of a graph.
void executable_graph::allocate_buffers(process& rt) {
  const std::vector<planner::memory_mask> memories =
      memories_of_buffers(rt.machine, recorded_, plan_);
  const auto allocate = [&](model::buffer_id b, model::memory_id m) {
    if (!rt.buffers[live_[b.value()]].parameter && !plan_.has_slots(b, m))
      rt.buffers.ensure_allocation(live_[b.value()], m);
  };
  for (std::uint32_t i = 0; i < memories.size(); ++i)
    for (std::uint16_t m = 0; m < planner::max_memories; ++m)
      if ((memories[i] >> m & 1U) != 0) allocate(model::buffer_id(i), model::memory_id(m));
  for (const auto& e : plan_.contract)
    for (std::uint16_t m = 0; m < planner::max_memories; ++m) {
      if ((e.memories >> m & 1U) == 0) continue;
      allocate(e.buffer, model::memory_id(m));
      if (rt.machine.staging_needed()) allocate(e.buffer, model::host_memory);
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

model::memory_id executable_graph::memory_of(process& rt, const model::command& command,
                                             std::uint32_t requirement) const {
  const model::requirement& r = command.requirements[requirement];
  return r.memory.valid() ? r.memory : rt.machine.memory_of(command.device);
}

void* executable_graph::address_of(process& rt, model::buffer_id buffer, model::memory_id memory,
                                   std::size_t step) const {
  void* const slot = plan_.slots.empty() ? nullptr : slots_.address(plan_, buffer, memory, step);
  return slot != nullptr ? slot : rt.buffers.ensure_allocation(live_[buffer.value()], memory);
}

void executable_graph::patch(process& rt, std::size_t step, void* bytes) const {
  const auto& e = std::get<execute_step>(plan_.steps[step].action);
  const model::command& command = recorded_.commands[e.command.value()];
  model::array_view<const model::argument_slot> slots;
  if (const auto* k = std::get_if<model::kernel_command>(&command.payload)) slots = k->slots;
  if (const auto* t = std::get_if<model::host_task_command>(&command.payload)) slots = t->slots;
  for (const model::argument_slot& slot : slots) {
    if (slot.what != model::argument_slot::kind::buffer) continue;
    const model::requirement& r = command.requirements[slot.requirement];
    auto address = reinterpret_cast<std::uintptr_t>(
        address_of(rt, r.buffer, memory_of(rt, command, slot.requirement), step));
    address += slot.byte_offset;
    std::memcpy(static_cast<unsigned char*>(bytes) + slot.offset, &address, sizeof address);
  }
  if (!bound_.memory.empty()) uses_->write_arguments(e.command.value(), bytes, bound_.memory);
}

namespace {

// What a command's requirements mean for a step.
template <class Address, class Memory>
class step_addresses final : public address_book {
 public:
  step_addresses(Address address, Memory memory) : address_(address), memory_(memory) {}
  [[nodiscard]] void* address(std::uint32_t requirement) const override {
    return address_(requirement);
  }
  [[nodiscard]] model::memory_id memory(std::uint32_t requirement) const override {
    return memory_(requirement);
  }

 private:
  Address address_;
  Memory memory_;
};

}  // namespace

void executable_graph::resolve(process& rt, const planner::step& s,
                               executors::resolved_action& action) {
  const auto step = static_cast<std::size_t>(&s - plan_.steps.data());
  if (const auto* t = std::get_if<transfer_step>(&s.action)) {
    action = copy_of_box(recorded_.buffers[t->buffer.value()], t->elements,
                         address_of(rt, t->buffer, t->to, step), t->to,
                         address_of(rt, t->buffer, t->from, step), t->from);
    return;
  }
  const auto& e = std::get<execute_step>(s.action);
  const model::command& command = recorded_.commands[e.command.value()];
  const auto memory = [&](std::uint32_t requirement) {
    return memory_of(rt, command, requirement);
  };
  const step_addresses addresses(
      [&](std::uint32_t requirement) {
        return address_of(rt, command.requirements[requirement].buffer, memory(requirement), step);
      },
      memory);
  // Every instantiated step works on its own copy of the arguments, with addresses filled in.
  const auto copy_arguments = [&](const model::argument_block& source) {
    model::argument_block own = source;
    if (source.size == 0) return own;
    own_arguments& kept = arguments_[step];
    if (kept.bytes() == nullptr && source.operations != nullptr) {
      kept = own_arguments(source);
    } else if (kept.bytes() == nullptr) {
      kept = own_arguments(arena_.allocate(source.size, source.alignment));
      std::memcpy(kept.bytes(), source.bytes, source.size);
    }
    own.bytes = kept.bytes();
    patch(rt, step, own.bytes);
    return own;
  };
  if (const auto* k = std::get_if<model::kernel_command>(&command.payload)) {
    auto& r = action.emplace<executors::resolved_kernel>();
    r.kernel = k->kernel;
    r.geometry = k->geometry;
    r.local_memory_bytes = k->local_memory_bytes;
    r.arguments = copy_arguments(k->arguments);
    // They come one kind after the other, those of buffers first.
    const auto of_kind = [k](model::argument_slot::kind what) {
      if (k->slots.empty() || k->slots.back().what == model::argument_slot::kind::buffer)
        return model::array_view<const model::argument_slot>();
      const auto* const first = std::find_if(k->slots.begin(), k->slots.end(),
                                             [&](const auto& slot) { return slot.what == what; });
      const auto* const end =
          std::find_if(first, k->slots.end(), [&](const auto& slot) { return slot.what != what; });
      return model::array_view<const model::argument_slot>(first,
                                                           static_cast<std::size_t>(end - first));
    };
    r.local_slots = of_kind(model::argument_slot::kind::local_memory);
    r.texture_slots = of_kind(model::argument_slot::kind::texture);
    if (k->kernel->checks_accesses) [[unlikely]] {
      std::vector<model::accessible_box>& boxes = accessible_[step];
      boxes.clear();
      find_accessible_boxes(
          k->slots, command.requirements,
          [&](model::buffer_id b) -> const model::buffer_info& {
            return recorded_.buffers[b.value()];
          },
          boxes);
      r.accessible = boxes;
    }
  } else if (const auto* task = std::get_if<model::host_task_command>(&command.payload)) {
    auto& r = action.emplace<executors::resolved_host_task>();
    r.invoke = task->invoke;
    r.invoke_with_access = task->invoke_with_access;
    r.enqueues = task->enqueues;
    r.arguments = copy_arguments(task->arguments);
    give_access(rt.lanes, task->queue_device.valid() ? task->queue_device : device_, action);
  } else if (const auto* copy = std::get_if<model::copy_command>(&command.payload)) {
    model::copy_command located = *copy;
    if (!bound_.memory.empty()) {
      located.source.pointer = uses_->translate(copy->source.pointer, bound_.memory);
      located.destination.pointer = uses_->translate(copy->destination.pointer, bound_.memory);
    }
    executors::resolved_copy r = resolve_copy(located, addresses);
    for (std::size_t i = 0; i < recorded_.staged.size(); ++i) {
      void* const at = static_cast<unsigned char*>(staging_.get()) + staging_offsets_[i];
      if (recorded_.staged[i].in == e.command.value()) r.destination = at;
      if (recorded_.staged[i].out == e.command.value()) r.source = at;
    }
    action = r;
  } else if (std::holds_alternative<model::subgraph_command>(command.payload)) {
    action = resolve_control(rt, step);
  } else if (const auto* fill = std::get_if<model::fill_command>(&command.payload)) {
    model::fill_command located = *fill;
    if (!bound_.memory.empty())
      located.destination.pointer = uses_->translate(fill->destination.pointer, bound_.memory);
    action = resolve_fill(located, addresses);
  } else if (executors::resolved_fill zeroed; zeroes(command.payload, zeroed)) {
    action = zeroed;
  }
}

bool executable_graph::begins_with(model::buffer_id b, std::ptrdiff_t step) const {
  if (!recorded_.buffers[b.value()].temporary || plan_.slots.empty()) return false;
  auto slot = std::partition_point(plan_.slots.begin(), plan_.slots.end(),
                                   [&](const auto& other) { return other.buffer < b; });
  for (; slot != plan_.slots.end() && slot->buffer == b; ++slot)
    if (slot->first < step) return false;
  return true;
}

std::size_t executable_graph::own_argument_bytes(const planner::step& s) const {
  const auto* const e = std::get_if<execute_step>(&s.action);
  if (e == nullptr) return 0;
  const model::command_payload& payload = recorded_.commands[e->command.value()].payload;
  const model::argument_block* a = nullptr;
  if (const auto* k = std::get_if<model::kernel_command>(&payload)) a = &k->arguments;
  if (const auto* t = std::get_if<model::host_task_command>(&payload)) a = &t->arguments;
  return a == nullptr || a->operations != nullptr ? 0 : a->size + a->alignment;
}

std::size_t executable_graph::context_bytes(const planner::step& s) const {
  const auto* const e = std::get_if<execute_step>(&s.action);
  const std::size_t touched =
      e == nullptr ? 1 : recorded_.commands[e->command.value()].requirements.size();
  return sizeof(step_context) + touched * sizeof(touched_box);
}

void executable_graph::make_context(process& rt, const planner::step& s, std::byte* at) {
  std::byte* const begin = std::exchange(at, at + sizeof(step_context));
  step_context context;
  context.replay = running_.get();
  const bool one_memory = !rt.machine.has_several_memories();
  const auto touch = [&](model::buffer_id plan_id) -> touched_box& {
    touched_box& t = *new (at) touched_box;
    at += sizeof t;
    ++context.touched_count;
    t.buffer = live_[plan_id.value()];
    t.generation = rt.buffers[t.buffer].generation;
    t.before = planner::mask_of(model::host_memory);
    // Within a graph only a single memory leaves no question where the old data is.
    t.uniform = one_memory;
    return t;
  };
  if (const auto* move = std::get_if<transfer_step>(&s.action)) {
    context.transfer = true;
    context.transfer_to = move->to;
    touched_box& t = touch(move->buffer);
    t.memory = move->from;
    t.reads = true;
    t.elements = move->elements;
  } else {
    const model::command& command =
        recorded_.commands[std::get<execute_step>(s.action).command.value()];
    if (times_ != nullptr && !times_->of_launches)
      context.least_time = &times_->least[std::get<execute_step>(s.action).command.value()];
    if (places_ != nullptr) context.command = std::get<execute_step>(s.action).command.value();
    const model::memory_id here = rt.machine.memory_of(command.device);
    for (const model::requirement& r : command.requirements) {
      touched_box& t = touch(r.buffer);
      t.memory = r.memory.valid() ? r.memory : here;
      // The first to use a temporary buffer finds nothing, so what went wrong in another replay does not matter.
      const bool fresh = begins_with(r.buffer, &s - plan_.steps.data());
      t.reads = r.needs_data() && !fresh;
      t.writes = writes(r.mode);
      t.replaces = r.no_init || fresh;
      if (t.reads && t.writes && !one_memory) {
        // Whatever there was before, it has been brought there.
        t.before = planner::mask_of(t.memory);
        t.uniform = true;
      }
      t.elements = r.no_init ? r.elements
                             : recorded_.buffers[r.buffer.value()].grid.page_aligned(r.elements);
    }
  }
  std::memcpy(begin, static_cast<const void*>(&context), sizeof context);
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

// New addresses, and contexts that name the buffers.
void executable_graph::exchange_steps(process& rt, const std::vector<std::uint32_t>& steps) {
  struct change {
    std::vector<std::uint32_t> indices;
    std::vector<executors::graph_step> steps;
  };
  std::vector<change> changes(segments_.size());
  for (const std::uint32_t i : steps) {
    write_context(rt, i);
    const std::uint32_t segment = cut_.segment_of[i], index = cut_.index_of[i];
    changes[segment].indices.push_back(index);
    executors::graph_step& s = changes[segment].steps.emplace_back();
    resolve(rt, plan_.steps[i], s.action);
    s.context = segments_[segment].context_of(index);
  }
  executors::status failure;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    if (changes[i].indices.empty()) continue;
    executors::status status =
        segments_[i].owner->update(*segments_[i].native, changes[i].indices, changes[i].steps);
    if (failure.ok()) failure = std::move(status);
  }
  if (!failure.ok()) throw user_error(failure.code, failure.reason);
}

// The step's context names the buffers that it touches now.
void executable_graph::write_context(process& rt, std::uint32_t step) {
  native_segment& segment = segments_[cut_.segment_of[step]];
  std::byte* at =
      segment.contexts.get() + segment.context_at[cut_.index_of[step]] + sizeof(step_context);
  const auto name = [&](model::buffer_id plan_id) {
    touched_box t;
    std::memcpy(static_cast<void*>(&t), at, sizeof t);
    t.buffer = live_[plan_id.value()];
    t.generation = rt.buffers[t.buffer].generation;
    std::memcpy(at, static_cast<const void*>(&t), sizeof t);
    at += sizeof t;
  };
  const planner::step& s = plan_.steps[step];
  if (const auto* t = std::get_if<transfer_step>(&s.action)) return name(t->buffer);
  for (const model::requirement& r :
       recorded_.commands[std::get<execute_step>(s.action).command.value()].requirements)
    name(r.buffer);
}

}  // namespace pianola::runtime
