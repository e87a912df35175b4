// SPDX-License-Identifier: Apache-2.0
// Eager mode: a command group becomes a window of one, is planned against the live state and goes to
// its executor.
#include "pianola/runtime/queues.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>

#include <pianola/host/clock.hpp>
#include <pianola/host/team.hpp>
#include <pianola/model/error.hpp>

#include "core.hpp"
#include "eager_recorder.hpp"
#include "event_record.hpp"
#include "executable.hpp"
#include "graph_impl.hpp"
#include "log.hpp"
#include "pointers.hpp"
#include "queue_impl.hpp"
#include "submit.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

// ---- queue ---------------------------------------------------------------------------------------

queue::~queue() {
  if (core* c = core::started()) {
    std::lock_guard<std::mutex> lock(c->mutex);
    c->queues.erase(id_);
  }
  try {
    deliver_errors();
  } catch (...) {
    // The handler of a queue that ends has nobody to throw to.
  }
}

void queue::add_error(const std::exception_ptr& error) {
  std::lock_guard<std::mutex> lock(error_mutex_);
  for (const auto& e : errors_)
    if (e == error) return;
  errors_.push_back(error);
}

std::vector<std::exception_ptr> queue::take_errors() {
  std::lock_guard<std::mutex> lock(error_mutex_);
  return std::move(errors_);
}

void queue::deliver_errors() {
  std::vector<std::exception_ptr> errors = take_errors();
  if (errors.empty()) return;
  if (description_.on_errors) {
    description_.on_errors(std::move(errors));
    return;
  }
  for (const auto& e : errors) {
    try {
      std::rethrow_exception(e);
    } catch (const std::exception& x) {
      std::fprintf(stderr, "pianola: unhandled asynchronous error: %s\n", x.what());
    } catch (...) {
      std::fprintf(stderr, "pianola: unhandled asynchronous error of unknown type\n");
    }
  }
  std::fprintf(stderr, "pianola: give the queue an async_handler to deal with such errors\n");
  std::terminate();
}

std::shared_ptr<queue> create_queue(queue_description d) {
  core& c = core::instance();
  if (d.device.value() >= c.devices.size())
    throw user_error(error_code::invalid, "there is no such device");
  std::lock_guard<std::mutex> lock(c.mutex);
  const std::uint64_t id = c.next_queue++;
  auto q = std::make_shared<queue>(id, std::move(d));
  c.queues[id] = q;
  return q;
}

model::device_id device_of(const queue& q) noexcept { return q.description().device; }
bool is_in_order(const queue& q) noexcept { return q.description().in_order; }
std::uint64_t id_of(const queue& q) noexcept { return q.id(); }

void throw_asynchronous(queue& q) { q.deliver_errors(); }

bool is_idle(queue& q) noexcept {
  core* c = core::started();
  if (c == nullptr) return true;
  std::lock_guard<std::mutex> lock(c->mutex);
  return std::all_of(q.tails.begin(), q.tails.end(),
                     [](const queue::lane_tail& t) { return t.lane->reached(t.position); });
}

void wait(queue& q) {
  core& c = core::instance();
  std::vector<executors::lane_position> ends;
  {
    std::lock_guard<std::mutex> lock(c.mutex);
    if (q.recording != nullptr)
      throw user_error(error_code::invalid,
                       "the queue records into a graph: end_recording before waiting for it");
    ends.reserve(q.tails.size());
    for (const auto& t : q.tails) ends.push_back({t.lane, t.position});
  }
  c.wait(ends);
  std::lock_guard<std::mutex> lock(c.mutex);
  c.retire_finished_steps();
}

// ---- submission ----------------------------------------------------------------------------------

namespace {

// Storage that is used again by every submission of a thread.
struct scratch {
  std::vector<model::requirement> requirements;
  std::vector<std::uint64_t> after;
  std::vector<std::byte> context;
};
thread_local scratch the_scratch;

class live_addresses final : public address_book {
 public:
  live_addresses(core& c, const model::command& command, model::memory_id memory)
      : core_(c), command_(command), memory_(memory) {}
  [[nodiscard]] void* address(std::uint32_t requirement) const override {
    const model::requirement& r = command_.requirements[requirement];
    return core_.ensure_allocation(r.buffer, r.memory.valid() ? r.memory : memory_);
  }
  [[nodiscard]] model::memory_id memory() const override { return memory_; }

 private:
  core& core_;
  const model::command& command_;
  model::memory_id memory_;
};

model::memory_id memory_of_pointer(const core& c, const void* pointer) {
  const pointer_query q = query_pointer(pointer);
  if (q.kind == usm_kind::device && q.device.valid()) return c.topology.memory_of(q.device);
  return model::host_memory;
}

void locate(const core& c, model::memory_operand& o) {
  if (o.requirement == model::memory_operand::no_requirement)
    o.memory = memory_of_pointer(c, o.pointer);
}

// What the executors hand back when the step fails or waits for attention.
model::array_view<const std::byte> make_context(core& c, const queue& q, const model::command& command,
                                                model::step_id step, model::memory_id memory,
                                                std::shared_ptr<event_record>* record,
                                                const planner::memory_mask* before,
                                                const bool* uniform) {
  auto& bytes = the_scratch.context;
  const std::size_t n = command.requirements.size();
  bytes.resize(sizeof(step_context) + n * sizeof(touched_box));
  auto* context = new (bytes.data()) step_context();
  context->queue = q.id();
  context->step = step;
  context->record = record;
  context->touched_count = static_cast<std::uint32_t>(n);
  auto* touched = reinterpret_cast<touched_box*>(bytes.data() + sizeof(step_context));
  for (std::size_t i = 0; i < n; ++i) {
    const model::requirement& r = command.requirements[i];
    auto* t = new (touched + i) touched_box();
    t->buffer = r.buffer;
    t->generation = c.buffers[r.buffer.value()].generation;
    t->memory = r.memory.valid() ? r.memory : memory;
    t->reads = r.needs_data();
    t->writes = writes(r.mode);
    t->replaces = r.no_init;
    t->elements = r.no_init ? r.elements
                            : c.state.info(r.buffer).grid.page_aligned(r.elements);
    t->before = before != nullptr ? before[i] : planner::mask_of(model::host_memory);
    t->uniform = uniform == nullptr || uniform[i];
  }
  return {bytes.data(), bytes.size()};
}

}  // namespace

// Requirements of the live state from the accessors of a command group. Allocates what is missing,
// so that nothing can fail once the state has changed.
static void collect_requirements(core& c, queue& q, const submission& s, model::memory_id memory,
                                 std::vector<model::requirement>& out) {
  out.clear();
  const bool to_host = std::holds_alternative<model::acquire_command>(s.payload);
  for (const accessor_request& a : s.accessors) {
    buffer_entry& b = c.living(a.buffer);
    check_request(a, b);
    const model::buffer_id id = core::id_of(a.buffer);
    const model::memory_id where =
        to_host || std::holds_alternative<model::host_task_command>(s.payload) ? model::host_memory
                                                                               : memory;
    c.ensure_allocation(id, where);
    if (c.staging_needed) c.ensure_allocation(id, model::host_memory);
    // Both the shared pointer's count and the store are worth avoiding on the hot path.
    if (b.last_queue.owner_before(q.weak_from_this()) || q.weak_from_this().owner_before(b.last_queue))
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
                               const planner::step& planned,
                               std::shared_ptr<event_record> record) {
  event e;
  e.step = step;
  e.lane = c.lane(planned.lane).completion;
  e.position = c.state.position_in_lane(step);
  e.record = std::move(record);
  q.add_tail(e.lane, e.position, step);
  q.last_step = step;
  if (std::holds_alternative<model::barrier_command>(s.payload) && !q.description().in_order)
    q.barrier_step = step;
  return e;
}

event submit(queue& q, submission& s) {
  core& c = core::instance();
  const model::device_id device = q.description().device;
  if (auto* kernel = std::get_if<model::kernel_command>(&s.payload)) {
    kernel->local_memory_bytes = s.local_memory_bytes;
    check_launch(*kernel, c.properties[device.value()]);
  }
  const found_slots slots = find_slots(s);
  // A command that follows a recorded one is recorded, and its queue from then on
  // (sycl_ext_oneapi_graph, "Transitive Queue Recording").
  for (const event& e : s.after)
    if (e.record != nullptr && e.record->node.valid()) {
      const auto g = e.record->recorded_in.lock();
      if (g != nullptr && g->recording_active() && !is_recording(q)) g->begin(q);
      break;
    }
  std::unique_lock<std::mutex> lock(c.mutex);
  if (q.recording != nullptr) {
    const std::shared_ptr<graph> into = q.recording;
    lock.unlock();
    return into->record(q, s, slots);
  }
  if (s.graph != nullptr) return s.graph->replay(c, q, s);

  if (c.last_replayed != nullptr) c.settle_replays();
  scratch& my = the_scratch;
  const model::memory_id memory = c.topology.memory_of(device);
  collect_requirements(c, q, s, memory, my.requirements);
  collect_order(c, q, s, my.after);

  model::command command;
  if (auto* copy = std::get_if<model::copy_command>(&s.payload)) {
    locate(c, copy->source);
    locate(c, copy->destination);
  } else if (auto* fill = std::get_if<model::fill_command>(&s.payload)) {
    locate(c, fill->destination);
  }
  command.payload = s.payload;
  command.requirements = my.requirements;
  command.after = my.after;
  command.device = device;
  command.label = s.label;

  // Where the data is now, in case that the command never runs.
  constexpr std::size_t tracked = 16;
  planner::memory_mask before[tracked];
  bool uniform[tracked];
  const bool track = c.topology.memories.size() > 1 && my.requirements.size() <= tracked;
  if (track)
    for (std::size_t i = 0; i < my.requirements.size(); ++i) {
      before[i] = 0;
      uniform[i] = true;
      bool first = true;
      const auto& r = my.requirements[i];
      if (!writes(r.mode)) continue;
      c.state.for_each_validity(r.buffer, r.elements,
                                [&](const model::box&, planner::memory_mask m) {
                                  uniform[i] = uniform[i] && (first || m == before[i]);
                                  before[i] = m;
                                  first = false;
                                });
    }

  // The arguments get their addresses in place: they are the submission's own copy.
  const model::argument_block& block = s.arguments.block();
  for (const model::argument_slot& slot : slots.buffers) {
    const model::requirement& r = command.requirements[slot.requirement];
    auto address = reinterpret_cast<std::uintptr_t>(
        c.ensure_allocation(r.buffer, r.memory.valid() ? r.memory : memory));
    address += slot.byte_offset;
    std::memcpy(static_cast<unsigned char*>(block.bytes) + slot.offset, &address, sizeof address);
  }

  event result;
  c.plan_and_transfer({&command, 1}, [&](model::step_id step, const planner::step& planned,
                                         model::array_view<const executors::lane_position> waits) {
    std::shared_ptr<event_record> record;
    executors::step_submission out;
    if (q.description().profiling) {
      record = std::make_shared<event_record>();
      record->timed = true;
      record->submitted.store(host::nanoseconds_now(), std::memory_order_relaxed);
      out.timed = true;
    }
    if (auto* k = std::get_if<model::kernel_command>(&command.payload)) {
      auto& r = out.action.emplace<executors::resolved_kernel>();
      r.kernel = k->kernel;
      r.geometry = k->geometry;
      r.local_memory_bytes = k->local_memory_bytes;
      r.local_slots = slots.local;
      r.owns_arguments = s.arguments.on_heap();
      r.arguments = block;
    } else if (auto* t = std::get_if<model::host_task_command>(&command.payload)) {
      auto& r = out.action.emplace<executors::resolved_host_task>();
      r.invoke = t->invoke;
      r.owns_arguments = s.arguments.on_heap();
      r.arguments = block;
    } else if (auto* copy = std::get_if<model::copy_command>(&command.payload)) {
      out.action = resolve_copy(*copy, live_addresses(c, command, memory));
    } else if (auto* fill = std::get_if<model::fill_command>(&command.payload)) {
      out.action = resolve_fill(*fill, live_addresses(c, command, memory));
    }
    out.waits = waits;
    auto* timed = record != nullptr ? new std::shared_ptr<event_record>(record) : nullptr;
    out.context = make_context(c, q, command, step, memory, timed, track ? before : nullptr,
                               track ? uniform : nullptr);
    lane_entry& l = c.lane(planned.lane);
    const executors::status status = l.owner->submit(*l.native, out);
    if (!status.ok()) {
      delete timed;
      throw user_error(status.code, status.reason);
    }
    if (s.arguments.on_heap() &&
        (std::holds_alternative<model::kernel_command>(command.payload) ||
         std::holds_alternative<model::host_task_command>(command.payload)))
      (void)s.arguments.release();
    if (c.recording != nullptr) c.recording->record(c, command, step);
    result = finish_submission(c, q, s, step, planned, std::move(record));
  });
  ++c.counted.commands;
  if (current_log_level() >= log_level::trace)
    log_trace("command '{}' on device {}: step {}", display_name(command), device.value(),
              result.step.value());
  return result;
}

// ---- events --------------------------------------------------------------------------------------

event_status status(const event& e) noexcept {
  if (e.lane == nullptr || e.lane->reached(e.position)) return event_status::complete;
  return e.lane->begun() >= e.position ? event_status::running : event_status::submitted;
}

void wait(const event& e) {
  if (e.record != nullptr && e.record->node.valid())
    throw user_error(error_code::invalid,
                     "the event stands for a node of a graph, which runs only when the graph is "
                     "submitted; wait for the graph's own event");
  if (e.lane == nullptr || e.lane->reached(e.position)) return;
  core::instance();  // throws in a forked process, where nobody would finish the step
  host::team::instance().wait(*e.lane, e.position);
}

std::uint64_t profiling(const event& e, profiling_time what) {
  if (e.record == nullptr || !e.record->timed)
    throw user_error(error_code::invalid,
                     "the event has no profiling information: construct the queue with "
                     "property::queue::enable_profiling");
  if (what == profiling_time::submit) return e.record->submitted.load(std::memory_order_relaxed);
  if (what == profiling_time::start) {
    while (e.record->started.load(std::memory_order_acquire) == 0 && status(e) != event_status::complete)
      if (!host::team::instance().help(host::team::current_thread())) host::pause();
    return e.record->started.load(std::memory_order_acquire);
  }
  wait(e);
  return e.record->ended.load(std::memory_order_acquire);
}

// ---- odds ----------------------------------------------------------------------------------------

namespace {

// Blocks of serial numbers per thread: no contention.
std::uint64_t next_serial() noexcept {
  constexpr std::uint64_t block = 1 << 16;
  static std::atomic<std::uint64_t> next_block{0};
  thread_local std::uint64_t next = 0, end = 0;
  if (next == end) {
    next = next_block.fetch_add(block, std::memory_order_relaxed);
    end = next + block;
  }
  return next++;
}

}  // namespace

std::uint64_t next_accessor_cookie() noexcept { return make_cookie(cookie_prefix, next_serial()); }

std::uint64_t next_placeholder_cookie() noexcept {
  return make_cookie(placeholder_cookie_prefix, next_serial());
}

statistics get_statistics() noexcept {
  core* c = core::started();
  if (c == nullptr) return {};
  std::lock_guard<std::mutex> lock(c->mutex);
  return c->counted;
}

void reset_statistics() noexcept {
  core* c = core::started();
  if (c == nullptr) return;
  std::lock_guard<std::mutex> lock(c->mutex);
  c->counted = {};
}

}  // namespace pianola::runtime
