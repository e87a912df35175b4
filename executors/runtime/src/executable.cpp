// SPDX-License-Identifier: Apache-2.0
#include "executable.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include <pianola/host/running_task.hpp>
#include <pianola/host/team.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/command_edges.hpp>
#include <pianola/planner/owned_memory.hpp>
#include <pianola/planner/share_storage.hpp>

#include "log.hpp"
#include "own_waits.hpp"
#include "pointers.hpp"

namespace pianola::runtime {

using executors::lane_position;
using model::error_code;
using model::user_error;
using planner::execute_step;
using planner::transfer_step;

std::shared_ptr<executable_graph> executable_graph::make(graph::snapshot recorded,
                                                         model::device_id device) {
  core& c = core::instance();
  const std::shared_ptr<executable_graph> g(new executable_graph, &executable_graph::end);
  g->recorded_ = std::move(recorded);
  g->device_ = device;
  g->origin_ = g->recorded_.storage;
  g->place_ = g->recorded_.place;
  g->recorded_.refer();
  g->check_memory();
  g->make_staging(c);
  g->plan_ = planner::make_plan(g->recorded_.commands, g->recorded_.buffers, c.whole_topology());
  g->plan_.graph_hash = g->recorded_.hash;
  for (const auto& s : g->plan_.steps)
    if (const auto* t = std::get_if<transfer_step>(&s.action)) {
      const auto& info = g->recorded_.buffers[t->buffer.value()];
      ++g->transfers_;
      g->transferred_bytes_ += t->elements.count() * info.element_size;
      g->transferred_pages_ += info.grid.page_count(t->elements);
    }
  std::lock_guard lock(c.mutex);
  g->adopt_buffers(c);
  g->instantiate(c);
  c.executables.push_back(g.get());
  log_info("graph of {} commands planned: {} steps, {} transfers in the body",
           g->recorded_.commands.size(), g->plan_.steps.size(), g->transfers_);
  return g;
}

bool executable_graph::ends_behind_calling_task(const core& c) const noexcept {
  if (!in_host_task() || !lane_.valid()) return false;
  const model::step_id tail = c.state.tail(lane_);
  if (c.finished(tail)) return false;
  const lane_position end = c.position_of(tail);
  return waits_for_own_task({&end, 1}) ||
         std::any_of(side_lanes_.begin(), side_lanes_.end(), [](const side_lane& side) {
           return &side.native->completion() == host::running_task().lane;
         });
}

void executable_graph::end(executable_graph* g) noexcept {
  const auto end_here = [](void* graph) { delete static_cast<executable_graph*>(graph); };
  core* const c = core::started();
  const auto behind = [&] {
    std::lock_guard lock(c->mutex);
    return g->ends_behind_calling_task(*c);
  };
  if (c != nullptr && behind())
    host::team::instance().run_detached(end_here, g);
  else
    end_here(g);
}

executable_graph::~executable_graph() {
  core* c = core::started();
  if (c != nullptr) {
    std::unique_lock lock(c->mutex);
    if (c->last_replayed == this) c->settle_replays();
    if (lane_.valid()) {
      // Steps under way refer to this object.
      const model::step_id tail = c->state.tail(lane_);
      if (!c->finished(tail)) {
        const lane_position end = c->position_of(tail);
        lock.unlock();
        c->wait({&end, 1});
        lock.lock();
      }
      if (c->free_graph_lanes.size() <= lane_device_.value())
        c->free_graph_lanes.resize(lane_device_.value() + 1);
      c->free_graph_lanes[lane_device_.value()].push_back(lane_);
      c->free_side_lanes.insert(c->free_side_lanes.end(), side_lanes_.begin(), side_lanes_.end());
    }
    c->executables.erase(std::remove(c->executables.begin(), c->executables.end(), this),
                         c->executables.end());
    if (adopted_)
      for (const model::buffer_id id : live_) {
        buffer_entry& b = c->buffers[id.value()];
        if (--b.graph_uses != 0 || b.alive) continue;
        // The program's buffer ended before.
        std::vector<model::step_id> steps;
        c->state.conflicting_steps(id, model::box::of(b.info.grid.range()), true, steps);
        std::vector<lane_position> users;
        for (const model::step_id s : steps)
          if (!c->finished(s)) users.push_back(c->position_of(s));
        c->retired.push_back({std::move(users), b.allocations});
        c->release_buffer_slot(id);
      }
    c->collect_retired();
  }
}

// Before anything runs on memory that something else has by then.
void executable_graph::check_memory() const {
  if (recorded_.memories.empty()) return;
  const auto misuses = planner::misuses_of_owned_memory(
      recorded_.commands, planner::command_edges(recorded_.commands, recorded_.buffers));
  for (const planner::memory_misuse& m : misuses) {
    const std::string text = "command " + std::to_string(m.command) + " of the graph ('" +
                             display_name(recorded_.commands[m.command]) + "') " + m.what;
    if (m.certain)
      throw user_error(error_code::invalid,
                       text + "; order the commands with events or an in-order queue");
    log_warn("{}, if a pointer is what its arguments hold there", text);
  }
}

std::uint64_t executable_graph::owned_bytes() const {
  std::lock_guard lock(core::instance().mutex);
  std::uint64_t sum = 0;
  for (const auto& memory : recorded_.memories) sum += memory->bytes();
  return sum;
}

// Each executable graph has its own: several of one graph may run at a time.
void executable_graph::make_staging(core& c) {
  if (recorded_.staged.empty()) return;
  std::vector<planner::storage_request> requests;
  for (const graph::staging& s : recorded_.staged) requests.push_back({s.bytes, s.in, s.out});
  const planner::storage_layout layout = planner::share_storage(
      requests, planner::command_edges(recorded_.commands, recorded_.buffers));
  staging_offsets_ = layout.offsets;
  const device_entry& host = c.devices[c.host_device.value()];
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
  pointer_registry::instance().add(pointer, layout.bytes, usm_kind::host, c.host_device, false);
}

void executable_graph::adopt_buffers(core& c) {
  for (const buffer_key key : recorded_.keys) {
    c.living(key);
    live_.push_back(core::id_of(key));
  }
  // All memory that any replay will need: nothing can run out in the middle of a graph.
  const auto need = [&](model::buffer_id b, model::memory_id m) {
    c.ensure_allocation(live_[b.value()], m);
  };
  for (const auto& command : recorded_.commands)
    for (std::uint32_t i = 0; i < command.requirements.size(); ++i)
      need(command.requirements[i].buffer, memory_of(c, command, i));
  for (const auto& s : plan_.steps)
    if (const auto* t = std::get_if<transfer_step>(&s.action)) {
      need(t->buffer, t->from);
      need(t->buffer, t->to);
    }
  for (const model::buffer_id id : live_) ++c.buffers[id.value()].graph_uses;
  adopted_ = true;

  for (const auto& e : plan_.contract)
    for (std::uint16_t m = 0; m < planner::max_memories; ++m) {
      if ((e.memories >> m & 1U) == 0) continue;
      model::requirement r;
      r.buffer = live_[e.buffer.value()];
      r.mode = model::access_mode::read;
      r.memory = model::memory_id(m);
      r.elements = e.elements;
      need(e.buffer, r.memory);
      if (c.staging_needed) need(e.buffer, model::host_memory);
      requirements_.push_back(r);
    }
  for (const auto& a : plan_.accesses) {
    model::requirement r;
    r.buffer = live_[a.buffer.value()];
    r.mode = a.written ? model::access_mode::write : model::access_mode::read;
    r.no_init = a.written;
    // Reads are listed with their memories above.
    if (!a.written) continue;
    r.memory = model::host_memory;
    r.elements = a.elements;
    requirements_.push_back(r);
  }
}

model::memory_id executable_graph::memory_of(core& c, const model::command& command,
                                             std::uint32_t requirement) const {
  const model::requirement& r = command.requirements[requirement];
  return r.memory.valid() ? r.memory : c.topology.memory_of(command.device);
}

void executable_graph::patch(core& c, const execute_step& e, void* bytes) const {
  const model::command& command = recorded_.commands[e.command.value()];
  model::array_view<const model::argument_slot> slots;
  if (const auto* k = std::get_if<model::kernel_command>(&command.payload)) slots = k->slots;
  if (const auto* t = std::get_if<model::host_task_command>(&command.payload)) slots = t->slots;
  for (const model::argument_slot& slot : slots) {
    if (slot.what != model::argument_slot::kind::buffer) continue;
    const model::requirement& r = command.requirements[slot.requirement];
    auto address = reinterpret_cast<std::uintptr_t>(
        c.ensure_allocation(live_[r.buffer.value()], memory_of(c, command, slot.requirement)));
    address += slot.byte_offset;
    std::memcpy(static_cast<unsigned char*>(bytes) + slot.offset, &address, sizeof address);
  }
}

namespace {

class graph_addresses final : public address_book {
 public:
  graph_addresses(core& c, const model::command& command, const std::vector<model::buffer_id>& live)
      : core_(c), command_(command), live_(live) {}
  [[nodiscard]] void* address(std::uint32_t requirement) const override {
    const model::requirement& r = command_.requirements[requirement];
    return core_.ensure_allocation(live_[r.buffer.value()], memory(requirement));
  }
  [[nodiscard]] model::memory_id memory(std::uint32_t requirement) const override {
    const model::requirement& r = command_.requirements[requirement];
    return r.memory.valid() ? r.memory : core_.topology.memory_of(command_.device);
  }

 private:
  core& core_;
  const model::command& command_;
  const std::vector<model::buffer_id>& live_;
};

}  // namespace

executors::resolved_action executable_graph::resolve(core& c, const planner::step& s) {
  executors::resolved_action action;
  if (const auto* t = std::get_if<transfer_step>(&s.action)) {
    const model::buffer_id id = live_[t->buffer.value()];
    action = copy_of_box(c.buffers[id.value()].info, t->elements, c.ensure_allocation(id, t->to),
                         t->to, c.ensure_allocation(id, t->from), t->from);
    return action;
  }
  const auto& e = std::get<execute_step>(s.action);
  const model::command& command = recorded_.commands[e.command.value()];
  // Every instantiated step works on its own copy of the arguments, with addresses filled in.
  const auto copy_arguments = [&](const model::argument_block& source) {
    model::argument_block own = source;
    if (source.size == 0) return own;
    own_arguments& kept = arguments_[static_cast<std::size_t>(&s - plan_.steps.data())];
    if (kept.bytes() == nullptr && source.operations != nullptr) {
      kept = own_arguments(source);
    } else if (kept.bytes() == nullptr) {
      kept = own_arguments(arena_.allocate(source.size, source.alignment));
      std::memcpy(kept.bytes(), source.bytes, source.size);
    }
    own.bytes = kept.bytes();
    patch(c, e, own.bytes);
    return own;
  };
  if (const auto* k = std::get_if<model::kernel_command>(&command.payload)) {
    auto& r = action.emplace<executors::resolved_kernel>();
    r.kernel = k->kernel;
    r.geometry = k->geometry;
    r.local_memory_bytes = k->local_memory_bytes;
    r.arguments = copy_arguments(k->arguments);
    // They come one kind after the other.
    const auto of_kind = [k](model::argument_slot::kind what) {
      const auto* const first = std::find_if(k->slots.begin(), k->slots.end(),
                                             [&](const auto& slot) { return slot.what == what; });
      const auto* const end =
          std::find_if(first, k->slots.end(), [&](const auto& slot) { return slot.what != what; });
      return model::array_view<const model::argument_slot>(first,
                                                           static_cast<std::size_t>(end - first));
    };
    r.local_slots = of_kind(model::argument_slot::kind::local_memory);
    r.texture_slots = of_kind(model::argument_slot::kind::texture);
  } else if (const auto* task = std::get_if<model::host_task_command>(&command.payload)) {
    auto& r = action.emplace<executors::resolved_host_task>();
    r.invoke = task->invoke;
    r.invoke_with_access = task->invoke_with_access;
    r.enqueues = task->enqueues;
    r.arguments = copy_arguments(task->arguments);
    give_access(c, task->queue_device.valid() ? task->queue_device : device_, action);
  } else if (const auto* copy = std::get_if<model::copy_command>(&command.payload)) {
    executors::resolved_copy r = resolve_copy(*copy, graph_addresses(c, command, live_));
    for (std::size_t i = 0; i < recorded_.staged.size(); ++i) {
      void* const at = static_cast<unsigned char*>(staging_.get()) + staging_offsets_[i];
      if (recorded_.staged[i].in == e.command.value()) r.destination = at;
      if (recorded_.staged[i].out == e.command.value()) r.source = at;
    }
    action = r;
  } else if (const auto* fill = std::get_if<model::fill_command>(&command.payload)) {
    action = resolve_fill(*fill, graph_addresses(c, command, live_));
  } else if (executors::resolved_fill zeroed; zeroes(command.payload, zeroed)) {
    action = zeroed;
  }
  return action;
}

std::vector<std::byte> executable_graph::context_of(core& c, const planner::step& s) {
  std::vector<touched_box> touched;
  step_context context;
  context.replay = running_.get();
  const bool one_memory = c.topology.memories.size() == 1;
  const auto touch = [&](model::buffer_id plan_id) -> touched_box& {
    touched_box& t = touched.emplace_back();
    t.buffer = live_[plan_id.value()];
    t.generation = c.buffers[t.buffer.value()].generation;
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
    for (std::uint32_t i = 0; i < command.requirements.size(); ++i) {
      const model::requirement& r = command.requirements[i];
      touched_box& t = touch(r.buffer);
      t.memory = memory_of(c, command, i);
      t.reads = r.needs_data();
      t.writes = writes(r.mode);
      t.replaces = r.no_init;
      if (t.reads && t.writes && !one_memory) {
        // Whatever there was before, it has been brought there.
        t.before = planner::mask_of(t.memory);
        t.uniform = true;
      }
      t.elements = r.no_init ? r.elements
                             : recorded_.buffers[r.buffer.value()].grid.page_aligned(r.elements);
    }
  }
  context.touched_count = static_cast<std::uint32_t>(touched.size());
  std::vector<std::byte> bytes(sizeof context + touched.size() * sizeof(touched_box));
  std::memcpy(bytes.data(), static_cast<const void*>(&context), sizeof context);
  if (!touched.empty())
    std::memcpy(bytes.data() + sizeof context, static_cast<const void*>(touched.data()),
                touched.size() * sizeof(touched_box));
  return bytes;
}

void executable_graph::rebind(core& c, model::buffer_id live) {
  if (std::find(live_.begin(), live_.end(), live) == live_.end()) return;
  struct change {
    std::vector<std::uint32_t> indices;
    std::vector<executors::graph_step> steps;
  };
  std::vector<change> changes(parts_.size());
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    const planner::step& s = plan_.steps[i];
    bool touches = false;
    if (const auto* t = std::get_if<transfer_step>(&s.action))
      touches = live_[t->buffer.value()] == live;
    else
      for (const auto& r :
           recorded_.commands[std::get<execute_step>(s.action).command.value()].requirements)
        touches = touches || live_[r.buffer.value()] == live;
    if (!touches) continue;
    change& of_part = changes[cut_.segment_of[i]];
    of_part.indices.push_back(cut_.index_of[i]);
    of_part.steps.emplace_back().action = resolve(c, s);
  }
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (changes[i].indices.empty()) continue;
    const executors::status status =
        parts_[i].owner->update(*parts_[i].native, changes[i].indices, changes[i].steps);
    if (!status.ok())
      log_warn("a graph could not be given a buffer's new address: {}", status.reason);
  }
}

void rebind_graphs(core& c, model::buffer_id live) {
  for (executable_graph* g : c.executables) g->rebind(c, live);
}

}  // namespace pianola::runtime
