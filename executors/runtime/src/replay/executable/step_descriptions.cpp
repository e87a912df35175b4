// SPDX-License-Identifier: Apache-2.0
#include "replay/executable/step_descriptions.hpp"

#include <algorithm>
#include <cstring>

#include "machine/machine.hpp"
#include "process.hpp"
#include "replay/executable/step_maker.hpp"

namespace pianola::runtime {

using planner::execute_step;
using planner::transfer_step;

bool step_descriptions::begins_with(model::buffer_id b, std::ptrdiff_t step) const {
  if (!g_.recorded.buffers[b.value()].temporary || g_.plan.slots.empty()) return false;
  auto slot = std::partition_point(g_.plan.slots.begin(), g_.plan.slots.end(),
                                   [&](const auto& other) { return other.buffer < b; });
  for (; slot != g_.plan.slots.end() && slot->buffer == b; ++slot)
    if (slot->first < step) return false;
  return true;
}

void step_descriptions::describe(const process& rt, std::uint32_t step,
                                 std::vector<std::byte>& bytes) const {
  std::vector<touched_box> touched;
  std::vector<std::uint64_t> more;
  touch_all(rt, step, touched, more);
  step_context context;
  context.head = maker_.context_of(step);
  context.touched_count = static_cast<std::uint32_t>(touched.size());
  if (const auto* const move = std::get_if<transfer_step>(&g_.plan.steps[step].action)) {
    context.transfer = true;
    context.transfer_to = move->to;
  }
  const std::size_t behind = touched.size() * sizeof(touched_box);
  bytes.resize(sizeof context + behind + more.size() * sizeof(std::uint64_t));
  std::memcpy(bytes.data(), static_cast<const void*>(&context), sizeof context);
  // A step may touch nothing.
  if (behind != 0)
    std::memcpy(bytes.data() + sizeof context, static_cast<const void*>(touched.data()), behind);
  if (!more.empty())
    std::memcpy(bytes.data() + sizeof context + behind, more.data(),
                more.size() * sizeof(std::uint64_t));
}

void step_descriptions::touch_all(const process& rt, std::uint32_t step,
                                  std::vector<touched_box>& touched,
                                  std::vector<std::uint64_t>& more) const {
  const planner::step& s = g_.plan.steps[step];
  const bool one_memory = !rt.machine.has_several_memories();
  const auto touch = [&](model::buffer_id plan_id) -> touched_box& {
    touched_box& t = touched.emplace_back();
    t.buffer = g_.live[plan_id.value()];
    t.generation = g_.generation[plan_id.value()];
    t.before = model::memory_set(model::host_memory).word(0);
    // Within a graph only a single memory leaves no question where the old data is.
    t.uniform = one_memory;
    return t;
  };
  if (const auto* move = std::get_if<transfer_step>(&s.action)) {
    touched_box& t = touch(move->buffer);
    t.memory = move->from;
    t.reads = true;
    t.elements = move->elements;
    return;
  }
  const model::command& command =
      g_.recorded.commands[std::get<execute_step>(s.action).command.value()];
  const model::memory_id here = rt.machine.memory_of(command.device);
  for (const model::requirement& r : command.requirements) {
    touched_box& t = touch(r.buffer);
    t.memory = r.memory.valid() ? r.memory : here;
    // The first to use a temporary buffer finds nothing, so what went wrong in another replay does not matter.
    const bool fresh = begins_with(r.buffer, step);
    t.reads = r.needs_data() && !fresh;
    t.writes = writes(r.mode);
    t.replaces = r.no_init || fresh;
    if (t.reads && t.writes && !one_memory) {
      // Whatever there was before, it has been brought there.
      set_before(t, model::memory_set(t.memory), more);
      t.uniform = true;
    }
    t.elements = r.no_init ? r.elements
                           : g_.recorded.buffers[r.buffer.value()].grid.page_aligned(r.elements);
  }
}

}  // namespace pianola::runtime
