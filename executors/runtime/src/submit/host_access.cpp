// SPDX-License-Identifier: Apache-2.0
#include "submit/host_access.hpp"

#include <cstddef>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

#include <fmt/format.h>

#include <pianola/host/team.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/planning_state.hpp>
#include <pianola/runtime/buffers.hpp>

#include "data/buffer_table.hpp"
#include "data/failure_registry.hpp"
#include "data/held_accesses.hpp"
#include "execute/dispatcher.hpp"
#include "execute/own_accesses.hpp"
#include "execute/own_waits.hpp"
#include "execute/waiting.hpp"
#include "failures/step_context.hpp"
#include "machine/lane_table.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "queues/capturing.hpp"
#include "replay/executable/replay_table.hpp"
#include "replay/graphs/graph_legs.hpp"
#include "support/error_text.hpp"

namespace pianola::runtime {

using executors::lane_position;
using model::error_code;
using model::user_error;

namespace {

// The step_context of a command that would write this, with a box for each part that is valid elsewhere.
std::vector<std::byte> undo_context(const process& rt, const model::requirement& r) {
  std::vector<touched_box> touched;
  std::vector<std::uint64_t> more;
  const model::box written =
      r.no_init ? r.elements : rt.state.info(r.buffer).grid.page_aligned(r.elements);
  rt.state.for_each_validity(r.buffer, written,
                             [&](const model::box& where, const model::memory_set& valid) {
                               touched_box& t = touched.emplace_back();
                               t.buffer = r.buffer;
                               t.generation = rt.buffers[r.buffer].generation;
                               t.memory = model::host_memory;
                               t.writes = true;
                               t.elements = where;
                               set_before(t, valid, more);
                             });
  step_context context;
  context.touched_count = static_cast<std::uint32_t>(touched.size());
  const std::size_t of_boxes = touched.size() * sizeof(touched_box);
  std::vector<std::byte> bytes(sizeof context + of_boxes + more.size() * sizeof(std::uint64_t));
  std::memcpy(bytes.data(), static_cast<const void*>(&context), sizeof context);
  std::memcpy(bytes.data() + sizeof context, static_cast<const void*>(touched.data()), of_boxes);
  if (!more.empty())
    std::memcpy(bytes.data() + sizeof context + of_boxes, more.data(),
                more.size() * sizeof(std::uint64_t));
  return bytes;
}

[[noreturn]] void tell_of_failure(const failure_registry::entry& f) {
  const std::string cause = text_of(f.cause);
  throw user_error(
      error_code::runtime,
      f.poisoned ? fmt::format("the data is lost: a command that wrote it failed ({}). Overwrite "
                               "it with no_init to use the buffer again",
                               cause)
                 : fmt::format("the data is not there: a command that should have written it did "
                               "not run ({}). Access it again for what it held before",
                               cause));
}

}  // namespace

// What has not finished of the steps that an access of the elements would have to wait for.
std::vector<lane_position> users_of(const process& rt, model::buffer_id id,
                                    const model::box& elements, bool writes) {
  std::vector<model::step_id> steps;
  rt.state.conflicting_steps(id, elements, writes, steps);
  std::vector<lane_position> users;
  for (const model::step_id s : steps)
    if (!rt.lanes.finished(s)) users.push_back(rt.lanes.position_of(s));
  return users;
}

planned_access plan_host_access(process& rt, model::buffer_id id, const model::box& elements,
                                model::access_mode mode, bool no_init) {
  rt.replays.settle(rt);
  model::requirement r;
  r.buffer = id;
  r.mode = mode;
  r.no_init = no_init && mode != model::access_mode::read;
  r.elements = elements;
  planned_access p;
  p.lane = rt.lanes.take_for_host();
  model::command command;
  command.payload = model::host_access_command{};
  command.requirements = {&r, 1};
  command.device = rt.machine.host_device();
  command.lane = p.lane;
  command.label = "host access";
  // Where it is now, if it is to be written: there it stays if it cannot be brought.
  std::vector<std::byte> context;
  if (writes(r.mode) && rt.machine.has_several_memories()) context = undo_context(rt, r);
  try {
    rt.dispatcher.dispatch(
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
    rt.lanes.give_back_from_host(p.lane);
    throw;
  }
  return p;
}

void end_host_access(process& rt, model::lane_id lane) noexcept {
  rt.held.end(lane, [&](model::lane_id over) {
    lane_entry& l = rt.lanes.ready(over);
    l.own->finish(l.own->finished() + 1);
    rt.lanes.give_back_from_host(over);
  });
  host::team::instance().work_finished();
  host::team::instance().work_published();
}

host_access acquire_on_host(buffer_key key, const model::box& elements, model::access_mode mode,
                            bool no_init) {
  cut_recordings_of(key);
  if (capturing* const c = capturing::active()) c->host_uses(key);
  process& rt = process::instance();
  std::unique_lock lock(rt.mutex);
  buffer_entry& b = rt.buffers.living(key);
  if (b.parameter)
    throw user_error(
        error_code::invalid,
        "a host accessor is made of a graph_parameter, which holds no data; make it of "
        "the buffer that a launch names");
  const model::buffer_id id = buffer_table::id_of(key);
  const std::uint32_t generation = b.generation;
  host_access h;
  h.base = rt.buffers.ensure_allocation(id, model::host_memory);
  if (in_host_task()) refuse_own_wait(users_of(rt, id, elements, writes(mode)), "a host_accessor");
  rt.held.make_room(rt.lanes.size() + 1 + rt.state.lane_count());
  planned_access p = plan_host_access(rt, id, elements, mode, no_init);
  h.ticket = std::uint64_t{p.lane.value()} + 1;
  rt.held.add({p.lane, id, generation, mode, std::this_thread::get_id()});
  try {
    const auto own = own_accesses_last(rt, p.lane, p.waits);
    lock.unlock();
    wait_until_reached(rt, {p.waits.data(), p.waits.size() - own.size()}, "a host_accessor",
                       p.lane);
    if (own.size() != 0) wait_for_own_accesses(rt, own, p.lane);
    if (rt.failures.attention().load(std::memory_order_acquire)) {
      lock.lock();
      const bool replaces = no_init && mode != model::access_mode::read;
      if (replaces)
        rt.failures.clear(id, generation, elements);
      else if (const auto* f =
                   rt.failures.find(id, generation, rt.state.info(id).grid.page_aligned(elements),
                                    model::host_memory, p.step))
        tell_of_failure(*f);
    }
  } catch (...) {
    // Whoever comes after it would wait for ever.
    const callback_lock still(rt.mutex);
    end_host_access(rt, p.lane);
    throw;
  }
  return h;
}

void release_on_host(host_access h) noexcept {
  process* rt = process::started();
  if (rt == nullptr || h.ticket == 0) return;
  std::lock_guard lock(rt->mutex);
  end_host_access(*rt, model::lane_id(static_cast<std::uint32_t>(h.ticket - 1)));
}

}  // namespace pianola::runtime
