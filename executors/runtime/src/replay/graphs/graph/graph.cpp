// SPDX-License-Identifier: Apache-2.0
#include "replay/graphs/graph.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <pianola/model/error.hpp>
#include <pianola/model/payload_members.hpp>

#include "commands/command_groups.hpp"
#include "commands/copy_halves.hpp"
#include "commands/dynamic_memory.hpp"
#include "commands/launch_checks.hpp"
#include "commands/names.hpp"
#include "commands/narrow_modes.hpp"
#include "data/buffer_table.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "queues/event_record.hpp"
#include "queues/queue.hpp"
#include "recording/call_places.hpp"
#include "recording/eager_recorder.hpp"
#include "replay/executable/executable_graph.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

bool graph::begin(queue& q) {
  if (q.description().device != device_ && !multi_device_)
    throw user_error(error_code::invalid,
                     "the queue works on another device than the graph was made for");
  std::shared_ptr<graph> already;  // may be the last that holds it: goes without the locks
  std::lock_guard<std::mutex> lock(mutex_);
  process& rt = process::instance();
  std::lock_guard runtime_lock(rt.mutex);
  already = q.recording.lock();
  if (already.get() == this) return false;
  if (already != nullptr)
    throw user_error(error_code::invalid,
                     "the queue already records into another graph: end that recording first");
  q.recording = weak_from_this();
  q.has_recorded.store(true, std::memory_order_release);
  q.cut_by_waits.reset();
  if (leg_is_over_ != nullptr) q.cut_by_waits = shared_from_this();
  q.last_recorded_event = {};
  queues_.push_back(q.weak_from_this());
  return true;
}

void graph::ended(queue& q) {
  std::lock_guard<std::mutex> lock(mutex_);
  queues_.erase(std::remove_if(queues_.begin(), queues_.end(),
                               [&](const std::weak_ptr<queue>& w) {
                                 const auto p = w.lock();
                                 return p == nullptr || p.get() == &q;
                               }),
                queues_.end());
}

bool graph::is_recorded_by(const queue& q) const noexcept {
  const std::weak_ptr<const graph> self = weak_from_this();
  return !q.recording.owner_before(self) && !self.owner_before(q.recording);
}

bool graph::end_all() {
  std::vector<std::weak_ptr<queue>> queues;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    queues.swap(queues_);
  }
  bool any = false;
  std::vector<std::shared_ptr<queue>>
      held;  // the last of a queue calls its handler: without the lock
  held.reserve(queues.size());
  for (const auto& w : queues)
    if (auto q = w.lock()) held.push_back(std::move(q));
  process& rt = process::instance();
  std::lock_guard runtime_lock(rt.mutex);
  for (const auto& q : held)
    if (is_recorded_by(*q)) {
      q->recording.reset();
      any = true;
    }
  return any;
}

bool graph::recording_active() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return !queues_.empty();
}

bool graph::is_node(const event& e) const {
  return is_recorded(e) && e.record->recorded_in.lock().get() == this &&
         e.record->over == leg_is_over_;
}

graph::predecessors_of_events graph::follow(const submission& s) const {
  predecessors_of_events found;
  for (const event& e : s.after) {
    if (!is_recorded(e)) {
      if (status(e) != event_status::complete) found.outside.add(e);
      if (waits_in_each_launch_ && e.queue != event{}.queue) found.outside.add_queue(e.queue);
    } else if (is_node(e)) {
      found.nodes.push_back(e.record->node.value());
    } else if (e.record->recorded_in.lock().get() == this) {
      found.outside.add(last_leg_);  // of a leg that another thread is waiting for
    } else {
      throw user_error(error_code::invalid,
                       "a command of a graph depends on an event of another graph's recording, "
                       "whose command runs whenever that graph is submitted; depend on the event "
                       "of such a submission, or nest the one graph into the other");
    }
  }
  return found;
}

event graph::record(queue& q, submission& s, found_slots slots) {
  if (!s.device.valid()) s.device = q.description().device;
  if (slots.dynamic_memory) {
    lay_out_dynamic_memory(s);
    auto& kernel = std::get<model::kernel_command>(s.payload);
    kernel.local_memory_bytes = s.local_memory_bytes;
    check_launch(kernel, process::instance().machine.properties(s.device));
    slots = find_slots(s);
  }
  std::lock_guard<std::mutex> lock(mutex_);
  predecessors_of_events before = follow(s);
  std::vector<std::uint64_t>& after = before.nodes;
  check_parameters(s);
  recorder::queue_order& mine = recorded_by(q);
  const bool barrier = std::holds_alternative<model::barrier_command>(s.payload);
  const bool in_order = q.description().in_order;
  const bool closes = barrier && s.after.empty() && !in_order;
  mine.add_predecessors(recorded_, closes, after);
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  const model::command_id id = append(s, slots, std::move(after));
  outside_.add(before.outside);
  mine.note(id, barrier, closes);
  event e;
  e.record = std::make_shared<event_record>();
  e.record->recorded_in = weak_from_this();
  e.record->node = id;
  if (leg_is_over_ != nullptr) {
    e.record->cut_by_waits = shared_from_this();
    e.record->over = leg_is_over_;
  }
  if (in_order) {
    event before_it;  // ends without the lock
    process& rt = process::instance();
    const std::lock_guard runtime_lock(rt.mutex);
    before_it = std::exchange(q.last_recorded_event, e);
  }
  return e;
}

recorder::queue_order& graph::recorded_by(queue& q) {
  for (recorded_queue& known : recorded_queues_)
    if (known.id == q.id()) return known.order;
  recorded_queues_.erase(
      std::remove_if(recorded_queues_.begin(), recorded_queues_.end(),
                     [](const recorded_queue& known) { return known.is_of.expired(); }),
      recorded_queues_.end());
  const recorder::queue_order fresh(q.description().in_order);
  return recorded_queues_.emplace_back(recorded_queue{q.id(), q.weak_from_this(), fresh}).order;
}

model::command_id graph::add(submission& s, const found_slots& slots,
                             const std::vector<model::command_id>& nodes) {
  std::lock_guard<std::mutex> lock(mutex_);
  refuse_while_recording("add");
  predecessors_of_events before = follow(s);
  std::vector<std::uint64_t>& after = before.nodes;
  for (const model::command_id n : nodes) after.push_back(n.value());
  check_parameters(s);
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  const model::command_id id = append(s, slots, std::move(after));
  outside_.add(before.outside);
  return id;
}

model::command_id graph::add_captured(submission& s, const found_slots& slots,
                                      std::vector<std::uint64_t> after) {
  std::lock_guard<std::mutex> lock(mutex_);
  return append(s, slots, std::move(after));
}

model::command_id graph::append_child(const executable_graph& child,
                                      std::vector<std::uint64_t> after) {
  const graph::snapshot from = child.recorded();
  take_turns_with(from, after);
  const model::command_id last = recorded_.append_nested(from, device_, std::move(after));
  note_turn(from, last);
  return last;
}

// Addresses are those of the recording, so whoever uses the memory takes turns.
void graph::take_turns_with(const snapshot& nested, std::vector<std::uint64_t>& after) const {
  for (const auto& memory : nested.memories) {
    if (memory == memory_)
      throw user_error(error_code::invalid,
                       "a graph that allocates memory cannot be nested in the graph that it was "
                       "finalized from: both would work in the same memory");
    for (const nested_memory& m : nested_memories_)
      if (m.memory == memory) after.push_back(m.last);
  }
}

void graph::note_turn(const snapshot& nested, model::command_id last) {
  outside_.add(nested.outside);
  for (const auto& memory : nested.memories) {
    const auto known = std::find_if(nested_memories_.begin(), nested_memories_.end(),
                                    [&](const nested_memory& m) { return m.memory == memory; });
    if (known != nested_memories_.end())
      known->last = last.value();
    else
      nested_memories_.push_back({memory, last.value()});
  }
}

namespace {

// If graphs become files, labels say where commands are submitted. `storage` keeps the label.
void label_for_recording(model::command& command, std::string& storage) {
  const process& rt = process::instance();
  if (rt.recording == nullptr || !rt.recording->writes_files()) [[likely]]
    return;
  storage = at_place(label_for_files(command), call_place());
  command.label = storage.c_str();
}

}  // namespace

model::command_id graph::append(submission& s, const found_slots& slots,
                                std::vector<std::uint64_t> after) {
  if (s.graph != nullptr) return append_child(*s.graph, std::move(after));
  if (s.control != nullptr) return append_control(s, std::move(after));
  if (std::holds_alternative<model::copy_command>(s.payload)) {
    model::command located;
    located.payload = s.payload;
    located.label = s.label;
    const process& rt = process::instance();
    locate_pointers(rt.machine, located.payload);
    if (!find_reaching_device(rt.machine, located.payload, s.device.valid() ? s.device : device_)
             .device.valid()) {
      std::string label;
      label_for_recording(located, label);
      return append_copy_over_host(s, located, std::move(after));
    }
  }
  description made;
  describe(s, slots, made);
  made.command.after = after;
  for (const std::shared_ptr<void>& kept : s.kept_alive) recorded_.keep(kept);
  note_memory(made.command.payload, s,
              model::command_id(static_cast<std::uint32_t>(recorded_.size())));
  // What a part before this one has allocated stays where it is.
  if (const auto* const f = std::get_if<model::free_command>(&made.command.payload);
      f != nullptr && owned_.is_kept(f->allocation))
    made.command.payload = model::empty_command{};
  return recorded_.append(made.command);
}

void graph::add_requirements(const submission& s, const reaching_device& where,
                             model::memory_id memory, std::vector<model::requirement>& to) {
  process& rt = process::instance();
  std::lock_guard runtime_lock(rt.mutex);
  for (const accessor_request& a : s.accessors) {
    buffer_entry& b = rt.buffers.living(a.buffer);
    check_request(a, b.info);
    model::requirement r;
    r.buffer = recorded_.add_buffer(b.info, a.buffer.value() + 1, b.label.c_str());
    r.mode = a.mode;
    r.no_init = a.no_init && a.mode != model::access_mode::read;
    if (where.memory_of(a) != memory) r.memory = where.memory_of(a);
    r.elements = a.elements;
    to.push_back(r);
  }
}

// Arguments stay the submission's.
void graph::describe(submission& s, const found_slots& slots, description& to) {
  process& rt = process::instance();
  std::vector<model::requirement>& requirements = to.requirements;
  model::command& command = to.command;
  command.payload = s.payload;
  locate_pointers(rt.machine, command.payload);
  const reaching_device where =
      find_reaching_device(rt.machine, command.payload, s.device.valid() ? s.device : device_);
  if (!where.device.valid())
    throw user_error(
        error_code::feature_not_supported,
        "a node that copies between devices of different backends, by way of the host, "
        "cannot take the place of another node");
  command.device = where.device;
  command.label = s.label;
  const model::memory_id memory = rt.machine.memory_of(where.device);
  add_requirements(s, where, memory, requirements);
  narrow_modes(s.payload, slots, requirements);
  if (s.next != nullptr) note_requirements(s, requirements, memory);
  command.requirements = requirements;
  std::vector<model::argument_slot>& all_slots = to.slots;
  all_slots.assign(slots.buffers.begin(), slots.buffers.end());
  for (std::uint32_t i = 0; i < s.accessors.size(); ++i)
    if (s.accessors[i].host_address != nullptr && !holds_host_accessor(s, slots.buffers, i))
      all_slots.push_back({out_of_reach, model::argument_slot::kind::buffer, i, 0});
  all_slots.insert(all_slots.end(), slots.local.begin(), slots.local.end());
  all_slots.insert(all_slots.end(), slots.textures.begin(), slots.textures.end());
  if (auto* const arguments = model::arguments_of(command.payload))
    *arguments = s.arguments.block();
  if (auto* const own_slots = model::slots_of(command.payload)) *own_slots = all_slots;
  if (auto* k = std::get_if<model::kernel_command>(&command.payload))
    k->local_memory_bytes = s.local_memory_bytes;
  else if (auto* t = std::get_if<model::host_task_command>(&command.payload))
    t->queue_device = s.device.valid() ? s.device : device_;
  label_for_recording(command, to.label);
}

// Between devices of which neither reaches the other's memory, in two commands, which are one node.
model::command_id graph::append_copy_over_host(submission& s, const model::command& located,
                                               std::vector<std::uint64_t> after) {
  process& rt = process::instance();
  // Where each executable graph has memory for it.
  const copy_halves halves(std::get<model::copy_command>(located.payload), nullptr);
  const model::device_id device = s.device.valid() ? s.device : device_;
  recorder::staging between;
  between.bytes = halves.bytes;
  std::vector<model::requirement> requirements;
  const auto append_half = [&](const model::copy_command& half) {
    model::command command;
    command.payload = half;
    const reaching_device where = find_reaching_device(rt.machine, command.payload, device);
    command.device = where.device;
    command.label = located.label;
    command.after = after;
    const model::memory_id memory = rt.machine.memory_of(where.device);
    requirements.clear();
    add_requirements(s, where, memory, requirements);
    note_requirements(s, requirements, memory);
    command.requirements = requirements;
    return recorded_.append(command);
  };
  between.in = append_half(halves.in).value();
  after.assign(1, between.in);
  for (accessor_request& a : s.accessors) a.for_order = true;
  const model::command_id last = append_half(halves.out);
  between.out = last.value();
  recorded_.note_staged_copy(between);
  return last;
}

void graph::refuse_while_recording(const char* what) const {
  for (const auto& w : queues_)
    if (!w.expired())
      throw user_error(error_code::invalid,
                       std::string(what) +
                           ": a queue records into this graph; end_recording before the explicit "
                           "interface is used");
}

void graph::make_edge(model::command_id from, model::command_id to) {
  std::lock_guard<std::mutex> lock(mutex_);
  refuse_while_recording("make_edge");
  recorded_.make_edge(from, to);
}

std::size_t graph::size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return recorded_.size();
}

std::vector<recorder::command_edge> graph::edges() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return recorded_.edges();
}

std::vector<model::command_id> graph::predecessors(model::command_id id) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return recorded_.predecessors(id);
}

std::vector<model::command_id> graph::successors(model::command_id id) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return recorded_.successors(id);
}

std::vector<model::command_id> graph::leaves() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return recorded_.leaves();
}

std::vector<model::command_id> graph::nodes() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return recorded_.nodes();
}

model::node_kind graph::kind(model::command_id id) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return recorded_.is_nested_graph(id) ? model::node_kind::subgraph
                                       : model::node_kind_of(recorded_.command(id).payload);
}

graph::snapshot graph::known_buffers() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return {recorded_.known_buffers(), {}, narrowing_, nullptr, 0, {}};
}

// Host tasks that keep the addresses of accessors work where these were made.
void graph::keep_buffers_out_of_reach(snapshot& s) {
  bool any = false;
  for (const model::command& c : s.commands) {
    const auto* const task = std::get_if<model::host_task_command>(&c.payload);
    if (task == nullptr) continue;
    for (const model::argument_slot& slot : task->slots) {
      if (slot.offset != out_of_reach) continue;
      model::buffer_info& b = s.buffers[c.requirements[slot.requirement].buffer.value()];
      any = any || b.temporary;
      b.temporary = false;
    }
  }
  if (any) s.hash = recorder::structural_hash(s.commands, s.buffers);
}

graph::snapshot graph::contents_now() const {
  snapshot s{recorded_.contents(), {}, narrowing_, nullptr, memory_budget_, outside_};
  if (memory_ != nullptr) {
    memory_->settle(s.commands, s.buffers);
    s.memories.push_back(memory_);
  }
  for (const nested_memory& m : nested_memories_) s.memories.push_back(m.memory);
  keep_buffers_of_bodies(s);
  keep_buffers_out_of_reach(s);
  return s;
}

}  // namespace pianola::runtime
