// SPDX-License-Identifier: Apache-2.0
#include "execute/dispatcher.hpp"

#include <cstddef>
#include <new>

#include <pianola/planner/planning_state.hpp>

#include "commands/addresses.hpp"
#include "data/buffer_table.hpp"
#include "data/failure_registry.hpp"
#include "data/held_accesses.hpp"
#include "machine/lane_table.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "recording/eager_recorder.hpp"
#include "support/log.hpp"
#include "support/plan_log.hpp"

namespace pianola::runtime {

using executors::lane_position;
using model::user_error;

namespace {

// What travels with a transfer.
struct transfer_step_context {
  step_context context;
  touched_box touched;
  [[nodiscard]] model::array_view<const std::byte> bytes() const noexcept {
    return {reinterpret_cast<const std::byte*>(this), sizeof *this};
  }
};

transfer_step_context transfer_context(const buffer_table& buffers, const planner::transfer_step& t,
                                       model::step_id id) noexcept {
  static_assert(offsetof(transfer_step_context, touched) == sizeof(step_context));
  transfer_step_context made;
  made.context.step = id;
  made.context.what = "transfer";
  made.context.transfer = true;
  made.context.transfer_to = t.to;
  made.context.touched_count = 1;
  made.touched.buffer = t.buffer;
  made.touched.generation = buffers[t.buffer].generation;
  made.touched.memory = t.from;
  made.touched.reads = true;
  made.touched.elements = t.elements;
  return made;
}

}  // namespace

void dispatcher::plan(model::array_view<const model::command> commands) {
  if (++since_retire_ >= retire_every || rt_.buffers.any_retired() || !rt_.failures.empty()) {
    since_retire_ = 0;
    retire_finished_steps();
  }
  planner::plan_window(commands, rt_.state, rt_.machine.topology(), planning_options(), false,
                       plan_);
}

void dispatcher::make_lanes() { rt_.lanes.follow_planner(); }

void dispatcher::retire_finished_steps() noexcept {
  model::step_id at = rt_.state.retired();
  const model::step_id end = rt_.state.next_step();
  while (at < end && rt_.lanes.finished(at)) at = model::step_id(at.value() + 1);
  rt_.state.retire_below(at);
  if (rt_.failures.attention().load(std::memory_order_relaxed)) {
    rt_.failures.retire_below(at);
    rt_.failures.lower_attention();
  }
  if (rt_.buffers.any_retired()) rt_.buffers.collect_retired();
}

model::array_view<const lane_position> dispatcher::waits_of(const planner::step& s) {
  waits_.clear();
  for (const model::step_id before : plan_.waits_of(s)) {
    if (before < rt_.state.retired()) continue;
    waits_.push_back(rt_.lanes.position_of(before));
  }
  lane_position& first = rt_.lanes[s.lane].hold_off;
  if (first.lane != nullptr) {
    if (first.lane->reached(first.position))
      first = {};
    else
      waits_.push_back(first);
  }
  if (rt_.held.any()) [[unlikely]]
    for (const lane_position& p : waits_)
      if (!p.lane->reached(p.position))
        if (const model::lane_id host = rt_.lanes.host_lane_of(p.lane); host.valid())
          rt_.held.put_in_the_way(host);
  return {waits_.data(), waits_.size()};
}

void dispatcher::submit_transfer(const planner::transfer_step& t, const planner::step& s,
                                 model::step_id id) {
  const buffer_entry& b = rt_.buffers[t.buffer];
  executors::step_submission out;
  out.action = copy_of_box(b.info, t.elements, rt_.buffers.ensure_allocation(t.buffer, t.to), t.to,
                           rt_.buffers.ensure_allocation(t.buffer, t.from), t.from);
  const transfer_step_context context = transfer_context(rt_.buffers, t, id);
  out.context = context.bytes();
  out.waits = waits_of(s);
  lane_entry& l = rt_.lanes.ready(s.lane);
  const executors::status status = l.owner->submit(*l.native, out);
  if (!status.ok()) throw user_error(status.code, status.reason);
  ++rt_.counted.transfers;
  rt_.counted.transferred_bytes += t.elements.count() * b.info.element_size;
  rt_.counted.transferred_pages += b.info.grid.page_count(t.elements);
  log_trace("transfer of buffer {} from memory {} to memory {}: {} bytes", t.buffer.value(),
            t.from.value(), t.to.value(), t.elements.count() * b.info.element_size);
}

void dispatcher::refuse_transfer(const planner::transfer_step& t, const planner::step& s,
                                 model::step_id id, const std::exception_ptr& cause) {
  refuse(s, id, transfer_context(rt_.buffers, t, id).bytes(), cause);
}

void dispatcher::refuse(const planner::step& s, model::step_id id,
                        model::array_view<const std::byte> context,
                        const std::exception_ptr& cause) {
  refusals_.refuse(s.lane, id, waits_of(s), begun_segments, context, cause);
  begun_segments.clear();
}

void dispatcher::note_submitted_step(const planner::step& s, model::step_id id) {
  note_submitted(rt_.lanes.position_of(id), waits_of(s));
}

void dispatcher::note_planned(model::array_view<const model::command> commands) {
  if (rt_.recording == nullptr) [[likely]]
    return;
  try {
    rt_.recording->planned(rt_, commands, plan_);
  } catch (const std::bad_alloc&) {
    rt_.recording->give_up();
  }
}

}  // namespace pianola::runtime
