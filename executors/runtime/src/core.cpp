// SPDX-License-Identifier: Apache-2.0
#include "core.hpp"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <pianola/host/clock.hpp>
#include <pianola/host/team.hpp>

#include "callbacks.hpp"
#include "eager_recorder.hpp"
#include "executable.hpp"
#include "image_registry.hpp"
#include "log.hpp"
#include "pianola/runtime/host_storage.hpp"
#include "pointers.hpp"

namespace pianola::runtime {

using executors::lane_position;
using model::error_code;
using model::user_error;

namespace {

std::atomic<core*> the_core{nullptr};
std::atomic<bool> forked{false};
std::mutex start_mutex;

// Staging through the host is planned where two memories have no link of their own.
bool needs_staging(const model::topology& t) {
  for (std::size_t a = 1; a < t.memories.size(); ++a)
    for (std::size_t b = 1; b < t.memories.size(); ++b)
      if (a != b && t.link(model::memory_id(static_cast<std::uint16_t>(a)),
                           model::memory_id(static_cast<std::uint16_t>(b))) == nullptr)
        return true;
  return false;
}

// What a program may have forgotten to wait for gets so long at its end: output of kernels and host tasks is
// seldom later. Nobody hangs for a command that does not end.
constexpr std::chrono::milliseconds last_commands(1000);

}  // namespace

// Leaves the work to the threads that do it anyway: here it could not be left again.
void core::let_commands_end(std::chrono::nanoseconds at_most) {
  std::vector<lane_position> ends;
  {
    std::unique_lock lock(mutex, std::try_to_lock);
    if (!lock.owns_lock()) return;
    for (const model::lane_id lane : executor_lanes) {
      const model::step_id last = state.tail(lane);
      if (last.valid() && !finished(last)) ends.push_back(position_of(last));
    }
  }
  host::patience left(static_cast<std::uint64_t>(at_most.count()));
  for (const lane_position& end : ends)
    while (!end.lane->reached(end.position)) {
      if (left.look() == 0) return;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      if (executors::progress_source* source = end.lane->source()) source->look(*end.lane);
    }
}

void shut_down_runtime() {
  core* c = the_core.load();
  if (c == nullptr || forked.load()) return;
  // A command that ends the program would wait for itself.
  if (host::team::current_thread() == 0) c->let_commands_end(last_commands);
  host::team::instance().shut_down();
  std::unique_lock lock(c->mutex, std::try_to_lock);
  if (lock.owns_lock() && c->recording != nullptr) c->recording->write();
}

core& core::instance() {
  core* c = the_core.load(std::memory_order_acquire);
  if (c != nullptr && !forked.load(std::memory_order_relaxed)) [[likely]]
    return *c;
  if (forked.load())
    throw user_error(error_code::runtime,
                     "this process was forked after Pianola had started: its threads and devices "
                     "stayed in the parent; fork before the first use of SYCL, or exec");
  std::lock_guard<std::mutex> lock(start_mutex);
  c = the_core.load(std::memory_order_acquire);
  if (c != nullptr) return *c;
  // Leaked on purpose: static queues and buffers end after every destructor of ours would have run.
  c = new core();
  pthread_atfork(nullptr, nullptr, [] { forked.store(true); });
  std::atexit([] { shut_down_runtime(); });
  the_core.store(c, std::memory_order_release);
  return *c;
}

core* core::started() noexcept {
  return forked.load(std::memory_order_relaxed) ? nullptr
                                                : the_core.load(std::memory_order_acquire);
}

core::core() : observer_(make_observer(attention)) {
  services_.observer = &observer_;
  services_.find_kernel = [](model::kernel_id id) {
    return image_registry::instance().find_kernel(id);
  };
  services_.find_images = [](model::kernel_id id) {
    return image_registry::instance().find_images(id);
  };
  discover();
  staging_needed = needs_staging(topology);
  recording = eager_recorder::from_environment(topology);
  static_cast<void>(get_host_storage_mode());  // a mistake in the environment is told now
  hint_after = wait_hint_from_environment();
}

buffer_entry& core::living(buffer_key key) {
  const auto index = static_cast<std::uint32_t>(key.value());
  const auto generation = static_cast<std::uint32_t>(key.value() >> 32);
  if (!key.valid() || index >= buffers.size() || buffers[index].generation != generation ||
      !buffers[index].alive)
    throw user_error(error_code::invalid,
                     "an accessor or call names a buffer that has ended (or was never made); keep "
                     "the sycl::buffer alive for as long as its accessors are used");
  return buffers[index];
}

model::device_id core::device_with(model::memory_id memory) const noexcept {
  for (std::size_t i = 0; i < devices.size(); ++i)
    if (topology.devices[i].memory == memory)
      return model::device_id(static_cast<std::uint16_t>(i));
  return host_device;
}

void* core::ensure_allocation(model::buffer_id id, model::memory_id memory) {
  buffer_entry& b = buffers[id.value()];
  if (b.allocations.size() <= memory.value()) b.allocations.resize(memory.value() + 1);
  allocation& a = b.allocations[memory.value()];
  if (a.pointer != nullptr) return a.pointer;
  const model::device_id device = device_with(memory);
  const device_entry& d = devices[device.value()];
  void* pointer = nullptr;
  const executors::status s = d.owner->allocate(
      d.index,
      memory == model::host_memory ? executors::memory_kind::host : executors::memory_kind::device,
      b.info.bytes(), 0, pointer);
  if (!s.ok())
    throw user_error(s.code, s.code != error_code::memory_allocation
                                 ? s.reason
                                 : s.reason + "; the buffer needs " +
                                       std::to_string(b.info.bytes()) + " bytes on '" +
                                       topology.devices[device.value()].name +
                                       "'. Free memory there or use another device");
  a = {pointer, true, false, device};
  pointer_registry::instance().add(pointer, b.info.bytes(),
                                   memory == model::host_memory ? usm_kind::host : usm_kind::device,
                                   device, false);
  lock_host_storage(b);
  return pointer;
}

void core::lock_host_storage(buffer_entry& b) {
  // Locking takes longer than copying a few pages does.
  constexpr std::uint64_t worth_it = std::uint64_t{64} << 10;
  if (get_host_storage_mode() == host_storage_mode::pageable || b.info.bytes() < worth_it) return;
  if (b.allocations.empty()) return;
  allocation& host = b.allocations[model::host_memory.value()];
  if (host.pointer == nullptr || host.from_usm || host.locked_for.valid()) return;
  for (const allocation& a : b.allocations) {
    if (&a == &host || a.pointer == nullptr) continue;
    const device_entry& d = devices[a.device.value()];
    if (!d.owner->lock_pages(d.index, host.pointer, b.info.bytes())) continue;
    host.locked_for = a.device;
    return;
  }
}

void core::free_allocation(const allocation& a) noexcept {
  if (a.pointer == nullptr) return;
  if (a.locked_for.valid()) {
    const device_entry& d = devices[a.locked_for.value()];
    d.owner->unlock_pages(d.index, a.pointer);
  }
  if (a.from_usm && a.owned) {
    free_usm_allocation(a.pointer);
    return;
  }
  if (!a.owned) return;
  const auto known = pointer_registry::instance().remove(a.pointer);
  const device_entry& d = devices[a.device.value()];
  d.owner->deallocate(
      d.index,
      known.kind == usm_kind::host ? executors::memory_kind::host : executors::memory_kind::device,
      a.pointer);
}

void core::collect_retired() noexcept {
  for (std::size_t i = 0; i < retired.size();) {
    auto& users = retired[i].users;
    users.erase(std::remove_if(users.begin(), users.end(),
                               [](const lane_position& p) { return p.lane->reached(p.position); }),
                users.end());
    if (!users.empty()) {
      ++i;
      continue;
    }
    for (const allocation& a : retired[i].allocations) free_allocation(a);
    if (i + 1 != retired.size()) retired[i] = std::move(retired.back());
    retired.pop_back();
  }
}

void core::release_buffer_slot(model::buffer_id id) noexcept {
  buffer_entry& b = buffers[id.value()];
  failures.end_buffer(id, b.generation, state.next_step());
  ++b.generation;
  b.exists = b.alive = b.in_place_host = false;
  b.allocations.clear();
  b.mirror = {};
  b.on_end = {};
  b.last_queue.reset();
  b.label.clear();
  state.remove_buffer(id);
}

lane_entry& core::lane(model::lane_id id) {
  lane_entry& e = lanes[id.value()];
  if (e.native == nullptr && e.own == nullptr) [[unlikely]]
    start_lane(e, state.device_of(id));
  return e;
}

void core::start_lane(lane_entry& e, model::device_id device) {
  const device_entry& d = devices[device.value()];
  const executors::status s = d.owner->make_lane(d.index, e.native);
  if (!s.ok()) throw user_error(s.code, s.reason);
  e.completion = &e.native->completion();
}

void core::append_lane(lane_entry&& e) {
  const model::lane_id id(static_cast<std::uint32_t>(lanes.size()));
  if (lanes.size() == lanes.capacity()) lanes.reserve(2 * lanes.size() + 8);
  if (e.own == nullptr)
    executor_lanes.push_back(id);
  else
    host_lanes_.emplace(e.own.get(), id);
  lanes.push_back(std::move(e));  // does not throw now
}

void core::add_missing_lanes() {
  while (lanes.size() < state.lane_count()) {
    const model::lane_id id(static_cast<std::uint32_t>(lanes.size()));
    const model::device_id device = state.device_of(id);
    lane_entry e;
    e.owner = devices[device.value()].owner;
    e.completion = &nothing_;
    append_lane(std::move(e));
    try {
      start_lane(lanes.back(), device);
    } catch (const user_error& failure) {
      // Steps are planned there already. The first one to be submitted tries again, and tells its queue.
      log_info("a lane of device {} could not be made: {}", device.value(), failure.what());
    }
  }
}

// A lane that no executor runs: whoever takes it says when its steps have finished.
model::lane_id core::take_host_lane() {
  if (!free_host_lanes.empty()) {
    const model::lane_id id = free_host_lanes.back();
    free_host_lanes.pop_back();
    return id;
  }
  add_missing_lanes();
  const model::lane_id id = state.add_private_lane(host_device);
  lane_entry e;
  e.own = std::make_unique<executors::progress>();
  e.completion = e.own.get();
  append_lane(std::move(e));
  return id;
}

model::lane_id core::preferred_lane(model::device_id device, std::uint32_t number) {
  preferred_lanes_.resize(devices.size());
  std::vector<model::lane_id>& lanes_of_device = preferred_lanes_[device.value()];
  lanes_of_device.resize(std::max(1U, topology.devices[device.value()].maximum_lanes));
  model::lane_id& chosen = lanes_of_device[number % lanes_of_device.size()];
  if (!chosen.valid()) {
    add_missing_lanes();
    chosen = state.add_private_lane(device);
    add_missing_lanes();
  }
  return chosen;
}

lane_position core::position_of(model::step_id step) const {
  return lanes[state.lane_of(step).value()].place_of(state.position_in_lane(step));
}

bool core::finished(model::step_id step) const {
  if (!step.valid() || step < state.retired()) return true;
  const lane_position p = position_of(step);
  return p.lane->reached(p.position);
}

void core::retire_finished_steps() noexcept {
  model::step_id at = state.retired();
  const model::step_id end = state.next_step();
  while (at < end && finished(at)) at = model::step_id(at.value() + 1);
  state.retire_below(at);
  if (attention.load(std::memory_order_relaxed)) {
    failures.retire_below(at);
    if (failures.empty()) attention.store(false, std::memory_order_relaxed);
  }
  if (!retired.empty()) collect_retired();
}

model::array_view<const lane_position> core::waits_of(const planner::step& s) {
  scratch_waits_.clear();
  for (const model::step_id before : scratch_plan.waits_of(s)) {
    if (before < state.retired()) continue;
    scratch_waits_.push_back(position_of(before));
  }
  lane_position& first = lanes[s.lane.value()].hold_off;
  if (first.lane != nullptr) {
    if (first.lane->reached(first.position))
      first = {};
    else
      scratch_waits_.push_back(first);
  }
  return {scratch_waits_.data(), scratch_waits_.size()};
}

executors::resolved_copy copy_of_box(const model::buffer_info& info, const model::box& elements,
                                     void* to, model::memory_id to_memory, const void* from,
                                     model::memory_id from_memory) noexcept {
  const model::extent3 range = info.grid.range(), e = elements.extent();
  const std::uint64_t size = info.element_size;
  const std::uint64_t row = range.c[2] * size, slice = row * range.c[1];
  executors::resolved_copy c;
  const std::uint64_t offset =
      elements.lo.c[0] * slice + elements.lo.c[1] * row + elements.lo.c[2] * size;
  c.destination = static_cast<unsigned char*>(to) + offset;
  c.source = static_cast<const unsigned char*>(from) + offset;
  c.to = to_memory;
  c.from = from_memory;
  c.width = e.c[2] * size;
  c.height = e.c[1];
  c.depth = e.c[0];
  c.source_row_pitch = c.destination_row_pitch = row;
  c.source_slice_pitch = c.destination_slice_pitch = slice;
  // Whole rows and whole slices follow each other without a gap.
  if (c.width == row) {
    c.width *= c.height;
    c.height = 1;
    if (c.width == slice) {
      c.width *= c.depth;
      c.depth = 1;
    }
  }
  return c;
}

transfer_step_context core::transfer_context(const planner::transfer_step& t,
                                             model::step_id id) const noexcept {
  static_assert(offsetof(transfer_step_context, touched) == sizeof(step_context));
  transfer_step_context made;
  made.context.step = id;
  made.context.what = "transfer";
  made.context.transfer = true;
  made.context.transfer_to = t.to;
  made.context.touched_count = 1;
  made.touched.buffer = t.buffer;
  made.touched.generation = buffers[t.buffer.value()].generation;
  made.touched.memory = t.from;
  made.touched.reads = true;
  made.touched.elements = t.elements;
  return made;
}

void core::submit_transfer(const planner::transfer_step& t, const planner::step& s,
                           model::step_id id) {
  const buffer_entry& b = buffers[t.buffer.value()];
  executors::step_submission out;
  out.action = copy_of_box(b.info, t.elements, ensure_allocation(t.buffer, t.to), t.to,
                           ensure_allocation(t.buffer, t.from), t.from);
  const transfer_step_context context = transfer_context(t, id);
  out.context = context.bytes();
  out.waits = waits_of(s);
  lane_entry& l = lane(s.lane);
  const executors::status status = l.owner->submit(*l.native, out);
  if (!status.ok()) throw user_error(status.code, status.reason);
  ++counted.transfers;
  counted.transferred_bytes += t.elements.count() * b.info.element_size;
  counted.transferred_pages += b.info.grid.page_count(t.elements);
  log_trace("transfer of buffer {} from memory {} to memory {}: {} bytes", t.buffer.value(),
            t.from.value(), t.to.value(), t.elements.count() * b.info.element_size);
}

void core::wait(model::array_view<const lane_position> positions, std::string_view what,
                model::lane_id mine) noexcept {
  if (held.any()) [[unlikely]] {
    try {
      wait_for_hint(*this, positions, what, mine);
    } catch (const std::exception&) {
      // No memory for a hint.
    }
  }
  for (const lane_position& p : positions) host::team::instance().wait(*p.lane, p.position);
}

}  // namespace pianola::runtime
