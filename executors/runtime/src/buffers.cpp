// SPDX-License-Identifier: Apache-2.0
#include "pianola/runtime/buffers.hpp"

#include <cstring>
#include <exception>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <pianola/host/memory_steps.hpp>
#include <pianola/host/running_task.hpp>
#include <pianola/host/team.hpp>
#include <pianola/model/error.hpp>

#include "core.hpp"
#include "eager_recorder.hpp"
#include "executable.hpp"
#include "log.hpp"
#include "own_accesses.hpp"
#include "pointers.hpp"
#include "queue_impl.hpp"

namespace pianola::runtime {

using executors::lane_position;
using model::error_code;
using model::user_error;
using planner::mask_of;
using planner::memory_mask;

namespace {

std::string text_of(const std::exception_ptr& e) {
  try {
    std::rethrow_exception(e);
  } catch (const std::exception& x) {
    return x.what();
  } catch (...) {
    return "an exception of the program";
  }
}

// What has not finished of the steps that an access of the elements would have to wait for.
std::vector<lane_position> users_of(const core& c, model::buffer_id id, const model::box& elements,
                                    bool writes) {
  std::vector<model::step_id> steps;
  c.state.conflicting_steps(id, elements, writes, steps);
  std::vector<lane_position> users;
  for (const model::step_id s : steps)
    if (!c.finished(s)) users.push_back(c.position_of(s));
  return users;
}

bool any_valid(const core& c, model::buffer_id id, const model::box& all) {
  memory_mask m = 0;
  c.state.for_each_validity(id, all, [&](const model::box&, memory_mask v) { m |= v; });
  return m != 0;
}

// Plans an access by the host. Returns what to wait for; the lane is busy until it is released.
struct planned_access {
  std::vector<lane_position> waits;
  model::lane_id lane;
  model::step_id step;
};

// The step_context of a command that would write this, with a box for each part that is valid elsewhere.
std::vector<std::byte> undo_context(const core& c, const model::requirement& r) {
  std::vector<touched_box> touched;
  const model::box written =
      r.no_init ? r.elements : c.state.info(r.buffer).grid.page_aligned(r.elements);
  c.state.for_each_validity(r.buffer, written, [&](const model::box& where, memory_mask valid) {
    touched_box& t = touched.emplace_back();
    t.buffer = r.buffer;
    t.generation = c.buffers[r.buffer.value()].generation;
    t.memory = model::host_memory;
    t.writes = true;
    t.elements = where;
    t.before = valid;
  });
  step_context context;
  context.touched_count = static_cast<std::uint32_t>(touched.size());
  std::vector<std::byte> bytes(sizeof context + touched.size() * sizeof(touched_box));
  std::memcpy(bytes.data(), static_cast<const void*>(&context), sizeof context);
  std::memcpy(bytes.data() + sizeof context, static_cast<const void*>(touched.data()),
              touched.size() * sizeof(touched_box));
  return bytes;
}

planned_access plan_host_access(core& c, model::buffer_id id, const model::box& elements,
                                model::access_mode mode, bool no_init) {
  if (c.last_replayed != nullptr) c.settle_replays();
  model::requirement r;
  r.buffer = id;
  r.mode = mode;
  r.no_init = no_init && mode != model::access_mode::read;
  r.elements = elements;
  planned_access p;
  p.lane = c.take_host_lane();
  model::command command;
  command.payload = model::host_access_command{};
  command.requirements = {&r, 1};
  command.device = c.host_device;
  command.lane = p.lane;
  command.label = "host access";
  // Where it is now, if it is to be written: there it stays if it cannot be brought.
  std::vector<std::byte> context;
  if (writes(r.mode) && c.topology.memories.size() > 1) context = undo_context(c, r);
  try {
    c.plan_and_transfer(
        {&command, 1},
        [&](model::step_id step, const planner::step&,
            model::array_view<const lane_position> waits) {
          p.step = step;
          p.waits.assign(waits.begin(), waits.end());
        },
        [&](model::step_id step) -> model::array_view<const std::byte> {
          if (!context.empty()) reinterpret_cast<step_context*>(context.data())->step = step;
          return context;
        });
  } catch (...) {
    c.free_host_lanes.push_back(p.lane);
    throw;
  }
  return p;
}

void end_host_access(core& c, model::lane_id lane) noexcept {
  c.held.end(lane, [&](model::lane_id over) {
    lane_entry& l = c.lane(over);
    l.own->finish(l.own->finished() + 1);
    c.free_host_lanes.push_back(over);
  });
  host::team::instance().work_finished();
  host::team::instance().work_published();
}

std::vector<model::box> boxes_on_host(const core& c, model::buffer_id id, const model::box& all) {
  std::vector<model::box> boxes;
  c.state.for_each_validity(id, all, [&](const model::box& b, memory_mask m) {
    if ((m & mask_of(model::host_memory)) != 0) boxes.push_back(b);
  });
  return boxes;
}

// The parts of `sound` that the host access can trust: everything but what failed steps left behind
// and what could not be brought to the host. The cause of the latter, which nobody has heard of yet, goes
// to `missing`.
std::vector<model::box> sound_boxes(const core& c, model::buffer_id id, std::uint32_t generation,
                                    std::vector<model::box> sound, model::step_id access,
                                    std::exception_ptr& missing) {
  const auto unsound = [&](const failure_registry::entry& f) {
    return f.poisoned || (access < f.known_at && (f.affected & mask_of(model::host_memory)) != 0);
  };
  std::vector<model::box> left = std::move(sound);
  sound.clear();
  while (!left.empty()) {
    const model::box b = left.back();
    left.pop_back();
    const failure_registry::entry* f = c.failures.any(id, generation, b, unsound);
    if (f == nullptr) {
      sound.push_back(b);
      continue;
    }
    if (!f->poisoned) missing = f->cause;
    for_each_difference(b, f->elements, [&](const model::box& piece) { left.push_back(piece); });
  }
  return sound;
}

}  // namespace

buffer_key create_buffer(const buffer_description& d) {
  core& c = core::instance();
  if (d.info.grid.range() == model::extent3{} || volume(d.info.grid.range()) == 0)
    throw user_error(error_code::invalid, "a buffer must have at least one element");
  std::lock_guard lock(c.mutex);
  if (!c.retired.empty()) c.collect_retired();
  memory_mask valid = 0;
  if (d.use != host_data_use::none) valid |= mask_of(model::host_memory);
  for (std::size_t i = 0; i < d.external_count; ++i) {
    if (d.external[i].device.value() >= c.devices.size())
      throw user_error(error_code::invalid, "a USM allocation names a device that is not there");
    if (d.external[i].pointer == nullptr)
      throw user_error(error_code::invalid, "a USM allocation for a buffer is a null pointer");
    const model::memory_id m = c.topology.memory_of(d.external[i].device);
    for (std::size_t k = 0; k < i; ++k)
      if (c.topology.memory_of(d.external[k].device) == m)
        throw user_error(error_code::invalid,
                         "two USM allocations for one buffer are on devices that share a memory");
    if (d.external[i].holds_data) valid |= mask_of(m);
  }
  const model::buffer_id id = c.state.add_buffer(d.info, valid);
  while (c.buffers.size() <= id.value()) c.buffers.emplace_back();
  buffer_entry& b = c.buffers[id.value()];
  b.exists = b.alive = true;
  b.info = d.info;
  b.label = d.label;
  b.mirror = d.mirror;
  b.graph_uses = 0;
  try {
    for (std::size_t i = 0; i < d.external_count; ++i) {
      const external_allocation& e = d.external[i];
      const model::memory_id m = c.topology.memory_of(e.device);
      if (b.allocations.size() <= m.value()) b.allocations.resize(m.value() + 1);
      b.allocations[m.value()] = {e.pointer, e.owned, true, e.device};
    }
    if (d.use == host_data_use::in_place) {
      if (b.allocations.empty()) b.allocations.resize(1);
      b.allocations[0] = {d.host_data, false, false, c.host_device};
      b.in_place_host = true;
      pointer_registry::instance().add_borrowed(d.host_data, d.info.bytes(), c.host_device);
    } else if (d.use == host_data_use::copied) {
      std::memcpy(c.ensure_allocation(id, model::host_memory), d.host_data, d.info.bytes());
    }
  } catch (...) {
    c.release_buffer_slot(id);
    throw;
  }
  return core::key_of(id, b);
}

void set_write_back(buffer_key key, write_back w) {
  core& c = core::instance();
  std::lock_guard lock(c.mutex);
  c.living(key).on_end = std::move(w);
}

host_mirror mirror_of(buffer_key key) {
  core& c = core::instance();
  std::lock_guard lock(c.mutex);
  return c.living(key).mirror;
}

bool buffer_alive(buffer_key key) noexcept {
  core* c = core::started();
  if (c == nullptr || !key.valid()) return false;
  std::lock_guard lock(c->mutex);
  const auto index = static_cast<std::uint32_t>(key.value());
  return index < c->buffers.size() && c->buffers[index].alive &&
         c->buffers[index].generation == static_cast<std::uint32_t>(key.value() >> 32);
}

static void destroy(core& c, buffer_key key, bool blocking) {
  std::unique_lock lock(c.mutex);
  buffer_entry& b = c.living(key);
  const model::buffer_id id = core::id_of(key);
  const model::box all = model::box::of(b.info.grid.range());
  if (c.last_replayed != nullptr) c.settle_replays();

  const write_back::kind what = b.on_end.what;
  const bool writes_back = what != write_back::kind::none && any_valid(c, id, all);
  std::vector<lane_position> users;
  const auto collect_users = [&] { users = users_of(c, id, all, true); };

  if (writes_back && (blocking || what == write_back::kind::in_place)) {
    planned_access access;
    // What failed must not be brought to the host over good data: it counts as being there.
    collect_users();
    lock.unlock();
    c.wait(users);
    lock.lock();
    if (c.recording != nullptr) [[unlikely]]
      c.recording->host_waited_for_buffer(c, id);
    c.retire_finished_steps();
    c.failures.for_each(id, b.generation, all, [&](const failure_registry::entry& f) {
      if (f.poisoned)
        c.state.set_validity(id, f.elements, mask_of(model::host_memory), model::step_id());
    });
    void* host = c.ensure_allocation(id, model::host_memory);
    std::exception_ptr error;
    std::vector<model::box> there{all};
    try {
      access = plan_host_access(c, id, all, model::access_mode::read, false);
    } catch (const user_error&) {
      // Some of it cannot be brought here any more. The rest is written back.
      error = std::current_exception();
      access.step = c.state.next_step();
      there = boxes_on_host(c, id, all);
      collect_users();
      access.waits = users;
    }
    const bool complete = !error;
    lock.unlock();
    c.wait(access.waits);
    lock.lock();
    const std::vector<model::box> sound =
        sound_boxes(c, id, b.generation, std::move(there), access.step, error);
    const bool whole = sound.size() == 1 && sound[0] == all;
    const write_back w = std::move(b.on_end);
    const model::buffer_info info = b.info;
    const auto owner = b.last_queue.lock();
    lock.unlock();
    try {
      if (w.what == write_back::kind::pointer && w.pointer != host) {
        for (const model::box& piece : sound) {
          host::copy_bytes(
              copy_of_box(info, piece, w.pointer, model::host_memory, host, model::host_memory));
        }
      } else if (w.what == write_back::kind::deliver && w.deliver && whole) {
        w.deliver(host, info.bytes());
      }
    } catch (...) {
      error = std::current_exception();
    }
    if (error && owner != nullptr)
      owner->add_error(error);
    else if (error)
      log_warn("a buffer could not be written back: {}", text_of(error));
    lock.lock();
    if (complete) end_host_access(c, access.lane);
  } else if (blocking) {
    // The program may free its memory, or look at its data, as soon as the destructor has returned.
    collect_users();
    lock.unlock();
    c.wait(users);
    lock.lock();
    if (c.recording != nullptr) [[unlikely]]
      c.recording->host_waited_for_buffer(c, id);
    c.retire_finished_steps();
  }

  // Graphs go on with the buffer: its storage stays, and moves if it was the program's. Not under a
  // replay, which another thread may submit at any time.
  while (b.graph_uses != 0 && b.in_place_host) {
    if (c.last_replayed != nullptr) c.settle_replays();
    collect_users();
    if (!users.empty()) {
      lock.unlock();
      c.wait(users);
      lock.lock();
      continue;
    }
    allocation& a = b.allocations[0];
    void* user = a.pointer;
    pointer_registry::instance().remove_borrowed(user);
    c.free_allocation(a);
    a = {};
    b.in_place_host = false;
    void* own = c.ensure_allocation(id, model::host_memory);
    std::memcpy(own, user, b.info.bytes());
    rebind_graphs(c, id);
  }
  b.alive = false;
  if (b.graph_uses != 0) {
    b.on_end = {};
    return;
  }
  collect_users();
  if (b.in_place_host) pointer_registry::instance().remove_borrowed(b.allocations[0].pointer);
  if (users.empty())
    for (const allocation& a : b.allocations) c.free_allocation(a);
  else
    c.retired.push_back({users, b.allocations});
  c.release_buffer_slot(id);
}

// A buffer that ends in a host task which uses it would wait for ever: it ends with the host task.
static bool ends_with_host_task(core& c, buffer_key key) {
  const std::lock_guard lock(c.mutex);
  const buffer_entry& b = c.living(key);
  if (!waits_for_own_task(users_of(c, core::id_of(key), model::box::of(b.info.grid.range()), true)))
    return false;
  host::after_running_task([key] { destroy_buffer(key, true); });
  if (b.in_place_host || b.on_end.what == write_back::kind::pointer)
    log_warn(
        "a buffer over memory of the program ends in a host task that uses it: its data is written "
        "back when the host "
        "task has ended, and the memory has to stay until then");
  return true;
}

void destroy_buffer(buffer_key key, bool blocking) noexcept {
  try {
    core* c = core::started();
    if (c == nullptr) return;
    if (blocking && in_host_task() && ends_with_host_task(*c, key)) return;
    destroy(*c, key, blocking);
  } catch (const std::exception& e) {
    log_warn("a buffer could not be ended in order: {}", e.what());
  }
}

bool has_allocation(buffer_key key, model::device_id device) {
  core& c = core::instance();
  std::lock_guard lock(c.mutex);
  const buffer_entry& b = c.living(key);
  const model::memory_id m = c.topology.memory_of(device);
  return m.value() < b.allocations.size() && b.allocations[m.value()].pointer != nullptr;
}

void* device_pointer(buffer_key key, model::device_id device) {
  core& c = core::instance();
  std::lock_guard lock(c.mutex);
  c.living(key);
  return c.ensure_allocation(core::id_of(key), c.topology.memory_of(device));
}

void* host_storage(buffer_key key) {
  core& c = core::instance();
  std::lock_guard lock(c.mutex);
  c.living(key);
  return c.ensure_allocation(core::id_of(key), model::host_memory);
}

void set_allocation_owned(buffer_key key, model::device_id device, bool owned) {
  core& c = core::instance();
  std::lock_guard lock(c.mutex);
  buffer_entry& b = c.living(key);
  const model::memory_id m = c.topology.memory_of(device);
  if (m.value() >= b.allocations.size() || b.allocations[m.value()].pointer == nullptr)
    throw user_error(error_code::invalid, "the buffer has no allocation on this device yet");
  allocation& a = b.allocations[m.value()];
  if (a.owned == owned) return;
  if (!a.from_usm) {
    // Becomes an ordinary USM allocation of the program.
    if (b.in_place_host && m == model::host_memory)
      throw user_error(error_code::invalid,
                       "the buffer works on host memory of the program, which it never owns");
    pointer_registry::instance().remove(a.pointer);
    pointer_registry::instance().add(a.pointer, b.info.bytes(),
                                     m == model::host_memory ? usm_kind::host : usm_kind::device,
                                     a.device, true);
    a.from_usm = true;
  }
  a.owned = owned;
}

bool is_allocation_owned(buffer_key key, model::device_id device) {
  core& c = core::instance();
  std::lock_guard lock(c.mutex);
  const buffer_entry& b = c.living(key);
  const model::memory_id m = c.topology.memory_of(device);
  return m.value() < b.allocations.size() && b.allocations[m.value()].owned;
}

host_access acquire_on_host(buffer_key key, const model::box& elements, model::access_mode mode,
                            bool no_init) {
  core& c = core::instance();
  std::unique_lock lock(c.mutex);
  buffer_entry& b = c.living(key);
  const model::buffer_id id = core::id_of(key);
  const std::uint32_t generation = b.generation;
  host_access h;
  h.base = c.ensure_allocation(id, model::host_memory);
  if (in_host_task()) refuse_own_wait(users_of(c, id, elements, writes(mode)), "a host_accessor");
  c.held.make_room(c.lanes.size() + 1 + c.state.lane_count());
  planned_access p = plan_host_access(c, id, elements, mode, no_init);
  h.ticket = std::uint64_t{p.lane.value()} + 1;
  c.held.add({p.lane, p.step, id, generation, mode, elements, std::this_thread::get_id()});
  const auto own = own_accesses_last(c, p.lane, p.waits);
  lock.unlock();
  c.wait({p.waits.data(), p.waits.size() - own.size()}, "a host_accessor", p.lane);
  if (own.size() != 0) {
    try {
      wait_for_own_accesses(c, own, p.lane);
    } catch (...) {
      lock.lock();
      end_host_access(c, p.lane);
      throw;
    }
  }
  if (c.attention.load(std::memory_order_acquire)) {
    lock.lock();
    const bool replaces = no_init && mode != model::access_mode::read;
    const auto* f =
        replaces ? nullptr
                 : c.failures.find(id, generation, c.state.info(id).grid.page_aligned(elements),
                                   model::host_memory, p.step);
    if (f != nullptr) {
      const std::string cause = text_of(f->cause);
      const bool poisoned = f->poisoned;
      end_host_access(c, p.lane);
      throw user_error(error_code::runtime,
                       poisoned ? "the data is lost: a command that wrote it failed (" + cause +
                                      "). Overwrite it with no_init to use the buffer again"
                                : "the data is not there: a command that should have written it "
                                  "did not run (" +
                                      cause + "). Access it again for what it held before");
    }
    if (replaces) c.failures.clear(id, generation, elements);
  }
  return h;
}

void release_on_host(host_access h) noexcept {
  core* c = core::started();
  if (c == nullptr || h.ticket == 0) return;
  std::lock_guard lock(c->mutex);
  end_host_access(*c, model::lane_id(static_cast<std::uint32_t>(h.ticket - 1)));
}

}  // namespace pianola::runtime
