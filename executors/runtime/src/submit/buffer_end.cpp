// SPDX-License-Identifier: Apache-2.0
// How buffers end: their contents are written back, and their storage goes when nobody uses it any more.
#include <cstring>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include <pianola/host/memory_steps.hpp>
#include <pianola/host/running_task.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/planning_state.hpp>
#include <pianola/runtime/buffers.hpp>

#include "commands/addresses.hpp"
#include "data/buffer_table.hpp"
#include "data/failure_registry.hpp"
#include "data/pointer_registry.hpp"
#include "execute/dispatcher.hpp"
#include "execute/memory_pools.hpp"
#include "execute/own_waits.hpp"
#include "execute/waiting.hpp"
#include "process.hpp"
#include "queues/capturing.hpp"
#include "queues/queue.hpp"
#include "recording/eager_recorder.hpp"
#include "replay/executable/replay_table.hpp"
#include "replay/recorded/graph_parts.hpp"
#include "submit/host_access.hpp"
#include "support/error_text.hpp"
#include "support/log.hpp"

namespace pianola::runtime {

using executors::lane_position;
using model::user_error;
using planner::mask_of;
using planner::memory_mask;

namespace {

bool any_valid(const process& rt, model::buffer_id id, const model::box& all) {
  memory_mask m = 0;
  rt.state.for_each_validity(id, all, [&](const model::box&, memory_mask v) { m |= v; });
  return m != 0;
}

std::vector<model::box> boxes_on_host(const process& rt, model::buffer_id id,
                                      const model::box& all) {
  std::vector<model::box> boxes;
  rt.state.for_each_validity(id, all, [&](const model::box& b, memory_mask m) {
    if ((m & mask_of(model::host_memory)) != 0) boxes.push_back(b);
  });
  return boxes;
}

// The parts of `sound` that the host access can trust: everything but what failed steps left behind
// and what could not be brought to the host. The cause of the latter, which nobody has heard of yet, goes
// to `missing`.
std::vector<model::box> sound_boxes(const process& rt, model::buffer_id id,
                                    std::uint32_t generation, std::vector<model::box> sound,
                                    model::step_id access, std::exception_ptr& missing) {
  const auto unsound = [&](const failure_registry::entry& f) {
    return f.poisoned || (access < f.known_at && (f.affected & mask_of(model::host_memory)) != 0);
  };
  std::vector<model::box> left = std::move(sound);
  sound.clear();
  while (!left.empty()) {
    const model::box b = left.back();
    left.pop_back();
    const failure_registry::entry* f = rt.failures.any(id, generation, b, unsound);
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

static void destroy(process& rt, buffer_key key, bool blocking) {
  std::unique_lock lock(rt.mutex);
  buffer_entry& b = rt.buffers.living(key);
  const model::buffer_id id = buffer_table::id_of(key);
  const model::box all = model::box::of(b.info.grid.range());
  rt.replays.settle(rt);

  const write_back::kind what = b.on_end.what;
  const bool writes_back = what != write_back::kind::none && any_valid(rt, id, all);
  std::vector<lane_position> users;
  const auto collect_users = [&] { users = users_of(rt, id, all, true); };
  const auto wait_for_users = [&] {
    collect_users();
    lock.unlock();
    wait_until_reached(rt, users);
    lock.lock();
    if (rt.recording != nullptr) [[unlikely]]
      rt.recording->host_waited_for_buffer(rt, id);
    rt.dispatcher.retire_finished_steps();
  };

  if (writes_back && (blocking || what == write_back::kind::in_place)) {
    planned_access access;
    // What failed must not be brought to the host over good data: it counts as being there.
    wait_for_users();
    rt.failures.for_each(id, b.generation, all, [&](const failure_registry::entry& f) {
      if (f.poisoned)
        rt.state.set_validity(id, f.elements, mask_of(model::host_memory), model::step_id());
    });
    void* host = rt.buffers.ensure_allocation(id, model::host_memory);
    std::exception_ptr error;
    std::vector<model::box> there{all};
    try {
      access = plan_host_access(rt, id, all, model::access_mode::read, false);
    } catch (const user_error&) {
      // Some of it cannot be brought here any more. The rest is written back.
      error = std::current_exception();
      access.step = rt.state.next_step();
      there = boxes_on_host(rt, id, all);
      collect_users();
      access.waits = users;
    }
    const bool complete = !error;
    lock.unlock();
    wait_until_reached(rt, access.waits);
    lock.lock();
    const std::vector<model::box> sound =
        sound_boxes(rt, id, b.generation, std::move(there), access.step, error);
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
    if (complete) end_host_access(rt, access.lane);
  } else if (blocking) {
    // The program may free its memory, or look at its data, as soon as the destructor has returned.
    wait_for_users();
  }

  // Graphs go on with the buffer: its storage stays, and moves if it was the program's. Not under a
  // replay, which another thread may submit at any time.
  while (b.graph_uses != 0 && b.in_place_host) {
    rt.replays.settle(rt);
    collect_users();
    if (!users.empty()) {
      lock.unlock();
      wait_until_reached(rt, users);
      lock.lock();
      continue;
    }
    allocation& a = b.allocations[0];
    void* user = a.pointer;
    pointer_registry::instance().remove_borrowed(user);
    rt.buffers.free(a);
    a = {};
    b.in_place_host = false;
    void* own = rt.buffers.ensure_allocation(id, model::host_memory);
    std::memcpy(own, user, b.info.bytes());
    rt.replays.rebind(rt, id);
  }
  b.alive = false;
  if (b.graph_uses != 0) {
    b.on_end = {};
    return;
  }
  collect_users();
  if (b.in_place_host) pointer_registry::instance().remove_borrowed(b.allocations[0].pointer);
  if (users.empty())
    for (const allocation& a : b.allocations) rt.buffers.free(a);
  else
    rt.buffers.retire(users, b.allocations);
  rt.buffers.release(id);
}

// A buffer that ends in a host task which uses it would wait for ever: it ends with the host task.
static bool ends_with_host_task(process& rt, buffer_key key) {
  const std::lock_guard lock(rt.mutex);
  const buffer_entry& b = rt.buffers.living(key);
  if (!waits_for_own_task(
          users_of(rt, buffer_table::id_of(key), model::box::of(b.info.grid.range()), true)))
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
  if (capturing* const c = capturing::active()) c->ends(key);
  try {
    cut_recordings_of(key);
  } catch (const std::exception& e) {
    log_warn("a recording could not be cut at the end of a buffer: {}", e.what());
  }
  try {
    process* rt = process::started();
    if (rt == nullptr) return;
    if (blocking && in_host_task() && ends_with_host_task(*rt, key)) return;
    destroy(*rt, key, blocking);
  } catch (const std::exception& e) {
    log_warn("a buffer could not be ended in order: {}", e.what());
  }
}

}  // namespace pianola::runtime
