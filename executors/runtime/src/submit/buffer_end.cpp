// SPDX-License-Identifier: Apache-2.0
// How buffers end: their contents are written back, and their storage goes when nobody uses it any more.
#include <exception>
#include <mutex>
#include <new>
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
#include "replay/graphs/graph_legs.hpp"
#include "submit/host_access.hpp"
#include "support/error_text.hpp"
#include "support/log.hpp"

namespace pianola::runtime {

using executors::lane_position;
using model::user_error;

namespace {

bool any_valid(const process& rt, model::buffer_id id, const model::box& all) {
  bool any = false;
  rt.state.for_each_validity(
      id, all, [&](const model::box&, const model::memory_set& v) { any = any || !v.empty(); });
  return any;
}

std::vector<model::box> boxes_on_host(const process& rt, model::buffer_id id,
                                      const model::box& all) {
  std::vector<model::box> boxes;
  rt.state.for_each_validity(id, all, [&](const model::box& b, const model::memory_set& m) {
    if (m.contains(model::host_memory)) boxes.push_back(b);
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
    return f.poisoned || (access < f.known_at && (f.affected == failure_registry::everywhere ||
                                                  f.affected == model::host_memory));
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

// One buffer on its way out. The runtime's lock is held but where something is waited for.
class ending_buffer {
 public:
  ending_buffer(process& runtime, buffer_key key)
      : rt_(runtime),
        lock_(runtime.mutex),
        entry_(runtime.buffers.living(key)),
        id_(buffer_table::id_of(key)),
        all_(model::box::of(entry_.info.grid.range())) {
    rt_.replays.settle(rt_);
  }

  [[nodiscard]] bool has_contents_to_write_back() const {
    return entry_.on_end.what != write_back::kind::none && any_valid(rt_, id_, all_);
  }
  [[nodiscard]] bool is_written_in_place() const noexcept {
    return entry_.on_end.what == write_back::kind::in_place;
  }

  void wait_for_users() {
    wait_until(users());
    if (rt_.recording != nullptr) [[unlikely]]
      rt_.recording->host_waited_for_buffer(rt_, id_);
    rt_.dispatcher.retire_finished_steps();
  }
  void write_back_contents();
  void give_to_graphs();
  void give_up_storage();

 private:
  [[nodiscard]] std::vector<lane_position> users() const { return users_of(rt_, id_, all_, true); }
  void wait_until(const std::vector<lane_position>& positions) {
    lock_.unlock();
    wait_until_reached(rt_, positions);
    lock_.lock();
  }
  // What of it is on the host as the program shall see it, after a host access to all of it. `access` has a lane if that
  // could be planned, and has to be ended. `error`: why something is missing.
  std::vector<model::box> bring_to_host(planned_access& access, std::exception_ptr& error);

  process& rt_;
  std::unique_lock<runtime_mutex> lock_;
  buffer_entry& entry_;
  const model::buffer_id id_;
  const model::box all_;
};

std::vector<model::box> ending_buffer::bring_to_host(planned_access& access,
                                                     std::exception_ptr& error) {
  std::vector<model::box> there{all_};
  try {
    access = plan_host_access(rt_, id_, all_, model::access_mode::read, false);
  } catch (const user_error&) {
    // Some of it cannot be brought here any more. The rest is written back.
    error = std::current_exception();
    access.step = rt_.state.next_step();
    there = boxes_on_host(rt_, id_, all_);
    access.waits = users();
  }
  wait_until(access.waits);
  return sound_boxes(rt_, id_, entry_.generation, std::move(there), access.step, error);
}

void ending_buffer::write_back_contents() {
  // What failed must not be brought to the host over good data: it counts as being there.
  wait_for_users();
  rt_.failures.for_each(id_, entry_.generation, all_, [&](const failure_registry::entry& f) {
    if (f.poisoned)
      rt_.state.set_validity(id_, f.elements, model::memory_set(model::host_memory),
                             model::step_id());
  });
  void* const host = rt_.buffers.ensure_allocation(id_, model::host_memory);
  planned_access access;
  std::exception_ptr error;
  // Whatever happens, the access ends: others wait for it.
  const struct end_of_access {
    process& rt;
    const planned_access& access;
    ~end_of_access() {
      const callback_lock lock(rt.mutex);
      if (access.lane.valid()) end_host_access(rt, access.lane);
    }
  } end{rt_, access};
  const std::vector<model::box> sound = bring_to_host(access, error);
  const bool whole = sound.size() == 1 && sound[0] == all_;
  write_back w = std::move(entry_.on_end);
  const model::buffer_info info = entry_.info;
  auto owner = entry_.last_queue.lock();
  lock_.unlock();
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
  // The last of a queue calls its handler, and what the program gave for its data is the program's: both go without the lock.
  owner.reset();
  w = {};
  lock_.lock();
}

// Graphs go on with the buffer: its storage stays, and moves if it was the program's. Not under a replay, which another
// thread may submit at any time.
void ending_buffer::give_to_graphs() {
  while (entry_.graph_uses != 0 && entry_.in_place_host) {
    rt_.replays.settle(rt_);
    if (const std::vector<lane_position> in_use = users(); !in_use.empty()) {
      wait_until(in_use);
      continue;
    }
    rt_.buffers.move_out_of_program(id_);
    if (entry_.lost)
      log_warn(
          "there is no memory for what a buffer of {} bytes leaves to the graphs that use it: they "
          "cannot be launched any more",
          entry_.info.bytes());
    rt_.replays.rebind(rt_, id_);
  }
}

void ending_buffer::give_up_storage() {
  std::vector<lane_position> last = users();
  const bool stays = entry_.graph_uses != 0, in_use = !last.empty();
  // Who ends it again when this has thrown finds it alive.
  if (!stays && in_use) rt_.buffers.retire(std::move(last), entry_.allocations);
  entry_.alive = false;
  if (stays) {
    entry_.on_end = {};
    return;
  }
  if (entry_.in_place_host)
    pointer_registry::instance().remove_borrowed(entry_.allocations[0].pointer);
  if (!in_use)
    for (const allocation& a : entry_.allocations) rt_.buffers.free(a);
  rt_.buffers.release(id_);
}

void destroy(process& rt, buffer_key key, bool blocking) {
  ending_buffer b(rt, key);
  if (b.has_contents_to_write_back() && (blocking || b.is_written_in_place()))
    b.write_back_contents();
  else if (
      blocking)  // the program may free its memory, or look at its data, as soon as the destructor has returned
    b.wait_for_users();
  b.give_to_graphs();
  b.give_up_storage();
}

// A buffer that ends in a host task which uses it would wait for ever: it ends with the host task.
bool ends_with_host_task(process& rt, buffer_key key) {
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

}  // namespace

void destroy_buffer(buffer_key key, bool blocking) noexcept {
  if (capturing* const c = capturing::active()) c->ends(key);
  try {
    cut_recordings_of(key);
  } catch (const std::exception& e) {
    log_warn("a recording could not be cut at the end of a buffer: {}", e.what());
  }
  // Nobody can be told that it has not ended: what pools keep is given back before it is given up.
  for (int attempts = 3; attempts > 0; --attempts) {
    try {
      process* rt = process::started();
      if (rt == nullptr) return;
      if (blocking && in_host_task() && ends_with_host_task(*rt, key)) return;
      return destroy(*rt, key, blocking);
    } catch (const std::bad_alloc&) {
      memory_pools::instance().trim();
    } catch (const std::exception& e) {
      log_warn("a buffer could not be ended in order: {}", e.what());
      return;
    }
  }
  log_warn("a buffer could not be ended in order: there is no memory left");
}

}  // namespace pianola::runtime
