// SPDX-License-Identifier: Apache-2.0
#include "replay/executable/graph_replays.hpp"

#include <utility>

#include <pianola/host/clock.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/planning_state.hpp>

#include "data/buffer_table.hpp"
#include "data/failure_registry.hpp"
#include "execute/dispatcher.hpp"
#include "failures/step_context.hpp"
#include "machine/lane_table.hpp"
#include "process.hpp"
#include "queues/event_record.hpp"
#include "queues/launch_times.hpp"
#include "queues/queue.hpp"
#include "queues/queue_table.hpp"
#include "recording/eager_recorder.hpp"
#include "recording/graph_times.hpp"
#include "replay/executable/loop_watch.hpp"
#include "replay/executable/native_segments.hpp"
#include "replay/executable/replay_table.hpp"
#include "support/log.hpp"

namespace pianola::runtime {

using executors::lane_position;
using model::error_code;
using model::user_error;
using planner::transfer_step;

void graph_replays::prepare(const replay_options& options, bool has_host_tasks) {
  options_ = options;
  has_host_tasks_ = has_host_tasks;
  has_loops_of_devices_ = loop_watch::concerns(g_.recorded);
  count_transfers();
  make_requirements();
}

void graph_replays::count_transfers() {
  for (const auto& s : g_.plan.steps)
    if (const auto* t = std::get_if<transfer_step>(&s.action)) {
      const auto& info = g_.recorded.buffers[t->buffer.value()];
      ++transfers_;
      transferred_bytes_ += t->elements.count() * info.element_size;
      transferred_pages_ += info.grid.page_count(t->elements);
    }
}

void graph_replays::make_requirements() {
  const auto add = [&](model::buffer_id plan, const model::requirement& r) {
    requirements_.push_back(r);
    requirements_.back().buffer = g_.live[plan.value()];
    required_.push_back(plan.value());
  };
  for (const auto& e : g_.plan.contract)
    e.memories.for_each([&](model::memory_id m) {
      model::requirement r;
      r.mode = model::access_mode::read;
      r.memory = m;
      r.elements = e.elements;
      add(e.buffer, r);
    });
  for (const auto& a : g_.plan.accesses) {
    // Reads are listed with their memories above.
    if (!a.written) continue;
    model::requirement r;
    r.mode = model::access_mode::write;
    r.no_init = true;
    r.memory = model::host_memory;
    r.elements = a.elements;
    add(a.buffer, r);
  }
}

void graph_replays::retell(process& rt) noexcept {
  if (told_as_ == 0) return;
  if (rt.recording != nullptr) rt.recording->replays_end(told_as_);
  told_as_ = 0;
}

void graph_replays::take_buffer(process& rt, model::buffer_id plan,
                                model::buffer_id live) noexcept {
  retell(rt);
  for (std::size_t k = 0; k < required_.size(); ++k)
    if (required_[k] == plan.value()) requirements_[k].buffer = live;
}

void graph_replays::settle_if_last(process& rt) {
  if (rt.replays.were_last(*this)) rt.replays.settle(rt);
}

// What a replay comes after, besides those that it conflicts with: what the program and the queue ask for, and launches of the
// same graph before.
std::vector<std::uint64_t> graph_replays::order_of_replay(const process& rt, const queue& q,
                                                          const submission& s,
                                                          const launch_order& order) const {
  std::vector<std::uint64_t> after;
  const auto add = [&](model::step_id step) {
    if (step.valid() && step >= rt.state.retired()) after.push_back(step.value());
  };
  for (const event& e : s.after) {
    if (is_recorded(e))
      throw user_error(error_code::invalid,
                       "a graph submitted to a device cannot wait for an event of a recording");
    add(e.step);
  }
  add(q.description().in_order ? q.last_step : q.barrier_step);
  for (const model::step_id step : order.before) add(step);
  order.outside.for_each(rt.queues, add);
  // In one lane they follow each other anyway.
  if (!overlaps() && order.last_lane != segments_.lane()) add(order.last_launch);
  for (const auto& memory : g_.recorded.memories) add(memory->last_replay);
  return after;
}

// Null: nobody asks when it ran.
std::shared_ptr<event_record> graph_replays::begin_record(const process& rt, const queue& q) const {
  const bool of_nodes = g_.places != nullptr;
  if (!q.description().profiling && !of_nodes &&
      (rt.recording == nullptr || !rt.recording->times_of(q)))
    return nullptr;
  auto record = std::make_shared<event_record>();
  record->timed = true;
  record->submitted.store(host::nanoseconds_now(), std::memory_order_relaxed);
  if (of_nodes) record->nodes = std::make_shared<launch_times>(g_.places);
  return record;
}

event graph_replays::replay(process& rt, queue& q, const submission& s, launch_order& order) {
  const bool known = rt.replays.were_last(*this) && !rt.failures.replays_disturbed;
  if (!known) {
    rt.replays.settle(rt);
    rt.failures.replays_disturbed = false;
  }
  const std::vector<std::uint64_t> after = order_of_replay(rt, q, s, order);
  model::command command;
  command.payload = model::subgraph_command{this, g_.recorded.commands.size()};
  // A replay right after a replay of the same graph finds everything as the plan left it.
  if (!known) command.requirements = requirements_;
  command.after = after;
  command.device = g_.device;
  command.lane = segments_.lane();
  command.label = "graph";
  if (rt.recording != nullptr) [[unlikely]] {
    if (told_as_ == 0)
      told_as_ =
          rt.recording->tell_replays(rt, command, requirements_for_files(), g_.recorded.hash);
    rt.recording->replaying(rt, q, s, order.outside, told_as_);
  }
  // Once it is submitted nothing may say otherwise.
  q.make_room_for_tail();
  if (has_host_tasks_) rt.queues.unfinished_host_tasks.make_room(rt.lanes);
  std::shared_ptr<event_record> record;
  event result;
  rt.dispatcher.dispatch({&command, 1}, [&](model::step_id step, const planner::step& planned,
                                            model::array_view<const lane_position> waits) {
    record = begin_record(rt, q);
    try {
      segments_.launch(rt, planned, step, q.id(), record, waits);
    } catch (...) {
      spoil(rt, std::current_exception());
      throw;
    }
    const lane_position at = rt.lanes.position_of(step);
    result.step = step;
    result.lane = at.lane;
    result.position = at.position;
    if (q.description().profiling || g_.places != nullptr) result.record = record;
  });
  if (rt.recording != nullptr && g_.times != nullptr && g_.times->of_launches) [[unlikely]]
    rt.recording->timed_nodes(g_.times, record);
  if (rt.recording != nullptr && rt.recording->times_of(q)) [[unlikely]]
    rt.recording->timed(std::move(record));
  if (known)
    ++unsettled_;
  else
    planner::apply_exit_state(g_.plan, g_.live, rt.state, result.step);
  note_replay(rt, q, order, result);
  return result;
}

void graph_replays::note_replay(process& rt, queue& q, launch_order& order, const event& replayed) {
  last_step_ = replayed.step;
  order.last_launch = replayed.step;
  order.last_lane = segments_.lane();
  // Of several in flight the second one does not come after the first.
  if (!overlaps()) order.outside.clear();
  for (const auto& memory : g_.recorded.memories) memory->last_replay = replayed.step;
  rt.replays.note(*this);
  q.add_tail(replayed.lane, replayed.position, replayed.step);
  q.last_step = replayed.step;
  if (q.description().in_order) q.last = replayed;
  if (has_host_tasks_) rt.queues.unfinished_host_tasks.note(replayed.step, q.id());
  if (has_loops_of_devices_)
    if (loop_watch* const watch = loop_watch::instance())
      watch->note(*replayed.lane, replayed.position, watched_as_);
  ++rt.counted.commands;
  ++rt.counted.replays;
  rt.counted.transfers += transfers_;
  rt.counted.transferred_bytes += transferred_bytes_;
  rt.counted.transferred_pages += transferred_pages_;
}

// A replay of which some segments run and others were refused leaves nothing that could be trusted.
void graph_replays::spoil(process& rt, const std::exception_ptr& cause) {
  if (rt.dispatcher.begun_segments.empty()) return;
  for (const auto& a : g_.plan.accesses) {
    if (!a.written) continue;
    const model::buffer_id id = g_.live[a.buffer.value()];
    rt.failures.add({id,
                     rt.buffers[id].generation,
                     a.elements,
                     cause,
                     true,
                     rt.state.next_step(),
                     {},
                     failure_registry::everywhere});
  }
  rt.failures.replays_disturbed = true;
  rt.failures.raise_attention();
}

// What a replay needs and leaves, data and not only order, as the plan says.
std::vector<model::requirement> graph_replays::requirements_for_files() const {
  std::vector<model::requirement> all;
  const auto add = [&](const planner::validity_entry& e, model::access_mode mode) {
    e.memories.for_each([&](model::memory_id m) {
      model::requirement r;
      r.buffer = g_.live[e.buffer.value()];
      r.mode = mode;
      r.no_init = mode == model::access_mode::write;
      r.memory = m;
      r.elements = e.elements;
      all.push_back(r);
    });
  };
  for (const auto& e : g_.plan.contract) add(e, model::access_mode::read);
  for (const auto& e : g_.plan.exit) add(e, model::access_mode::write);
  return all;
}

void graph_replays::settle(process& rt) {
  if (unsettled_ == 0) return;
  struct written_box {
    model::buffer_id buffer;
    model::box elements;
    model::memory_set valid;
  };
  std::vector<written_box> as_rolled_back;
  if (rt.failures.replays_disturbed)
    for (const model::requirement& r : requirements_)
      if (writes(r.mode))
        rt.state.for_each_validity(r.buffer, r.elements,
                                   [&](const model::box& e, const model::memory_set& m) {
                                     as_rolled_back.push_back({r.buffer, e, m});
                                   });
  // An empty step on the graph's lane, after the last replay, stands for all of them.
  model::command command;
  command.payload = model::subgraph_command{this, g_.recorded.commands.size()};
  command.requirements = requirements_;
  command.device = g_.device;
  command.lane = segments_.lane();
  const auto execute = [&](model::step_id step, const planner::step& planned,
                           model::array_view<const lane_position> waits) {
    step_context context;
    context.step = step;
    unsettled_ = 0;
    executors::step_submission out;
    out.waits = waits;
    out.context = {reinterpret_cast<const std::byte*>(&context), sizeof context};
    lane_entry& l = rt.lanes.ready(planned.lane);
    last_step_ = step;
    const executors::status status = l.owner->submit(*l.native, out);
    if (!status.ok()) throw user_error(status.code, status.reason);
  };
  if (rt.recording != nullptr) [[unlikely]]
    rt.recording->settling();
  try {
    rt.dispatcher.dispatch({&command, 1}, execute);
  } catch (const user_error& e) {
    // The replays themselves were taken.
    log_warn("a graph's replays could not be settled: {}", e.what());
  } catch (const std::exception& e) {
    // Before the step was planned the next one can try again.
    if (unsettled_ != 0) throw;
    log_warn("a graph's replays could not be settled: {}", e.what());
  }
  unsettled_ = 0;
  // The state is what the first of them left, except where a failure has rolled it back.
  if (as_rolled_back.empty())
    planner::apply_exit_state(g_.plan, g_.live, rt.state, last_step_);
  else
    for (const written_box& b : as_rolled_back)
      rt.state.set_validity(b.buffer, b.elements, b.valid, last_step_);
}

}  // namespace pianola::runtime
