// SPDX-License-Identifier: Apache-2.0
// The walk of eager mode: a command group becomes a window of one command, is planned against the
// live state, and its steps go to their executors.
#include <algorithm>
#include <cstring>
#include <exception>

#include <pianola/host/clock.hpp>
#include <pianola/host/thread_storage.hpp>
#include <pianola/model/error.hpp>

#include "core.hpp"
#include "dynamic_memory.hpp"
#include "eager_recorder.hpp"
#include "event_record.hpp"
#include "executable.hpp"
#include "graph_impl.hpp"
#include "image_checks.hpp"
#include "log.hpp"
#include "memory_desk.hpp"
#include "narrow_modes.hpp"
#include "pointers.hpp"
#include "queue_impl.hpp"
#include "submit.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

namespace {

// Part of what a requirement writes, and where that was valid before.
struct written_piece {
  std::uint32_t requirement;
  planner::memory_mask valid;
  model::box elements;
};

// Storage that is used again by every submission of a thread.
struct scratch {
  std::vector<model::requirement> requirements;
  std::vector<written_piece> before;
  std::vector<std::uint64_t> after;
  std::vector<std::byte> context;

  static scratch& here() { return host::thread_storage<scratch>::get(); }
};

class live_addresses final : public address_book {
 public:
  live_addresses(core& c, const model::command& command, model::memory_id memory)
      : core_(c), command_(command), memory_(memory) {}
  [[nodiscard]] void* address(std::uint32_t requirement) const override {
    const model::requirement& r = command_.requirements[requirement];
    return core_.ensure_allocation(r.buffer, r.memory.valid() ? r.memory : memory_);
  }
  [[nodiscard]] model::memory_id memory(std::uint32_t requirement) const override {
    const model::requirement& r = command_.requirements[requirement];
    return r.memory.valid() ? r.memory : memory_;
  }

 private:
  core& core_;
  const model::command& command_;
  model::memory_id memory_;
};

// What a failure of the command does harm to.
model::box touched_elements(const core& c, const model::requirement& r) {
  return r.no_init ? r.elements : c.state.info(r.buffer).grid.page_aligned(r.elements);
}

// In more pieces than it is worth to keep.
constexpr planner::memory_mask unknown_validity = ~planner::memory_mask{0};
constexpr std::size_t most_pieces = 256;

// Where what the command writes is valid now, in case that it never runs. With one memory the answer is always the
// same, and is not looked for.
void note_pieces(const core& c, const std::vector<model::requirement>& requirements) {
  std::vector<written_piece>& out = scratch::here().before;
  out.clear();
  for (std::uint32_t i = 0; i < requirements.size(); ++i) {
    const model::requirement& r = requirements[i];
    if (!writes(r.mode)) continue;
    const model::box all = touched_elements(c, r);
    const std::size_t first = out.size();
    bool uniform = true;
    c.state.for_each_validity(r.buffer, all, [&](const model::box& e, planner::memory_mask m) {
      if (out.size() - first == most_pieces) return;
      out.push_back({i, m, e});
      uniform = uniform && m == out[first].valid;
    });
    if (out.size() == first) continue;  // no elements
    if (uniform || out.size() - first == most_pieces) {
      const planner::memory_mask m = uniform ? out[first].valid : unknown_validity;
      out.resize(first);
      out.push_back({i, m, all});
    }
  }
}

// What the executors hand back when the step fails or waits for attention.
model::array_view<const std::byte> make_context(core& c, const queue& q, const submission& s,
                                                const model::command& command, model::step_id step,
                                                model::memory_id memory,
                                                std::shared_ptr<event_record>* record,
                                                const place_in_group& place,
                                                bool several_memories) {
  auto& bytes = scratch::here().context;
  const std::vector<written_piece>& before = scratch::here().before;
  const std::size_t requirements = command.requirements.size();
  std::size_t n = requirements;
  if (several_memories) {
    n = before.size();
    for (const model::requirement& r : command.requirements) n += writes(r.mode) ? 0 : 1;
  }
  bytes.resize(sizeof(step_context) + n * sizeof(touched_box));
  auto* context = new (bytes.data()) step_context();
  context->queue = q.id();
  context->step = step;
  context->record = record;
  context->opens = place.first;
  context->closes = place.last;
  context->touched_count = static_cast<std::uint32_t>(n);
  auto* touched = reinterpret_cast<touched_box*>(bytes.data() + sizeof(step_context));
  const auto touch = [&](std::size_t i) -> touched_box& {
    const model::requirement& r = command.requirements[i];
    const bool for_order = s.accessors[i].for_order;
    auto* t = new (touched++) touched_box();
    t->buffer = r.buffer;
    t->generation = c.buffers[r.buffer.value()].generation;
    t->memory = r.memory.valid() ? r.memory : memory;
    t->reads = r.needs_data() || for_order;
    t->writes = writes(r.mode);
    t->replaces = r.no_init && !for_order;
    t->for_order = for_order;
    t->elements = touched_elements(c, r);
    t->before = planner::mask_of(model::host_memory);
    return *t;
  };
  for (std::size_t i = 0, next = 0; i < requirements; ++i) {
    const model::requirement& r = command.requirements[i];
    if (!several_memories || !writes(r.mode)) {
      touch(i);
      continue;
    }
    for (; next < before.size() && before[next].requirement == i; ++next) {
      touched_box& t = touch(i);
      t.elements = before[next].elements;
      t.before = before[next].valid;
      t.uniform = before[next].valid != unknown_validity;
    }
  }
  return {bytes.data(), bytes.size()};
}

}  // namespace

// Requirements of the live state from the accessors of a command group. Allocates what is missing,
// so that nothing can fail once the state has changed.
static void collect_requirements(core& c, queue& q, const submission& s, const placement& placed,
                                 model::memory_id memory, std::vector<model::requirement>& out) {
  out.clear();
  for (const accessor_request& a : s.accessors) {
    const model::memory_id where = placed.memory_of(a);
    buffer_entry& b = c.living(a.buffer);
    check_request(a, b);
    const model::buffer_id id = core::id_of(a.buffer);
    c.ensure_allocation(id, where);
    if (c.staging_needed) c.ensure_allocation(id, model::host_memory);
    // Both the shared pointer's count and the store are worth avoiding on the hot path.
    if (b.last_queue.owner_before(q.weak_from_this()) ||
        q.weak_from_this().owner_before(b.last_queue))
      b.last_queue = q.weak_from_this();
    model::requirement r;
    r.buffer = id;
    r.mode = a.mode;
    r.no_init = a.no_init && a.mode != model::access_mode::read;
    if (where != memory) r.memory = where;
    r.elements = a.elements;
    out.push_back(r);
  }
}

// Explicit order: events given by the user and what the queue itself promises.
static void collect_order(core& c, queue& q, const submission& s, std::vector<std::uint64_t>& out) {
  out.clear();
  const auto add = [&](model::step_id step) {
    if (step.valid() && step >= c.state.retired()) out.push_back(step.value());
  };
  for (const event& e : s.after) {
    if (e.record != nullptr && e.record->node.valid())
      throw user_error(error_code::invalid,
                       "a command submitted to a device cannot wait for an event of a recording; "
                       "wait for the graph's own event");
    add(e.step);
  }
  if (q.description().in_order) {
    add(q.last_step);
  } else {
    add(q.barrier_step);
    if (std::holds_alternative<model::barrier_command>(s.payload) && s.after.empty())
      for (const auto& t : q.tails) add(t.step);
  }
}

static event finish_submission(core& c, queue& q, const submission& s, model::step_id step,
                               std::shared_ptr<event_record> record) {
  const executors::lane_position at = c.position_of(step);
  event e;
  e.step = step;
  e.lane = at.lane;
  e.position = at.position;
  e.record = std::move(record);
  q.add_tail(e.lane, e.position, step);
  q.last_step = step;
  if (q.description().in_order) q.last = e;
  if (std::holds_alternative<model::barrier_command>(s.payload) && !q.description().in_order)
    q.barrier_step = step;
  return e;
}

// The arguments get their addresses in place: they are the submission's own copy.
static void patch_arguments(core& c, const model::command& command, model::memory_id memory,
                            const found_slots& slots, const model::argument_block& block) {
  for (const model::argument_slot& slot : slots.buffers) {
    const model::requirement& r = command.requirements[slot.requirement];
    auto address = reinterpret_cast<std::uintptr_t>(
        c.ensure_allocation(r.buffer, r.memory.valid() ? r.memory : memory));
    address += slot.byte_offset;
    std::memcpy(static_cast<unsigned char*>(block.bytes) + slot.offset, &address, sizeof address);
  }
}

// True if the executor takes over a function object on the heap.
static bool resolve_action(core& c, const model::command& command, const submission& s,
                           const found_slots& slots, model::memory_id memory,
                           executors::resolved_action& action) {
  if (const auto* kernel = std::get_if<model::kernel_command>(&command.payload)) {
    auto& r = action.emplace<executors::resolved_kernel>();
    r.kernel = kernel->kernel;
    r.geometry = kernel->geometry;
    r.local_memory_bytes = kernel->local_memory_bytes;
    r.local_slots = slots.local;
    r.texture_slots = slots.textures;
    r.owns_arguments = s.arguments.on_heap();
    r.arguments = s.arguments.block();
    return r.owns_arguments;
  }
  if (const auto* task = std::get_if<model::host_task_command>(&command.payload)) {
    auto& r = action.emplace<executors::resolved_host_task>();
    r.invoke = task->invoke;
    r.invoke_with_access = task->invoke_with_access;
    r.enqueues = task->enqueues;
    r.owns_arguments = s.arguments.on_heap();
    r.arguments = s.arguments.block();
    return r.owns_arguments;
  }
  if (const auto* copy = std::get_if<model::copy_command>(&command.payload))
    action = resolve_copy(*copy, live_addresses(c, command, memory));
  else if (const auto* fill = std::get_if<model::fill_command>(&command.payload))
    action = resolve_fill(*fill, live_addresses(c, command, memory));
  else if (executors::resolved_fill zeroed; zeroes(command.payload, zeroed))
    action = zeroed;
  return false;
}

// A command that follows a recorded one is recorded, and its queue from then on
// (sycl_ext_oneapi_graph, "Transitive Queue Recording").
static void follow_recording(queue& q, const submission& s) {
  for (const event& e : s.after)
    if (e.record != nullptr && e.record->node.valid()) {
      const auto g = e.record->recorded_in.lock();
      if (g != nullptr && g->recording_active() && !is_recording(q)) g->begin(q);
      return;
    }
}

// Who waits for the queue finds everything as it was.
static void wait_for_refusals(const core& c, queue& q) {
  const executors::lane_position end = c.end_of_refusals();
  if (end.lane != nullptr) q.add_tail(end.lane, end.position, {});
}

static event replay(core& c, queue& q, const submission& s) {
  try {
    return s.graph->replay(c, q, s);
  } catch (const user_error&) {
    wait_for_refusals(c, q);
    throw;
  }
}

event submit_one(queue& q, submission& s, place_in_group& place) {
  core& c = core::instance();
  const model::device_id device = s.device.valid() ? s.device : q.description().device;
  if (device.value() >= c.devices.size())
    throw user_error(error_code::invalid, "there is no device " + std::to_string(device.value()));
  check_command(c, s, device);
  const found_slots slots = find_slots(s);
  follow_recording(q, s);
  std::unique_lock lock(c.mutex);
  if (const std::shared_ptr<graph> into = q.recording.lock()) {
    lock.unlock();
    return into->record(q, s, slots);
  }
  if (slots.dynamic_memory) [[unlikely]]
    refuse_dynamic_memory(s);
  if (s.graph != nullptr) return replay(c, q, s);

  if (c.last_replayed != nullptr) c.settle_replays();
  scratch& my = scratch::here();
  locate_pointers(c, s.payload);
  const placement where = place_command(c, s.payload, device);
  if (!where.device.valid()) {
    lock.unlock();
    return copy_over_host(q, s, place);
  }
  const model::memory_id memory = c.topology.memory_of(where.device);
  collect_requirements(c, q, s, where, memory, my.requirements);
  narrow_modes(s.payload, slots, my.requirements);
  if (!place.last) note_requirements(s, my.requirements, memory);
  collect_order(c, q, s, my.after);
  model::command command;
  command.payload = s.payload;
  command.requirements = my.requirements;
  command.after = my.after;
  command.device = where.device;
  if (where.device == device) {
    // A lane of the queue's own is of the queue's own device.
    if (q.lane.valid() && device == q.description().device)
      command.lane = q.lane;
    else if (s.preferred_lane != submission::any_lane)
      command.lane = c.preferred_lane(device, s.preferred_lane);
  }
  command.label = s.label;
  const bool several_memories = c.topology.memories.size() > 1;
  if (several_memories) note_pieces(c, my.requirements);
  patch_arguments(c, command, memory, slots, s.arguments.block());

  if (c.recording != nullptr) [[unlikely]]
    c.recording->submitting(q, s);

  event result;
  const auto execute = [&](model::step_id step, const planner::step& planned,
                           model::array_view<const executors::lane_position> waits) {
    executors::step_submission out;
    const bool handed_over = resolve_action(c, command, s, slots, memory, out.action);
    give_access(c, device, out.action);
    out.waits = waits;
    std::shared_ptr<event_record> record;
    std::shared_ptr<event_record>* timed = nullptr;
    if (q.description().profiling) {
      record = place.record != nullptr ? place.record : std::make_shared<event_record>();
      record->timed = out.timed = true;
      if (place.first) record->submitted.store(host::nanoseconds_now(), std::memory_order_relaxed);
      if (!place.last) place.record = record;
      timed = new std::shared_ptr<event_record>(record);
    }
    out.context = make_context(c, q, s, command, step, memory, timed, place, several_memories);
    lane_entry& l = c.lane(planned.lane);
    const executors::status status = l.owner->submit(*l.native, out);
    if (!status.ok()) {
      delete timed;
      throw user_error(status.code, status.reason);
    }
    if (handed_over) (void)s.arguments.release();
    result = finish_submission(c, q, s, step, std::move(record));
  };
  try {
    c.plan_and_transfer({&command, 1}, execute, [&](model::step_id step) {
      return make_context(c, q, s, command, step, memory, nullptr, place, several_memories);
    });
  } catch (const user_error&) {
    wait_for_refusals(c, q);
    throw;
  }
  if (s.memory != nullptr) memory_desk::instance().take(*s.memory, result);
  ++c.counted.commands;
  if (current_log_level() >= log_level::trace)
    log_trace("command '{}' on device {}: step {}", display_name(command), device.value(),
              result.step.value());
  return result;
}

}  // namespace pianola::runtime
