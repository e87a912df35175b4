// SPDX-License-Identifier: Apache-2.0
#include "executable.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include <pianola/host/clock.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/command_edges.hpp>
#include <pianola/planner/share_storage.hpp>

#include "event_record.hpp"
#include "log.hpp"
#include "pointers.hpp"
#include "queue_impl.hpp"

namespace pianola::runtime {

using executors::lane_position;
using model::error_code;
using model::user_error;
using planner::execute_step;
using planner::transfer_step;

std::shared_ptr<executable_graph> executable_graph::make(graph::snapshot recorded,
                                                         model::device_id device) {
  core& c = core::instance();
  auto g = std::make_shared<executable_graph>();
  g->recorded_ = std::move(recorded);
  g->device_ = device;
  // Vectors move with the snapshot, but views into them do not follow by themselves.
  for (std::size_t i = 0; i < g->recorded_.after.size(); ++i)
    g->recorded_.commands[i].after = g->recorded_.after[i];
  g->make_staging(c);
  g->plan_ = planner::make_plan(g->recorded_.commands, g->recorded_.buffers, c.topology);
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
  for (auto it = objects_.rbegin(); it != objects_.rend(); ++it)
    it->operations->destroy(it->object);
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
    void*& kept = arguments_[static_cast<std::size_t>(&s - plan_.steps.data())];
    if (kept == nullptr) {
      kept = arena_.allocate(source.size, source.alignment);
      if (source.operations == nullptr) {
        std::memcpy(kept, source.bytes, source.size);
      } else {
        source.operations->copy(kept, source.bytes);
        objects_.push_back({kept, source.operations});
      }
    }
    own.bytes = kept;
    patch(c, e, kept);
    return own;
  };
  if (const auto* k = std::get_if<model::kernel_command>(&command.payload)) {
    auto& r = action.emplace<executors::resolved_kernel>();
    r.kernel = k->kernel;
    r.geometry = k->geometry;
    r.local_memory_bytes = k->local_memory_bytes;
    r.arguments = copy_arguments(k->arguments);
    std::size_t first_local = 0;
    while (first_local < k->slots.size() &&
           k->slots[first_local].what == model::argument_slot::kind::buffer)
      ++first_local;
    r.local_slots = {k->slots.data() + first_local, k->slots.size() - first_local};
  } else if (const auto* task = std::get_if<model::host_task_command>(&command.payload)) {
    auto& r = action.emplace<executors::resolved_host_task>();
    r.invoke = task->invoke;
    r.invoke_with_access = task->invoke_with_access;
    r.enqueues = task->enqueues;
    r.arguments = copy_arguments(task->arguments);
    give_access(c, device_, action);
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

// A replay of which some parts run and others were refused leaves nothing that could be trusted.
void executable_graph::spoil(core& c, const std::exception_ptr& cause) {
  if (c.begun_parts.empty()) return;
  for (const auto& a : plan_.accesses) {
    if (!a.written) continue;
    const model::buffer_id id = live_[a.buffer.value()];
    c.failures.add({id, c.buffers[id.value()].generation, a.elements, cause, true,
                    c.state.next_step(), 0, ~planner::memory_mask{0}});
  }
  c.replays_disturbed = true;
  if (!c.failures.empty()) c.attention.store(true, std::memory_order_seq_cst);
}

event executable_graph::replay(core& c, queue& q, const submission& s) {
  if (q.description().device != device_)
    throw user_error(error_code::invalid,
                     "the graph was finalized for another device than the queue's");
  const bool known = c.last_replayed == this && !c.replays_disturbed;
  if (!known) c.settle_replays();
  std::vector<std::uint64_t> after;
  const auto add = [&](model::step_id step) {
    if (step.valid() && step >= c.state.retired()) after.push_back(step.value());
  };
  for (const event& e : s.after) {
    if (e.record != nullptr && e.record->node.valid())
      throw user_error(error_code::invalid,
                       "a graph submitted to a device cannot wait for an event of a recording");
    add(e.step);
  }
  add(q.description().in_order ? q.last_step : q.barrier_step);

  model::command command;
  command.payload = model::subgraph_command{this, recorded_.commands.size()};
  // A replay right after a replay of the same graph finds everything as the plan left it.
  if (!known) command.requirements = requirements_;
  command.after = after;
  command.device = device_;
  command.lane = lane_;
  command.label = "graph";
  std::shared_ptr<event_record> record;
  event result;
  c.plan_and_transfer({&command, 1}, [&](model::step_id step, const planner::step& planned,
                                         model::array_view<const lane_position> waits) {
    if (q.description().profiling) {
      record = std::make_shared<event_record>();
      record->timed = true;
      record->submitted.store(host::nanoseconds_now(), std::memory_order_relaxed);
    }
    try {
      launch(c, planned, step, q.id(), record, waits);
    } catch (...) {
      spoil(c, std::current_exception());
      throw;
    }
    const lane_position at = c.position_of(step);
    result.step = step;
    result.lane = at.lane;
    result.position = at.position;
    result.record = record;
  });
  last_step_ = result.step;
  if (known)
    ++unsettled_;
  else
    planner::apply_exit_state(plan_, live_, c.state, result.step);
  c.last_replayed = this;
  q.add_tail(result.lane, result.position, result.step);
  q.last_step = result.step;
  if (q.description().in_order) q.last = result;
  ++c.counted.commands;
  ++c.counted.replays;
  c.counted.transfers += transfers_;
  c.counted.transferred_bytes += transferred_bytes_;
  c.counted.transferred_pages += transferred_pages_;
  return result;
}

void executable_graph::settle(core& c) {
  if (unsettled_ == 0) return;
  unsettled_ = 0;
  struct written_box {
    model::buffer_id buffer;
    model::box elements;
    planner::memory_mask valid;
  };
  std::vector<written_box> as_rolled_back;
  if (c.replays_disturbed)
    for (const model::requirement& r : requirements_)
      if (writes(r.mode))
        c.state.for_each_validity(r.buffer, r.elements,
                                  [&](const model::box& e, planner::memory_mask m) {
                                    as_rolled_back.push_back({r.buffer, e, m});
                                  });
  // An empty step on the graph's lane, after the last replay, stands for all of them.
  model::command command;
  command.payload = model::subgraph_command{this, recorded_.commands.size()};
  command.requirements = requirements_;
  command.device = device_;
  command.lane = lane_;
  const auto execute = [&](model::step_id step, const planner::step& planned,
                           model::array_view<const lane_position> waits) {
    step_context context;
    context.step = step;
    executors::step_submission out;
    out.waits = waits;
    out.context = {reinterpret_cast<const std::byte*>(&context), sizeof context};
    lane_entry& l = c.lane(planned.lane);
    last_step_ = step;
    const executors::status status = l.owner->submit(*l.native, out);
    if (!status.ok()) throw user_error(status.code, status.reason);
  };
  try {
    c.plan_and_transfer({&command, 1}, execute);
  } catch (const user_error& e) {
    // The replays themselves were taken.
    log_warn("a graph's replays could not be settled: {}", e.what());
  }
  // The state is what the first of them left, except where a failure has rolled it back.
  if (as_rolled_back.empty())
    planner::apply_exit_state(plan_, live_, c.state, last_step_);
  else
    for (const written_box& b : as_rolled_back)
      c.state.set_validity(b.buffer, b.elements, b.valid, last_step_);
}

void core::settle_replays() {
  executable_graph* g = last_replayed;
  last_replayed = nullptr;
  if (g != nullptr) g->settle(*this);
  replays_disturbed = false;
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
