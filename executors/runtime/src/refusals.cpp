// SPDX-License-Identifier: Apache-2.0
// Steps that were planned and that their executor then did not take.
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "callbacks.hpp"
#include "core.hpp"
#include "log.hpp"

namespace pianola::runtime {

namespace {

struct refusal {
  core* c;
  std::exception_ptr cause;
  std::vector<std::max_align_t> context;
};

void note(core& c, const void* context, const std::exception_ptr& cause) {
  take_back(c, *static_cast<const step_context*>(context), cause);
  c.replays_disturbed = true;
  if (!c.failures.empty()) c.attention.store(true, std::memory_order_seq_cst);
}

// Runs where the refused step would have: everything before it has finished.
void deal_with(void* arguments) {
  const std::unique_ptr<refusal> r(*static_cast<refusal**>(arguments));
  const callback_lock lock(r->c->mutex);
  if (!r->context.empty()) note(*r->c, r->context.data(), r->cause);
}

}  // namespace

void core::refuse(const planner::step& s, model::step_id id,
                  model::array_view<const std::byte> context, const std::exception_ptr& cause) {
  lane_entry& l = lanes[s.lane.value()];
  const std::uint64_t position = state.position_in_lane(id);
  std::vector<executors::lane_position> waits;
  const auto wait_for = [&](const executors::lane_position& p) {
    if (p.lane == nullptr || p.lane->reached(p.position)) return;
    if (executors::progress_source* source = p.lane->source()) source->look(*p.lane);
    if (!p.lane->reached(p.position)) waits.push_back(p);
  };
  for (const executors::lane_position& p : waits_of(s)) wait_for(p);
  for (const executors::lane_position& p : begun_parts) wait_for(p);
  begun_parts.clear();
  if (position > 1) wait_for(l.place_of(position - 1));
  std::size_t over = 0;
  while (over < l.refused.size() &&
         l.refused[over].stand_in.lane->reached(l.refused[over].stand_in.position))
    ++over;
  l.refused.erase(l.refused.begin(), l.refused.begin() + static_cast<std::ptrdiff_t>(over));
  l.forgotten += over;

  executors::lane_position stand_in{l.completion, 0};  // reached
  if (!waits.empty()) {
    if (stand_ins_.native == nullptr) {
      const device_entry& host = devices[host_device.value()];
      stand_ins_.owner = host.owner;
      const executors::status made = host.owner->make_lane(host.index, stand_ins_.native);
      if (!made.ok()) log_warn("a step that was refused cannot be waited for: {}", made.reason);
    }
    auto r = std::make_unique<refusal>();
    r->c = this;
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
    if (stand_ins_.native != nullptr && stand_ins_.owner->submit(*stand_ins_.native, out).ok()) {
      static_cast<void>(r.release());
      stand_in = {&stand_ins_.native->completion(), ++stand_ins_.position};
    }
  }
  l.refused.push_back({position, stand_in});
  l.hold_off = stand_in;
  if (stand_in.position == 0 && !context.empty()) note(*this, context.data(), cause);
}

}  // namespace pianola::runtime
