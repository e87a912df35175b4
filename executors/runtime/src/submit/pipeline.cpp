// SPDX-License-Identifier: Apache-2.0
// The walk of eager mode: a command group becomes a window of one command, is planned against the
// live state, and its steps go to their executors.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include <pianola/host/clock.hpp>
#include <pianola/host/thread_storage.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/planning_state.hpp>

#include "commands/accessible_boxes.hpp"
#include "commands/addresses.hpp"
#include "commands/argument_slots.hpp"
#include "commands/command_groups.hpp"
#include "commands/dynamic_memory.hpp"
#include "commands/launch_checks.hpp"
#include "commands/memory_parameter_uses.hpp"
#include "commands/names.hpp"
#include "commands/narrow_modes.hpp"
#include "commands/reaching_device.hpp"
#include "data/buffer_table.hpp"
#include "data/memory_parameters.hpp"
#include "execute/dispatcher.hpp"
#include "execute/memory_pools.hpp"
#include "execute/native_access.hpp"
#include "machine/lane_table.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "queues/capturing.hpp"
#include "queues/event_record.hpp"
#include "queues/queue.hpp"
#include "queues/queue_table.hpp"
#include "recording/eager_recorder.hpp"
#include "replay/executable/executable_graph.hpp"
#include "replay/executable/replay_table.hpp"
#include "replay/graphs/graph.hpp"
#include "replay/graphs/parameters.hpp"
#include "submit/command_context.hpp"
#include "submit/eager_narrowing.hpp"
#include "submit/submit.hpp"
#include "support/log.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

namespace {

// Storage that is used again by every submission of a thread.
struct scratch {
  std::vector<model::requirement> requirements;
  std::vector<std::uint64_t> after;
  std::vector<model::accessible_box> accessible;

  static scratch& here() { return host::thread_storage<scratch>::get(); }
};

class live_addresses final : public address_book {
 public:
  live_addresses(buffer_table& buffers, const model::command& command, model::memory_id memory)
      : buffers_(buffers), command_(command), memory_(memory) {}
  [[nodiscard]] void* address(std::uint32_t requirement) const override {
    const model::requirement& r = command_.requirements[requirement];
    return buffers_.ensure_allocation(r.buffer, r.memory.valid() ? r.memory : memory_);
  }
  [[nodiscard]] model::memory_id memory(std::uint32_t requirement) const override {
    const model::requirement& r = command_.requirements[requirement];
    return r.memory.valid() ? r.memory : memory_;
  }

 private:
  buffer_table& buffers_;
  const model::command& command_;
  model::memory_id memory_;
};

}  // namespace

[[noreturn]] static void refuse_parameter() {
  throw user_error(error_code::invalid,
                   "a command that is submitted to a device uses a graph_parameter, which only "
                   "recorded graphs do; give it a buffer");
}

// Requirements of the live state from the accessors of a command group. Allocates what is missing,
// so that nothing can fail once the state has changed.
static void collect_requirements(process& rt, queue& q, const submission& s,
                                 const reaching_device& placed, model::memory_id memory,
                                 std::vector<model::requirement>& out) {
  out.clear();
  for (const accessor_request& a : s.accessors) {
    const model::memory_id where = placed.memory_of(a);
    buffer_entry& b = rt.buffers.living(a.buffer);
    if (b.parameter) [[unlikely]]
      refuse_parameter();
    check_request(a, b.info);
    const model::buffer_id id = buffer_table::id_of(a.buffer);
    rt.buffers.ensure_allocation(id, where);
    if (rt.machine.staging_needed()) rt.buffers.ensure_allocation(id, model::host_memory);
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
static void collect_order(process& rt, queue& q, const submission& s,
                          std::vector<std::uint64_t>& out) {
  out.clear();
  const auto add = [&](model::step_id step) {
    if (step.valid() && step >= rt.state.retired()) out.push_back(step.value());
  };
  for (const event& e : s.after) {
    if (is_recorded(e))
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

static event finish_submission(process& rt, queue& q, const submission& s, model::step_id step,
                               std::shared_ptr<event_record> record) {
  const executors::lane_position at = rt.lanes.position_of(step);
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
static void patch_arguments(buffer_table& buffers, const model::command& command,
                            model::memory_id memory, const found_slots& slots,
                            const model::argument_block& block) {
  for (const model::argument_slot& slot : slots.buffers) {
    const model::requirement& r = command.requirements[slot.requirement];
    auto address = reinterpret_cast<std::uintptr_t>(
        buffers.ensure_allocation(r.buffer, r.memory.valid() ? r.memory : memory));
    address += slot.byte_offset;
    std::memcpy(static_cast<unsigned char*>(block.bytes) + slot.offset, &address, sizeof address);
  }
}

// Good until the next call on this thread.
static model::array_view<const model::accessible_box> boxes_of(const buffer_table& buffers,
                                                               const model::command& command,
                                                               const found_slots& slots) {
  std::vector<model::accessible_box>& boxes = scratch::here().accessible;
  const auto info_of = [&](model::buffer_id id) -> const model::buffer_info& {
    return buffers[id].info;
  };
  boxes.clear();
  find_accessible_boxes(slots.buffers, command.requirements, info_of, boxes);
  find_accessible_boxes(slots.textures, command.requirements, info_of, boxes);
  return boxes;
}

// True if the executor takes over a function object on the heap.
static bool resolve_action(buffer_table& buffers, const model::command& command,
                           const submission& s, const found_slots& slots, model::memory_id memory,
                           executors::resolved_action& action) {
  if (const auto* kernel = std::get_if<model::kernel_command>(&command.payload)) {
    auto& r = action.emplace<executors::resolved_kernel>();
    r.kernel = kernel->kernel;
    r.geometry = kernel->geometry;
    r.local_memory_bytes = kernel->local_memory_bytes;
    r.local_slots = slots.local;
    r.texture_slots = slots.textures;
    if (kernel->kernel->checks_accesses) [[unlikely]]
      r.accessible = boxes_of(buffers, command, slots);
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
  switch (kind_of(command.payload)) {
    case model::command_kind::copy:
      action = resolve_copy(*std::get_if<model::copy_command>(&command.payload),
                            live_addresses(buffers, command, memory));
      break;
    case model::command_kind::fill:
      action = resolve_fill(*std::get_if<model::fill_command>(&command.payload),
                            live_addresses(buffers, command, memory));
      break;
    case model::command_kind::allocate:
      if (executors::resolved_fill zeroed; zeroes(command.payload, zeroed)) action = zeroed;
      break;
    case model::command_kind::kernel:  // above
    case model::command_kind::host_task:
    case model::command_kind::empty:
    case model::command_kind::barrier:
    case model::command_kind::prefetch:
    case model::command_kind::advise:
    case model::command_kind::host_access:
    case model::command_kind::acquire:
    case model::command_kind::subgraph:
    case model::command_kind::free:
      break;
  }
  return false;
}

// A command that follows a recorded one is recorded, and its queue from then on
// (sycl_ext_oneapi_graph, "Transitive Queue Recording").
static void follow_recording(queue& q, const submission& s) {
  for (const event& e : s.after)
    if (is_recorded(e)) {
      const auto g = e.record->recorded_in.lock();
      if (g != nullptr && g->recording_active() && !is_recording(q)) g->begin(q);
      return;
    }
}

// Who waits for the queue finds everything as it was.
static void wait_for_refusals(const process& rt, queue& q) {
  const executors::lane_position end = rt.dispatcher.end_of_refusals();
  if (end.lane != nullptr) q.add_tail(end.lane, end.position, {});
}

static event replay(process& rt, queue& q, const submission& s,
                    std::unique_lock<runtime_mutex>& lock) {
  try {
    return s.graph->replay(rt, q, s, lock);
  } catch (...) {
    wait_for_refusals(rt, q);
    throw;
  }
}

// What the recording of the program says of it after that is left out where there is no memory for it.
static void tell_times(process& rt, std::shared_ptr<event_record> times) {
  try {
    rt.recording->timed(std::move(times));
  } catch (const std::bad_alloc&) {
    rt.recording->give_up();
  }
}

// What only a recorded graph may hold. The runtime's lock is held.
static void refuse_parts_of_graphs(const submission& s, const found_slots& slots) {
  if (slots.dynamic_memory) [[unlikely]]
    refuse_dynamic_memory(s);
  if (s.uses_parameters) [[unlikely]]
    throw user_error(error_code::invalid,
                     "a kernel that is submitted to a device uses a dynamic_parameter, which is "
                     "for recorded graphs; give it the value");
  if (s.graph != nullptr) return;
  if (memory_parameters::instance().any()) [[unlikely]]
    refuse_memory_parameters(s);
  if (s.control != nullptr) [[unlikely]]
    throw user_error(error_code::invalid,
                     "loops and branches are commands of graphs: record them, or add them to a "
                     "command_graph, and submit that");
}

// Where the command has to run; invalid: in whichever lane of the device that it reaches.
static model::lane_id wanted_lane(process& rt, const queue& q, const submission& s,
                                  model::device_id device, model::device_id reached) {
  if (reached != device) return {};
  // A lane of the queue's own is of the queue's own device.
  if (q.lane.valid() && device == q.description().device) return q.lane;
  if (s.preferred_lane == submission::any_lane) return {};
  return rt.lanes.preferred(device, s.preferred_lane);
}

namespace {

// A command that is ready to be planned. Its steps go to their executors from here.
class eager_command {
 public:
  eager_command(process& runtime, queue& from, submission& submitted, place_in_group& place,
                const found_slots& slots, model::device_id device, model::memory_id memory,
                const model::command& command)
      : rt_(runtime),
        queue_(from),
        submission_(submitted),
        place_(place),
        slots_(slots),
        device_(device),
        memory_(memory),
        command_(command) {}

  void execute(model::step_id step, const planner::step& planned,
               model::array_view<const executors::lane_position> waits) {
    executors::step_submission out;
    const bool handed_over =
        resolve_action(rt_.buffers, command_, submission_, slots_, memory_, out.action);
    give_access(rt_.lanes, device_, out.action);
    out.waits = waits;
    queue_.make_room_for_tail();
    std::shared_ptr<event_record> record;
    std::unique_ptr<std::shared_ptr<event_record>> timed;  // the observer's, once it is submitted
    const bool for_files = rt_.recording != nullptr && rt_.recording->times_of(queue_);
    if (queue_.description().profiling || for_files) {
      record = begin_record();
      record->timed = out.timed = true;
      timed = std::make_unique<std::shared_ptr<event_record>>(record);
    }
    out.context =
        make_context(rt_, queue_, submission_, command_, step, memory_, timed.get(), place_);
    lane_entry& l = rt_.lanes.ready(planned.lane);
    const executors::status status = l.owner->submit(*l.native, out);
    if (!status.ok()) throw user_error(status.code, status.reason);
    static_cast<void>(timed.release());
    if (handed_over) (void)submission_.arguments.release();
    // Of several commands of a command group nobody knows what each took.
    if (for_files && place_.first && place_.last) [[unlikely]]
      times_ = record;
    if (!queue_.description().profiling) record = nullptr;
    result_ = finish_submission(rt_, queue_, submission_, step, std::move(record));
  }
  // If it is not executed, as something before it was refused.
  [[nodiscard]] model::array_view<const std::byte> context_of(model::step_id step) {
    return make_context(rt_, queue_, submission_, command_, step, memory_, nullptr, place_);
  }

  [[nodiscard]] event take_result() noexcept { return std::move(result_); }
  // For a recording of the program; null: nobody wants them.
  [[nodiscard]] std::shared_ptr<event_record> take_times() noexcept { return std::move(times_); }

 private:
  // One for all commands of a command group.
  std::shared_ptr<event_record> begin_record() {
    std::shared_ptr<event_record> record =
        place_.record != nullptr ? place_.record : std::make_shared<event_record>();
    if (place_.first) record->submitted.store(host::nanoseconds_now(), std::memory_order_relaxed);
    if (!place_.last) place_.record = record;
    return record;
  }

  process& rt_;
  queue& queue_;
  submission& submission_;
  place_in_group& place_;
  const found_slots& slots_;
  const model::device_id device_;  // that the program has asked for
  const model::memory_id memory_;
  const model::command& command_;
  event result_;
  std::shared_ptr<event_record> times_;
};

}  // namespace

event submit_one(queue& q, submission& s, place_in_group& place) {
  process& rt = process::instance();
  const model::device_id device = s.device.valid() ? s.device : q.description().device;
  rt.machine.check(device);
  check_command(rt.machine, s, device);
  refresh_parameters(s.arguments.block());
  const found_slots slots = find_slots(s);
  follow_recording(q, s);
  std::unique_lock lock(rt.mutex);
  if (const std::shared_ptr<graph> into = q.recording.lock()) {
    lock.unlock();
    return into->record(q, s, slots);
  }
  refuse_parts_of_graphs(s, slots);
  if (s.graph != nullptr) return replay(rt, q, s, lock);

  rt.replays.settle(rt);
  scratch& my = scratch::here();
  locate_pointers(rt.machine, s.payload);
  const reaching_device where = find_reaching_device(rt.machine, s.payload, device);
  if (!where.device.valid()) {
    lock.unlock();
    return copy_over_host(q, s, place);
  }
  const model::memory_id memory = rt.machine.memory_of(where.device);
  collect_requirements(rt, q, s, where, memory, my.requirements);
  narrow_modes(s.payload, slots, my.requirements);
  // Further commands of a command group go on with what this one needs.
  if (place.first && place.last)
    if (const auto* kernel = std::get_if<model::kernel_command>(&s.payload))
      narrow_eagerly(rt.buffers, *kernel, s.arguments.block(), slots, my.requirements);
  if (!place.last) note_requirements(s, my.requirements, memory);
  collect_order(rt, q, s, my.after);
  model::command command;
  command.payload = s.payload;
  command.requirements = my.requirements;
  command.after = my.after;
  command.device = where.device;
  command.lane = wanted_lane(rt, q, s, device, where.device);
  command.label = s.label;
  if (rt.machine.has_several_memories()) note_validity_before(rt, my.requirements);
  patch_arguments(rt.buffers, command, memory, slots, s.arguments.block());

  if (rt.recording != nullptr) [[unlikely]] {
    rt.recording->submitting(q, s);
    if (const auto* kernel = std::get_if<model::kernel_command>(&s.payload))
      rt.recording->reads_buffers(*kernel, s.arguments.block(), slots.buffers,
                                  command.requirements);
  }
  if (std::holds_alternative<model::host_task_command>(s.payload))
    rt.queues.unfinished_host_tasks.make_room(rt.lanes);
  eager_command ready(rt, q, s, place, slots, device, memory, command);
  try {
    rt.dispatcher.dispatch(
        {&command, 1},
        [&](model::step_id step, const planner::step& planned,
            model::array_view<const executors::lane_position> waits) {
          ready.execute(step, planned, waits);
        },
        [&](model::step_id step) { return ready.context_of(step); });
  } catch (...) {
    wait_for_refusals(rt, q);
    throw;
  }
  // It is submitted, and nothing that is noted of it may say otherwise.
  if (std::shared_ptr<event_record> times = ready.take_times()) [[unlikely]]
    tell_times(rt, std::move(times));
  event result = ready.take_result();
  if (s.memory != nullptr) s.memory->take(result);
  if (std::holds_alternative<model::host_task_command>(s.payload))
    rt.queues.unfinished_host_tasks.note(result.step, q.id());
  ++rt.counted.commands;
  if (current_log_level() >= log_level::trace)
    log_trace("command '{}' on device {}: step {}", display_name(command), device.value(),
              result.step.value());
  return result;
}

event submit(queue& q, submission& s) {
  if (capturing* const c = capturing::active()) [[unlikely]]
    return c->submit(q, s);
  return submit_now(q, s);
}

event submit_now(queue& q, submission& s) {
  place_in_group place;
  if (s.next == nullptr) [[likely]]
    return submit_one(q, s, place);
  process& rt = process::instance();
  const model::device_id device = s.device.valid() ? s.device : device_of(q);
  rt.machine.check(device);
  check_group(rt, s, device, !is_recording(q));
  place.last = false;
  event last = submit_one(q, s, place);
  place.first = false;
  const submission* before = &s;
  for (submission* next = s.next.get(); next != nullptr; next = next->next.get()) {
    next->device = s.device;
    next->preferred_lane = s.preferred_lane;
    carry_requirements(rt.machine, *before, *next, device);
    next->after.push_back(std::move(last));
    place.last = next->next == nullptr;
    last = submit_one(q, *next, place);
    before = next;
  }
  return last;
}

}  // namespace pianola::runtime
