// SPDX-License-Identifier: Apache-2.0
#include "execute/refusals.hpp"

#include <cstring>
#include <memory>
#include <vector>

#include <pianola/planner/planning_state.hpp>

#include "data/failure_registry.hpp"
#include "failures/observer.hpp"
#include "failures/step_context.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "support/log.hpp"

namespace pianola::runtime {

using executors::lane_position;

namespace {

struct refusal {
  process* rt;
  std::exception_ptr cause;
  std::vector<std::max_align_t> context;
};

void note(process& rt, const void* context, const std::exception_ptr& cause) {
  take_back(rt, *static_cast<const step_context*>(context), cause);
  rt.failures.replays_disturbed = true;
  rt.failures.raise_attention();
}

// Runs where the refused step would have: everything before it has finished.
void deal_with(void* arguments) {
  const std::unique_ptr<refusal> r(*static_cast<refusal**>(arguments));
  const callback_lock lock(r->rt->mutex);
  if (!r->context.empty()) note(*r->rt, r->context.data(), r->cause);
}

// Those of `positions` that have not been reached.
void add_unreached(model::array_view<const lane_position> positions,
                   std::vector<lane_position>& to) {
  for (const lane_position& p : positions) {
    if (p.lane == nullptr || p.lane->reached(p.position)) continue;
    if (executors::progress_source* source = p.lane->source()) source->look(*p.lane);
    if (!p.lane->reached(p.position)) to.push_back(p);
  }
}

}  // namespace

void refusals::refuse(model::lane_id lane, model::step_id id,
                      model::array_view<const lane_position> waits,
                      model::array_view<const lane_position> begun,
                      model::array_view<const std::byte> context, const std::exception_ptr& cause) {
  lane_entry& l = rt_.lanes[lane];
  const std::uint64_t position = rt_.state.position_in_lane(id);
  std::vector<lane_position> left;
  add_unreached(waits, left);
  add_unreached(begun, left);
  if (position > 1) {
    const lane_position before = l.place_of(position - 1);
    add_unreached({&before, 1}, left);
  }
  std::size_t over = 0;
  while (over < l.refused.size() &&
         l.refused[over].stand_in.lane->reached(l.refused[over].stand_in.position))
    ++over;
  l.refused.erase(l.refused.begin(), l.refused.begin() + static_cast<std::ptrdiff_t>(over));
  l.forgotten += over;

  const lane_position reached{l.completion, 0};
  const lane_position placed = left.empty() ? reached : stand_in(id, left, context, cause, reached);
  l.refused.push_back({position, placed});
  l.hold_off = placed;
  if (placed.position == 0 && !context.empty()) note(rt_, context.data(), cause);
}

lane_position refusals::stand_in(model::step_id id, model::array_view<const lane_position> waits,
                                 model::array_view<const std::byte> context,
                                 const std::exception_ptr& cause, const lane_position& reached) {
  if (stand_ins_.native == nullptr) {
    const device_entry& host = rt_.machine.device(rt_.machine.host_device());
    stand_ins_.owner = host.owner;
    const executors::status made = host.owner->make_lane(host.index, stand_ins_.native);
    if (!made.ok()) {
      log_warn("a step that was refused cannot be waited for: {}", made.reason);
      return reached;
    }
  }
  auto r = std::make_unique<refusal>();
  r->rt = &rt_;
  r->cause = cause;
  if (!context.empty()) {
    r->context.resize((context.size() + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
    std::memcpy(static_cast<void*>(r->context.data()), context.data(), context.size());
  }
  refusal* handed_over = r.get();
  step_context own;
  own.step = id;
  executors::step_submission out;
  executors::resolved_host_task task;
  task.invoke = &deal_with;
  task.arguments.bytes = static_cast<void*>(&handed_over);
  task.arguments.size = sizeof handed_over;
  task.arguments.alignment = alignof(refusal*);
  out.action = task;
  out.waits = waits;
  out.context = {reinterpret_cast<const std::byte*>(&own), sizeof own};
  if (!stand_ins_.owner->submit(*stand_ins_.native, out).ok()) return reached;
  static_cast<void>(r.release());
  return {&stand_ins_.native->completion(), ++stand_ins_.position};
}

}  // namespace pianola::runtime
